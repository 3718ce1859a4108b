// Broken mesh files and what is said of them.

#include "testing.h"

#include <evergreen/base/locations.h>
#include <evergreen/fem/mesh.h>

#include <fstream>
#include <sstream>

using namespace Evergreen;
using namespace Evergreen::Testing;

namespace
{
  std::string
  read_text(const std::string &path)
  {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
  }

  /** A small mesh of the unit square, format 2.2, with a boundary group. */
  std::string
  square(const std::string &nodes, const std::string &elements)
  {
    const auto count = [](const std::string &lines) {
      return std::count(lines.begin(), lines.end(), '\n');
    };
    std::ostringstream out;
    out << "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n"
        << count(nodes) << "\n"
        << nodes << "$EndNodes\n$Elements\n"
        << count(elements) << "\n"
        << elements << "$EndElements\n";
    return out.str();
  }

  const std::string corners = "1 0 0 0\n2 1 0 0\n3 1 1 0\n4 0 1 0\n";
  const std::string sides =
    "1 1 2 1 1 1 2\n2 1 2 1 1 2 3\n"
    "3 1 2 1 1 3 4\n4 1 2 1 1 4 1\n";
  const std::string lower = "5 2 2 2 1 1 2 3\n";
  const std::string upper = "6 2 2 2 1 1 3 4\n";

  void
  read_as_domain(const std::string &path)
  {
    DomainParameters domain;
    domain.name      = "file";
    domain.mesh_file = path;
    if (domain.dimension() == 2)
      Mesh<2>(domain, MPI_COMM_SELF);
    else
      Mesh<3>(domain, MPI_COMM_SELF);
  }

  void
  expect_rejected(const std::string &content, const std::string &words)
  {
    const TemporaryDirectory directory;
    const std::string        path = directory / "mesh.msh";
    std::ofstream(path) << content;
    expect_error([&]() { read_as_domain(path); }, words);
    expect_error([&]() { read_as_domain(path); }, path);
  }
} // namespace


TEST(MeshFile, GoodOnesAreAccepted)
{
  const TemporaryDirectory directory;
  const std::string        path = directory / "square.msh";
  std::ofstream(path) << square(corners, sides + lower + upper);
  EXPECT_EQ(gmsh_dimension(path), 2u);
  EXPECT_NO_THROW(read_as_domain(path));
  // Without a boundary group, too.
  std::ofstream(path) << square(corners, lower + upper);
  EXPECT_NO_THROW(read_as_domain(path));
  // Clockwise cells are turned around.
  std::ofstream(path) << square(corners, "5 2 2 2 1 1 3 2\n6 2 2 2 1 1 4 3\n");
  EXPECT_NO_THROW(read_as_domain(path));
  // A tetrahedron.
  std::ofstream(path) << square("1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n",
                                "1 4 2 1 1 1 2 3 4\n");
  EXPECT_EQ(gmsh_dimension(path), 3u);
  EXPECT_NO_THROW(read_as_domain(path));
}

TEST(MeshFile, MissingOrNotAMesh)
{
  expect_error([]() { read_as_domain("nowhere.msh"); }, "nowhere.msh");
  expect_rejected("", "$MeshFormat");
  expect_rejected("solid cube\n", "$MeshFormat");
  expect_rejected("$MeshFormat\n4.1 1 8\n", "binary");
}

TEST(MeshFile, TruncatedAnywhere)
{
  const std::string whole =
    read_text(find_shipped_file("meshes/disk_triangles.msh"));
  const std::size_t end = whole.find("$EndElements");
  for (std::size_t i = 1; i < 20; ++i)
    {
      const TemporaryDirectory directory;
      const std::string        path = directory / "mesh.msh";
      std::ofstream(path) << whole.substr(0, end * i / 20);
      EXPECT_THROW(read_as_domain(path), Error) << "cut at " << i << "/20";
    }
}

TEST(MeshFile, NotANumber)
{
  expect_rejected(square("1 0 0 0\n2 1 0 0\n3 nan 1 0\n4 0 1 0\n",
                         lower + upper),
                  "mesh.msh");
  expect_rejected(square("1 0 0 0\n2 1 0 0\n3 1e999 1 0\n4 0 1 0\n",
                         lower + upper),
                  "mesh.msh");
}

TEST(MeshFile, BrokenCells)
{
  // Two triangles on the same side of their common edge.
  expect_rejected(square("1 0 0 0\n2 1 0 0\n3 1 1 0\n4 0.9 0.2 0\n",
                         lower + upper),
                  "overlapping");
  // A triangle of no area.
  expect_rejected(square("1 0 0 0\n2 1 0 0\n3 1 1 0\n4 0.5 0.5 0\n",
                         lower + upper),
                  "mesh.msh");
  // A quadrilateral with crossing sides.
  expect_rejected(square(corners, "1 3 2 1 1 1 2 4 3\n"), "mesh.msh");
  // A node that does not exist.
  expect_rejected(square(corners, lower + "6 2 2 2 1 1 3 9\n"), "mesh.msh");
}

TEST(MeshFile, MissingCells)
{
  expect_rejected(square("1 0 0 0\n2 1 0 0\n3 1 1 0\n4 0 1 0\n5 .5 .5 0\n",
                         sides + "5 2 2 2 1 1 2 5\n6 2 2 2 1 2 3 5\n"
                                 "7 2 2 2 1 3 4 5\n"),
                  "mesh.msh");
  // One triangle inside the disk.
  std::string disk  = read_text(find_shipped_file("meshes/disk_triangles.msh"));
  const auto  block = disk.find("2 1 2 1573\n");
  ASSERT_NE(block, std::string::npos);
  auto line = block;
  for (unsigned int i = 0; i < 800; ++i)
    line = disk.find('\n', line) + 1;
  disk.erase(line, disk.find('\n', line) + 1 - line);
  disk.replace(block, 10, "2 1 2 1572");
  expect_rejected(disk, "cells are missing");
}

TEST(MeshFile, DisconnectedOrMixed)
{
  const std::string second = "5 3 0 0\n6 4 0 0\n7 4 1 0\n";
  expect_rejected(square(corners + second, lower + upper + "7 2 2 2 1 5 6 7\n"),
                  "not connected");
  expect_rejected(square(corners + "5 2 0 0\n6 2 1 0\n",
                         lower + upper + "7 3 2 2 1 2 5 6 3\n"),
                  "several types");
}

TEST(MeshFile, WrongDimension)
{
  const TemporaryDirectory directory;
  const std::string        path = directory / "square.msh";
  std::ofstream(path) << square(corners, lower + upper);
  dealii::Triangulation<3> triangulation;
  expect_error([&]() { read_gmsh(path, triangulation); }, "dimension 2");
  // A surface in space.
  expect_rejected(square("1 0 0 0\n2 1 0 0\n3 1 1 1\n4 0 1 0\n", lower + upper),
                  "mesh.msh");
  // Only lines of a boundary: a curve, not a domain.
  std::ofstream(path) << square(corners, sides);
  EXPECT_EQ(gmsh_dimension(path), 1u);
}
