#include <evergreen/fem/mesh_space.h>
#include <evergreen/report/section.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

namespace Evergreen
{
  using namespace dealii;

  namespace
  {
    template <int dim>
    using Index = std::array<int, dim>;

    /** The place of each degree of freedom of an element on its lattice. */
    template <int dim>
    std::map<Index<dim>, unsigned int>
    lattice(const FiniteElement<dim> &fe)
    {
      std::vector<double> coordinates;
      for (const Point<dim> &point : fe.get_unit_support_points())
        coordinates.push_back(point[0]);
      std::sort(coordinates.begin(), coordinates.end());
      coordinates.erase(std::unique(coordinates.begin(),
                                    coordinates.end(),
                                    [](const double a, const double b) {
                                      return std::abs(a - b) < 1e-8;
                                    }),
                        coordinates.end());
      std::map<Index<dim>, unsigned int> result;
      for (unsigned int k = 0; k < fe.n_dofs_per_cell(); ++k)
        {
          Index<dim> index;
          for (unsigned int d = 0; d < dim; ++d)
            index[d] =
              std::lower_bound(coordinates.begin(),
                               coordinates.end(),
                               fe.get_unit_support_points()[k][d] - 1e-8) -
              coordinates.begin();
          result[index] = k;
        }
      return result;
    }


    /** A cell as corners on the lattice, in VTK's order. */
    template <int dim>
    using SmallCell = std::vector<Index<dim>>;


    std::vector<SmallCell<2>>
    small_triangles(const int p)
    {
      std::vector<SmallCell<2>> cells;
      for (int j = 0; j < p; ++j)
        for (int i = 0; i + j < p; ++i)
          {
            cells.push_back({{{i, j}}, {{i + 1, j}}, {{i, j + 1}}});
            if (i + j + 1 < p)
              cells.push_back({{{i + 1, j}}, {{i + 1, j + 1}}, {{i, j + 1}}});
          }
      return cells;
    }


    /**
     * For degree 2: four corners, and the octahedron between them cut along
     * the diagonal from a to b.
     */
    std::vector<SmallCell<3>>
    small_tetrahedra()
    {
      const Index<3>            a = {{1, 0, 0}}, b = {{0, 1, 1}};
      const Index<3>            ring[] = {{{1, 1, 0}},
                                          {{0, 1, 0}},
                                          {{0, 0, 1}},
                                          {{1, 0, 1}}};
      std::vector<SmallCell<3>> cells  = {
         {{{0, 0, 0}}, a, {{0, 1, 0}}, {{0, 0, 1}}},
         {a, {{2, 0, 0}}, {{1, 1, 0}}, {{1, 0, 1}}},
         {{{0, 1, 0}}, {{1, 1, 0}}, {{0, 2, 0}}, b},
         {{{0, 0, 1}}, {{1, 0, 1}}, b, {{0, 0, 2}}}};
      for (unsigned int i = 0; i < 4; ++i)
        cells.push_back({a, b, ring[i], ring[(i + 1) % 4]});
      return cells;
    }


    /** p^dim lines, quadrilaterals or hexahedra. */
    template <int dim>
    std::vector<SmallCell<dim>>
    small_boxes(const int p)
    {
      const Index<3>              vtk_corners[] = {{{0, 0, 0}},
                                                   {{1, 0, 0}},
                                                   {{1, 1, 0}},
                                                   {{0, 1, 0}},
                                                   {{0, 0, 1}},
                                                   {{1, 0, 1}},
                                                   {{1, 1, 1}},
                                                   {{0, 1, 1}}};
      std::vector<SmallCell<dim>> cells;
      for (int k = 0; k < (dim > 2 ? p : 1); ++k)
        for (int j = 0; j < (dim > 1 ? p : 1); ++j)
          for (int i = 0; i < p; ++i)
            {
              const Index<3> first = {{i, j, k}};
              SmallCell<dim> cell(1 << dim);
              for (unsigned int v = 0; v < cell.size(); ++v)
                for (unsigned int d = 0; d < dim; ++d)
                  cell[v][d] = first[d] + vtk_corners[v][d];
              cells.push_back(cell);
            }
      return cells;
    }


    template <int dim>
    std::vector<SmallCell<dim>>
    small_cells(const std::string &cell_type, const int p)
    {
      if constexpr (dim == 2)
        if (cell_type == "triangle")
          return small_triangles(p);
      if constexpr (dim == 3)
        if (cell_type == "tetrahedron")
          return small_tetrahedra();
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
    const auto           places = lattice(space.fe());
    const auto           cells  = small_cells<dim>(data.cell_type, data.degree);

    MeshData result = data;
    result.degree   = 1;
    result.cells.clear();
    std::vector<types::global_dof_index> dofs(space.fe().n_dofs_per_cell());
    for (const auto &cell : space.dof_handler().active_cell_iterators())
      {
        cell->get_dof_indices(dofs);
        for (const auto &corners : cells)
          for (const auto &corner : corners)
            result.cells.push_back(space.node_of_dof(dofs[places.at(corner)]));
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
