// Kernels for the tests of surrogates. They are learned once for all tests.

#ifndef evergreen_tests_surrogate_small_surrogate_h
#define evergreen_tests_surrogate_small_surrogate_h

#include "testing.h"

#include <evergreen/data/generator.h>
#include <evergreen/fem/mesh_space.h>
#include <evergreen/fem/problems.h>
#include <evergreen/learning/learner.h>
#include <evergreen/surrogate/surrogate_solver.h>

#include <deal.II/lac/full_matrix.h>

#include <cmath>
#include <memory>

namespace Evergreen
{
  namespace Testing
  {
    using DistributedVector =
      dealii::LinearAlgebra::distributed::Vector<double>;


    /** A mesh, a problem on it, and a kernel learned from random forcings. */
    template <int dim>
    struct SmallSurrogate
    {
      static constexpr int dimension = dim;

      Mesh<dim>                             mesh;
      MeshSpace<dim>                        space;
      std::unique_ptr<GalerkinProblem<dim>> problem;
      LearnedKernel                         kernel;

      SmallSurrogate(const DomainParameters               &domain,
                     std::unique_ptr<GalerkinProblem<dim>> the_problem,
                     const double                          wavelength,
                     const std::size_t                     n_samples,
                     const unsigned int                    n_neurons,
                     const MPI_Comm     communicator = MPI_COMM_SELF,
                     const std::string &family       = "relu")
        : mesh(domain, communicator)
        , space(mesh, 1)
        , problem(std::move(the_problem))
      {
        problem->set_up(space);
        ForcingParameters forcing;
        forcing.wavelength = wavelength;
        LearningParameters parameters;
        parameters.family    = family;
        parameters.function  = dim == 2 ? "log" : "inverse";
        parameters.neurons   = n_neurons;
        parameters.size      = 256;
        parameters.precision = "single";
        kernel               = learn_kernel(
                   space,
                   generate_samples(*problem, forcing, Split::train, n_samples),
                   parameters)
                   .kernel;
      }

      DistributedVector
      vector() const
      {
        return DistributedVector(space.locally_owned_dofs(),
                                 space.communicator());
      }

      /** A random forcing of another distribution than the training's. */
      DistributedVector
      random_forcing(const ForcingParameters &parameters,
                     const std::size_t        sample) const
      {
        const RandomField field(parameters,
                                dim,
                                space.mesh_data().points,
                                space.local_nodes());
        DistributedVector f = vector();
        field.sample(Random::Stream::test_forcing, sample, 1, f.begin());
        return f;
      }

      DistributedVector
      random_forcing(const double wavelength, const std::size_t sample) const
      {
        ForcingParameters parameters;
        parameters.wavelength = wavelength;
        return random_forcing(parameters, sample);
      }

      /** A narrow Gaussian. */
      DistributedVector
      bump(const dealii::Point<dim> &centre, const double width) const
      {
        DistributedVector f = vector();
        for (std::size_t i = 0; i < space.n_local_nodes(); ++i)
          {
            double square = 0;
            for (unsigned int d = 0; d < dim; ++d)
              square += std::pow(
                space.mesh_data().points[space.local_nodes()[i] * dim + d] -
                  centre[d],
                2);
            f.local_element(i) = std::exp(-square / (width * width));
          }
        return f;
      }

      double
      l2_norm(const DistributedVector &v) const
      {
        DistributedVector product = vector();
        space.mass_matrix().vmult(product, v);
        return std::sqrt(v * product);
      }

      /** The relative L2 distance of a solution to that of finite elements. */
      double
      true_error(const DistributedVector &f, const DistributedVector &u) const
      {
        DistributedVector exact = vector();
        problem->solve(f, exact);
        const double norm = l2_norm(exact);
        exact -= u;
        return l2_norm(exact) / norm;
      }
    };


    inline DomainParameters
    disk_domain()
    {
      DomainParameters domain;
      domain.name = "disk";
      return domain;
    }


    /** Poisson on the disk with 833 nodes, wavelength 0.2. */
    const SmallSurrogate<2> &
    disk_surrogate();

    /** Poisson on a cube of 9^3 nodes. */
    const SmallSurrogate<3> &
    cube_surrogate();
  } // namespace Testing
} // namespace Evergreen

#endif
