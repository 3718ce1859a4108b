#include <evergreen/base/collective.h>
#include <evergreen/base/error.h>
#include <evergreen/fem/mesh.h>
#include <evergreen/fem/singular_quadrature.h>

#include <deal.II/fe/fe_nothing.h>
#include <deal.II/fe/fe_values.h>
#include <deal.II/fe/mapping.h>
#include <deal.II/grid/grid_in.h>
#include <deal.II/grid/reference_cell.h>

#include <cmath>
#include <fstream>
#include <limits>

namespace Evergreen
{
  using namespace dealii;

  namespace
  {
    template <int dim>
    void
    check_cells_exist_and_are_alike(const Triangulation<dim> &triangulation,
                                    const std::string        &origin)
    {
      if (triangulation.n_active_cells() == 0)
        throw Error(origin, " has no cells of dimension ", dim, ".");
      if (triangulation.get_reference_cells().size() != 1)
        throw Error(origin,
                    " mixes several types of cells: Evergreen needs a mesh of "
                    "one type (in Gmsh: recombine all surfaces or none).");
      for (const auto &vertex : triangulation.get_vertices())
        for (unsigned int d = 0; d < dim; ++d)
          if (!std::isfinite(vertex[d]))
            throw Error(origin,
                        " has a vertex whose coordinates are not finite "
                        "numbers.");
    }


    template <int dim>
    void
    check_connected(const Triangulation<dim> &triangulation,
                    const std::string        &origin)
    {
      std::vector<bool> reached(triangulation.n_active_cells(), false);
      std::vector<typename Triangulation<dim>::active_cell_iterator> stack = {
        triangulation.begin_active()};
      reached[0]             = true;
      unsigned int n_reached = 1;
      while (!stack.empty())
        {
          const auto cell = stack.back();
          stack.pop_back();
          for (const auto f : cell->face_indices())
            if (!cell->at_boundary(f))
              {
                const auto neighbor = cell->neighbor(f);
                if (!reached[neighbor->active_cell_index()])
                  {
                    reached[neighbor->active_cell_index()] = true;
                    ++n_reached;
                    stack.emplace_back(neighbor);
                  }
              }
        }
      if (n_reached != triangulation.n_active_cells())
        throw Error(origin,
                    " is not connected: only ",
                    n_reached,
                    " of its ",
                    triangulation.n_active_cells(),
                    " cells can be reached from the first one through faces.");
    }


    template <int dim>
    void
    check_boundary_ids(const Triangulation<dim> &triangulation,
                       const std::string        &origin)
    {
      // deal.II itself gives the ends of an interval the ids 0 and 1.
      if (dim == 1)
        return;
      unsigned int n_with_id = 0, n_without_id = 0;
      Point<dim>   gap;
      for (const auto &face : triangulation.active_face_iterators())
        if (face->at_boundary())
          {
            if (face->boundary_id() != 0)
              ++n_with_id;
            else
              {
                ++n_without_id;
                gap = face->center();
              }
          }
      if (n_with_id > 0 && n_without_id > 0)
        throw Error(origin,
                    " has ",
                    n_without_id,
                    " boundary faces that are not in its physical boundary "
                    "group, one at (",
                    gap,
                    "): cells are missing there, or the group is incomplete.");
    }


    /**
     * What the boundary of a mesh encloses, and the integral of its normal
     * vector, which vanishes if it is closed.
     */
    template <int dim>
    std::pair<double, Tensor<1, dim>>
    integrate_over_boundary(const Triangulation<dim> &triangulation,
                            const Mapping<dim>       &mapping,
                            const ReferenceCell       reference_cell)
    {
      double                measure = 0;
      Tensor<1, dim>        normal;
      const FE_Nothing<dim> fe(reference_cell);
      FEFaceValues<dim>     values(mapping,
                               fe,
                               face_quadratures<dim>(reference_cell, 2),
                               update_JxW_values | update_normal_vectors |
                                 update_quadrature_points);
      for (const auto &cell : triangulation.active_cell_iterators())
        for (const auto f : cell->face_indices())
          if (cell->at_boundary(f))
            {
              values.reinit(cell, f);
              for (const auto q : values.quadrature_point_indices())
                {
                  const Tensor<1, dim> n =
                    values.normal_vector(q) * values.JxW(q);
                  measure +=
                    Tensor<1, dim>(values.quadrature_point(q)) * n / dim;
                  normal += n;
                }
            }
      return {measure, normal};
    }


    template <int dim>
    void
    check_measures(const Triangulation<dim> &triangulation,
                   const std::string        &origin)
    {
      const ReferenceCell reference_cell =
        triangulation.get_reference_cells().front();
      const auto mapping =
        reference_cell.template get_default_mapping<dim, dim>(1);
      const FE_Nothing<dim> fe(reference_cell);
      const Quadrature<dim> quadrature =
        reference_cell.template get_gauss_type_quadrature<dim>(2);
      FEValues<dim> values(*mapping, fe, quadrature, update_JxW_values);

      double total = 0;
      for (const auto &cell : triangulation.active_cell_iterators())
        {
          // deal.II itself throws for some degenerate cells; say which one.
          double measure = std::numeric_limits<double>::quiet_NaN();
          try
            {
              values.reinit(cell);
              measure = 0;
              for (const auto q : values.quadrature_point_indices())
                {
                  if (!(values.JxW(q) > 0))
                    measure = std::numeric_limits<double>::quiet_NaN();
                  measure += values.JxW(q);
                }
            }
          catch (const ExceptionBase &)
            {}
          if (!(measure > 1e-14 * std::pow(cell->diameter(), dim)))
            throw Error(origin,
                        " has an inverted or degenerate cell (number ",
                        cell->active_cell_index(),
                        ", centre ",
                        cell->center(),
                        "): its measure is not positive.");
          total += measure;
        }

      const auto [enclosed, normal] =
        integrate_over_boundary(triangulation, *mapping, reference_cell);
      const double size = std::pow(total, 1. / dim);
      if (std::abs(total - enclosed) > 1e-8 * total ||
          normal.norm() > 1e-8 * total / size)
        throw Error(origin,
                    " has overlapping or folded cells: their measures add up "
                    "to ",
                    total,
                    ", but that is not what their boundary encloses.");
    }


    unsigned int
    element_dimension(const int gmsh_type)
    {
      switch (gmsh_type)
        {
          case 15:
            return 0;
          case 1:
          case 8:
          case 26:
            return 1;
          case 2:
          case 3:
          case 9:
          case 10:
          case 16:
            return 2;
          default:
            return 3;
        }
    }


    /** Curves and surfaces in space are no domains of their dimension. */
    template <int dim>
    void
    check_flat(const std::string &path, const std::string &origin)
    {
      Triangulation<dim, 3> in_space;
      std::ifstream         in(path);
      GridIn<dim, 3>        grid_in(in_space);
      grid_in.read_msh(in);
      for (const auto &vertex : in_space.get_vertices())
        for (unsigned int d = dim; d < 3; ++d)
          if (std::abs(vertex[d]) > 1e-12 * vertex.norm())
            throw Error(origin,
                        " holds a ",
                        dim == 1 ? "curve" : "surface",
                        " in space: its vertex (",
                        vertex,
                        ") should have no coordinates but the first ",
                        dim,
                        ".");
    }


    /** Positions the stream behind a line that equals @p tag. */
    bool
    skip_to(std::istream &in, const std::string &tag)
    {
      for (std::string line; std::getline(in, line);)
        if (line.substr(0, line.find_last_not_of(" \r\t") + 1) == tag)
          return true;
      return false;
    }
  } // namespace


  template <int dim>
  void
  check_mesh(const Triangulation<dim> &triangulation, const std::string &origin)
  {
    check_cells_exist_and_are_alike(triangulation, origin);
    check_connected(triangulation, origin);
    check_measures(triangulation, origin);
    check_boundary_ids(triangulation, origin);
  }


  unsigned int
  gmsh_dimension(const std::string &path)
  {
    std::ifstream in(path);
    const auto    damaged = [&](const std::string &what) {
      return Error("The mesh file '",
                   path,
                   "' is not a complete Gmsh file: ",
                   what,
                   ". Write it again as ASCII, format 4.1 or 2.2.");
    };
    if (!in)
      throw Error("Cannot open the mesh file '",
                  path,
                  "': check 'Mesh file' in section 'Domain'.");
    double      version = 0;
    int         binary  = 0;
    std::size_t size    = 0;
    if (!skip_to(in, "$MeshFormat") || !(in >> version >> binary >> size))
      throw damaged("it has no $MeshFormat");
    if (binary != 0)
      throw Error("The mesh file '",
                  path,
                  "' is binary: save it as ASCII (gmsh -format msh41).");
    if (!skip_to(in, "$Elements"))
      throw damaged("it has no $Elements");

    // From version 4 on there are blocks of elements of one type, before each
    // element is for itself.
    std::size_t  n_blocks  = 0, ignored;
    unsigned int dimension = 0;
    in >> n_blocks;
    for (int i = 0; i < (version > 4.05 ? 3 : version < 4 ? 0 : 1); ++i)
      in >> ignored;
    for (std::size_t block = 0; block < n_blocks; ++block)
      {
        int         type  = 0;
        std::size_t count = 0;
        if (version < 4)
          in >> ignored >> type;
        else
          in >> ignored >> ignored >> type >> count;
        for (std::size_t e = 0; e <= count; ++e)
          in.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
        if (!in)
          throw damaged("its $Elements end early");
        dimension = std::max(dimension, element_dimension(type));
      }
    if (!in || !skip_to(in, "$EndElements"))
      throw damaged("it has no $EndElements");
    if (dimension == 0)
      throw Error("The mesh file '", path, "' has no elements.");
    return dimension;
  }


  template <int dim>
  void
  read_gmsh(const std::string &path, Triangulation<dim> &triangulation)
  {
    const unsigned int found = gmsh_dimension(path);
    if (found != dim)
      throw Error("The mesh file '",
                  path,
                  "' holds a mesh of dimension ",
                  found,
                  ", but the domain has dimension ",
                  dim,
                  ".");
    const std::string origin = "The mesh file '" + path + "'";
    try
      {
        std::ifstream in(path);
        GridIn<dim>(triangulation).read_msh(in);
      }
    catch (...)
      {
        throw Error(origin, " cannot be read by deal.II: ", one_line_message());
      }
    if constexpr (dim < 3)
      check_flat<dim>(path, origin);
    check_mesh(triangulation, origin);
  }


#define INSTANTIATE(dim)                                                       \
  template decltype(check_mesh<dim>) check_mesh<dim>;                          \
  template decltype(read_gmsh<dim>)  read_gmsh<dim>;
  INSTANTIATE(1)
  INSTANTIATE(2)
  INSTANTIATE(3)
#undef INSTANTIATE
} // namespace Evergreen
