#include <evergreen/base/error.h>
#include <evergreen/fem/mesh_space.h>
#include <evergreen/twin/hat_functions.h>
#include <evergreen/twin/twin_mesh.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace Evergreen
{
  namespace
  {
    DomainParameters
    coarsened(DomainParameters domain, const TwinParameters &twin)
    {
      if (twin.mesh == "own")
        return domain;
      if (twin.n_coarsenings() < 0)
        {
          domain             = DomainParameters();
          domain.name        = "file";
          domain.mesh_file   = twin.mesh;
          domain.refinements = 0;
          return domain;
        }
      unsigned int       n     = twin.n_coarsenings();
      const unsigned int fewer = std::min(n, domain.refinements);
      domain.refinements -= fewer;
      n -= fewer;
      if (domain.name == "cube" && domain.subdivisions == 0)
        domain.subdivisions = 16;
      for (; n > 0; --n)
        {
          if (domain.subdivisions < 4 || domain.subdivisions % 2 != 0)
            throw UsageError("Twin/Mesh = ",
                             twin.mesh,
                             ": the domain cannot be coarsened as often; give "
                             "it more 'Domain/Refinements', or "
                             "'Domain/Subdivisions' that can be halved.");
          domain.subdivisions /= 2;
        }
      return domain;
    }


    template <int dim>
    MeshData
    make_mesh(const DomainParameters &domain)
    {
      const Mesh<dim> mesh(domain, MPI_COMM_SELF);
      return MeshSpace<dim>(mesh, 1).mesh_data();
    }
  } // namespace


  MeshData
  twin_mesh(const DomainParameters &domain, const TwinParameters &twin)
  {
    const DomainParameters coarse = coarsened(domain, twin);
    switch (coarse.dimension())
      {
        case 1:
          return make_mesh<1>(coarse);
        case 2:
          return make_mesh<2>(coarse);
        default:
          return make_mesh<3>(coarse);
      }
  }


  std::string
  training_lengths(const DomainParameters &domain, const TwinParameters &twin)
  {
    const MeshData mesh      = twin_mesh(domain, twin);
    const auto     integrals = HatFunctions(mesh).integrals();
    const double   measure =
      std::accumulate(integrals.begin(), integrals.end(), 0.);
    // Two triangles make a square, and six tetrahedra a cube.
    const bool is_simplex =
      mesh.dim > 1 && mesh.vertices_per_cell() == mesh.dim + 1;
    const double cells = static_cast<double>(mesh.n_cells()) /
                         (is_simplex ? (mesh.dim == 2 ? 2 : 6) : 1);
    const double cell = std::pow(measure / cells, 1. / mesh.dim);
    return text(4 * cell, ", ", 2 * cell, ", ", 1.2 * cell);
  }
} // namespace Evergreen
