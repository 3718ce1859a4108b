#include <evergreen/fem/mesh_space.h>
#include <evergreen/report/section.h>

#include <deal.II/fe/fe_tools.h>

namespace Evergreen
{
  using namespace dealii;

  namespace
  {
    /** The corners of small cells, by the degrees of freedom of a large one. */
    using SmallCells = std::vector<std::vector<unsigned int>>;


    /** p^dim lines, quadrilaterals or hexahedra, with corners in VTK's order.
     */
    template <int dim>
    SmallCells
    small_boxes(const unsigned int p)
    {
      const auto numbers =
        FETools::lexicographic_to_hierarchic_numbering<dim>(p);
      SmallCells cells;
      for (unsigned int k = 0; k < (dim > 2 ? p : 1); ++k)
        for (unsigned int j = 0; j < (dim > 1 ? p : 1); ++j)
          for (unsigned int i = 0; i < p; ++i)
            {
              cells.emplace_back();
              for (unsigned int v = 0; v < (1 << dim); ++v)
                {
                  const unsigned int x = i + (v % 4 + 1) / 2 % 2;
                  const unsigned int y = j + v % 4 / 2;
                  const unsigned int z = k + v / 4;
                  cells.back().push_back(
                    numbers[x + (p + 1) * (y + (p + 1) * z)]);
                }
            }
      return cells;
    }


    /**
     * For simplices of degree 2, whose degrees of freedom are at vertices and
     * then at the middle of edges. Of a tetrahedron there are the four corners
     * and the octahedron between them, cut along a diagonal (4, 9).
     */
    template <int dim>
    SmallCells
    small_cells(const std::string &cell_type, const unsigned int p)
    {
      if (cell_type == "triangle")
        return {{0, 3, 5}, {3, 4, 5}, {3, 1, 4}, {5, 4, 2}};
      if (cell_type == "tetrahedron")
        return {{0, 4, 6, 7},
                {4, 1, 5, 8},
                {6, 5, 2, 9},
                {7, 8, 9, 3},
                {4, 9, 5, 6},
                {4, 9, 6, 7},
                {4, 9, 7, 8},
                {4, 9, 8, 5}};
      return small_boxes<dim>(p);
    }
  } // namespace


  template <int dim>
  MeshData
  subdivided_mesh(const MeshData &data)
  {
    if (data.degree == 1)
      return data;
    const Mesh<dim>      mesh(data, "The mesh", MPI_COMM_SELF);
    const MeshSpace<dim> space(mesh, data, "The mesh");
    const auto           cells = small_cells<dim>(data.cell_type, data.degree);

    MeshData result = data;
    result.degree   = 1;
    result.cells.clear();
    std::vector<types::global_dof_index> dofs(space.fe().n_dofs_per_cell());
    for (const auto &cell : space.dof_handler().active_cell_iterators())
      {
        cell->get_dof_indices(dofs);
        for (const auto &corners : cells)
          for (const unsigned int corner : corners)
            result.cells.push_back(space.node_of_dof(dofs[corner]));
      }
    return result;
  }


  template MeshData
  subdivided_mesh<1>(const MeshData &);
  template MeshData
  subdivided_mesh<2>(const MeshData &);
  template MeshData
  subdivided_mesh<3>(const MeshData &);
} // namespace Evergreen
