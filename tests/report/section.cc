// Sections and subdivided meshes: areas, volumes and linear functions in closed
// form.

#include "testing.h"

#include <evergreen/fem/mesh_space.h>
#include <evergreen/report/section.h>

#include <cmath>
#include <set>

namespace Evergreen
{
  namespace
  {
    /** The unit cube in n^3 hexahedra, or each of them in six tetrahedra. */
    MeshData
    cube(const int n, const bool tetrahedra)
    {
      MeshData mesh;
      mesh.dim        = 3;
      mesh.cell_type  = tetrahedra ? "tetrahedron" : "hexahedron";
      const auto node = [&](const int i, const int j, const int k) {
        return (k * (n + 1) + j) * (n + 1) + i;
      };
      for (int k = 0; k <= n; ++k)
        for (int j = 0; j <= n; ++j)
          for (int i = 0; i <= n; ++i)
            mesh.points.insert(mesh.points.end(),
                               {i / double(n), j / double(n), k / double(n)});
      const int corners[8][3] = {{0, 0, 0},
                                 {1, 0, 0},
                                 {1, 1, 0},
                                 {0, 1, 0},
                                 {0, 0, 1},
                                 {1, 0, 1},
                                 {1, 1, 1},
                                 {0, 1, 1}};
      // Paths along the edges from corner 0 to corner 6, well oriented.
      const int paths[6][4] = {{0, 1, 2, 6},
                               {0, 1, 6, 5},
                               {0, 3, 6, 2},
                               {0, 3, 7, 6},
                               {0, 4, 5, 6},
                               {0, 4, 6, 7}};
      for (int k = 0; k < n; ++k)
        for (int j = 0; j < n; ++j)
          for (int i = 0; i < n; ++i)
            {
              const auto corner = [&](const int c) {
                return node(i + corners[c][0],
                            j + corners[c][1],
                            k + corners[c][2]);
              };
              if (tetrahedra)
                for (const auto &path : paths)
                  for (const int c : path)
                    mesh.cells.push_back(corner(c));
              else
                for (int c = 0; c < 8; ++c)
                  mesh.cells.push_back(corner(c));
            }
      return mesh;
    }


    /** The area of all cells; each must be positive or each negative. */
    double
    area(const PlaneMesh &mesh)
    {
      const unsigned int n   = mesh.vertices_per_cell;
      double             sum = 0;
      for (std::size_t c = 0; c < mesh.n_cells(); ++c)
        {
          double cell = 0;
          for (unsigned int v = 0; v < n; ++v)
            {
              const auto a = mesh.cells[c * n + v];
              const auto b = mesh.cells[c * n + (v + 1) % n];
              cell += 0.5 * (mesh.points[2 * a] * mesh.points[2 * b + 1] -
                             mesh.points[2 * b] * mesh.points[2 * a + 1]);
            }
          EXPECT_GT(std::abs(cell), 1e-12);
          sum += std::abs(cell);
        }
      return sum;
    }


    double
    linear(const double x, const double y, const double z)
    {
      return 1 + 2 * x - 3 * y + 4 * z;
    }
  } // namespace


  TEST(Section, CubesAreCutIntoWholeSquares)
  {
    for (const bool tetrahedra : {false, true})
      {
        const MeshData      mesh = cube(4, tetrahedra);
        std::vector<double> field;
        for (std::size_t i = 0; i < mesh.n_nodes(); ++i)
          field.push_back(linear(mesh.points[3 * i],
                                 mesh.points[3 * i + 1],
                                 mesh.points[3 * i + 2]));
        for (const double z : {0.5, 0.25, 1., 0.3, 0.77})
          {
            const Section section(mesh, z);
            EXPECT_NEAR(area(section.mesh()), 1., 1e-12) << z;
            const auto values = section.values(field);
            ASSERT_EQ(values.size(), section.mesh().n_points());
            for (std::size_t i = 0; i < values.size(); ++i)
              EXPECT_NEAR(values[i],
                          linear(section.mesh().points[2 * i],
                                 section.mesh().points[2 * i + 1],
                                 z),
                          1e-12);
            if (!tetrahedra)
              {
                EXPECT_EQ(section.mesh().vertices_per_cell, 4U);
                EXPECT_EQ(section.mesh().n_cells(), 16U);
                EXPECT_EQ(section.mesh().n_points(), 25U);
              }
          }
        EXPECT_EQ(Section(mesh, 1.5).mesh().n_cells(), 0U);
        EXPECT_EQ(Section(mesh, -0.5).mesh().n_cells(), 0U);
      }
  }


  TEST(Section, APlaneMeshIsDrawnAsItIs)
  {
    DomainParameters   domain; // the disk, in triangles
    const Mesh<2>      mesh(domain, MPI_COMM_SELF);
    const MeshSpace<2> space(mesh, 1);
    const Section      section(space.mesh_data());
    EXPECT_EQ(section.mesh().n_cells(), 1573U);
    EXPECT_EQ(section.mesh().points, space.mesh_data().points);
    EXPECT_NEAR(area(section.mesh()), M_PI, 5e-3);
    const std::vector<double> field(space.n_nodes(), 2.5);
    EXPECT_EQ(section.values(field), field);
  }


  TEST(Section, ElementsOfHigherDegreeAreSubdivided)
  {
    for (const std::string cells : {"triangles", "quadrilaterals"})
      {
        DomainParameters domain;
        domain.name  = "h";
        domain.cells = cells;
        const Mesh<2>      mesh(domain, MPI_COMM_SELF);
        const unsigned int degree = cells == "triangles" ? 2 : 3;
        const MeshSpace<2> linear(mesh, 1), space(mesh, degree);
        const MeshData     data = subdivided_mesh<2>(space.mesh_data());
        EXPECT_EQ(data.n_cells(),
                  degree * degree * linear.mesh_data().n_cells());
        EXPECT_EQ(
          std::set<std::size_t>(data.cells.begin(), data.cells.end()).size(),
          space.n_nodes());
        EXPECT_NEAR(area(Section(data).mesh()),
                    area(Section(linear.mesh_data()).mesh()),
                    1e-10);
      }
    DomainParameters domain;
    domain.name         = "cube";
    domain.subdivisions = 2;
    const Mesh<3>      mesh(domain, MPI_COMM_SELF);
    const MeshSpace<3> space(mesh, 2);
    const MeshData     data = subdivided_mesh<3>(space.mesh_data());
    EXPECT_EQ(data.n_cells(), 64U);
    // The nodes at z = 1/4 are inside of the cells.
    EXPECT_EQ(Section(data, 0.25).mesh().n_points(), 25U);
    EXPECT_NEAR(area(Section(data, 0.25).mesh()), 1., 1e-12);
  }


  TEST(Section, TetrahedraOfDegreeTwo)
  {
    MeshData           coarse = cube(2, true);
    const Mesh<3>      mesh(coarse, "cube", MPI_COMM_SELF);
    const MeshSpace<3> space(mesh, 2);
    const MeshData     data = subdivided_mesh<3>(space.mesh_data());
    EXPECT_EQ(data.n_cells(), 8 * coarse.n_cells());
    double volume = 0;
    for (std::size_t c = 0; c < data.n_cells(); ++c)
      {
        double edge[3][3];
        for (int e = 0; e < 3; ++e)
          for (int d = 0; d < 3; ++d)
            edge[e][d] = data.points[3 * data.cells[4 * c + e + 1] + d] -
                         data.points[3 * data.cells[4 * c] + d];
        double determinant = 0;
        for (int d = 0; d < 3; ++d)
          determinant +=
            edge[0][d] * (edge[1][(d + 1) % 3] * edge[2][(d + 2) % 3] -
                          edge[1][(d + 2) % 3] * edge[2][(d + 1) % 3]);
        EXPECT_GT(std::abs(determinant), 1e-6);
        volume += std::abs(determinant) / 6;
      }
    EXPECT_NEAR(volume, 1., 1e-12);
    EXPECT_NEAR(area(Section(data, 0.3).mesh()), 1., 1e-12);
  }
} // namespace Evergreen
