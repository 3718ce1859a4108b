#include <evergreen/base/collective.h>
#include <evergreen/base/error.h>
#include <evergreen/base/locations.h>
#include <evergreen/fem/mesh.h>

#include <deal.II/distributed/shared_tria.h>
#include <deal.II/distributed/tria.h>
#include <deal.II/grid/grid_generator.h>
#include <deal.II/grid/grid_tools.h>
#include <deal.II/grid/manifold_lib.h>

#include <algorithm>

namespace Evergreen
{
  using namespace dealii;

  void
  DomainParameters::add_parameters(ParameterHandler &prm)
  {
    prm.enter_subsection("Domain");
    prm.add_parameter("Name",
                      name,
                      "The domain: the interval (0,1), the unit disk, the "
                      "H-shaped domain in (-1,1)^2, the unit cube, or the one "
                      "in 'Mesh file'.",
                      Patterns::Selection("interval|disk|h|cube|file"));
    prm.add_parameter("Mesh file",
                      mesh_file,
                      "A Gmsh file (ASCII, format 2.2 or 4) for the domain "
                      "'file'.");
    prm.add_parameter("Cells",
                      cells,
                      "The cells of disk and H.",
                      Patterns::Selection("triangles|quadrilaterals"));
    prm.add_parameter("Subdivisions",
                      subdivisions,
                      "Cells per direction of interval and cube; 0 stands for "
                      "500 and 16.",
                      Patterns::Integer(0, 100000));
    prm.add_parameter("Refinements",
                      refinements,
                      "How often the mesh is refined globally.",
                      Patterns::Integer(0, 20));
    prm.leave_subsection();
  }


  void
  DomainParameters::check() const
  {
    if (name == "file" && mesh_file.empty())
      throw UsageError(
        "The domain 'file' needs a mesh: set 'Mesh file' in "
        "section 'Domain'.");
    if (name != "file" && !mesh_file.empty())
      throw UsageError(
        "'Mesh file' in section 'Domain' is used by the domain "
        "'file' only: set Name = file, not '",
        name,
        "'.");
    if (subdivisions == 1 && refinements == 0)
      throw UsageError(
        "'Subdivisions' = 1 in section 'Domain' leaves no node "
        "inside the domain: use at least 2.");
  }


  unsigned int
  DomainParameters::dimension() const
  {
    if (name == "interval")
      return 1;
    if (name == "cube")
      return 3;
    if (name == "file")
      return gmsh_dimension(mesh_file);
    return 2;
  }


  namespace
  {
    /** The serial coarse mesh of a domain, before any refinement. */
    template <int dim>
    void
    make_coarse_mesh(const DomainParameters &parameters,
                     Triangulation<dim>     &coarse)
    {
      if (parameters.name == "file")
        read_gmsh(parameters.mesh_file, coarse);
      else if (parameters.name == "interval" || parameters.name == "cube")
        {
          const unsigned int by_default = (dim == 1 ? 500 : 16);
          GridGenerator::subdivided_hyper_cube(coarse,
                                               parameters.subdivisions > 0
                                                 ? parameters.subdivisions
                                                 : by_default);
        }
      else
        {
          read_gmsh(find_shipped_file("meshes/" + parameters.name + "_" +
                                      parameters.cells + ".msh"),
                    coarse);
        }
    }
  } // namespace


  std::string
  cell_type_name(const ReferenceCell &reference_cell)
  {
    const std::string name =
      MeshData::type_of_cells(reference_cell.get_dimension(),
                              reference_cell.n_vertices());
    if (name.empty())
      throw Error("Cells of type '",
                  reference_cell.to_string(),
                  "' are not supported.");
    return name;
  }


  template <int dim>
  void
  Mesh<dim>::distribute(const Triangulation<dim> &coarse,
                        const MPI_Comm            communicator)
  {
    const ReferenceCell reference_cell = coarse.get_reference_cells().front();
    if constexpr (dim > 1)
      if (reference_cell.is_hyper_cube())
        triangulation_ =
          std::make_unique<parallel::distributed::Triangulation<dim>>(
            communicator);
    if (triangulation_ == nullptr)
      triangulation_ = std::make_unique<parallel::shared::Triangulation<dim>>(
        communicator,
        Triangulation<dim>::none,
        true,
        parallel::shared::Triangulation<dim>::partition_zorder);
    triangulation_->copy_triangulation(coarse);
    mapping_ = reference_cell.template get_default_mapping<dim, dim>(1);
  }


  template <int dim>
  Mesh<dim>::Mesh(const DomainParameters &parameters,
                  const MPI_Comm          communicator)
  {
    Triangulation<dim> coarse;
    collectively(communicator, [&]() {
      parameters.check();
      make_coarse_mesh(parameters, coarse);
    });

    // New vertices on the rim of the disk go to the circle.
    if constexpr (dim == 2)
      if (parameters.name == "disk")
        {
          // (set_all_manifold_ids_on_boundary() crashes on triangles in 9.4)
          for (const auto &cell : coarse.active_cell_iterators())
            for (const auto f : cell->face_indices())
              if (cell->at_boundary(f))
                cell->face(f)->set_manifold_id(1);
          coarse.set_manifold(1, SphericalManifold<dim>());
        }

    distribute(coarse, communicator);
    triangulation_->refine_global(parameters.refinements);
  }


  template <int dim>
  Mesh<dim>::Mesh(const MeshData    &data,
                  const std::string &origin,
                  const MPI_Comm     communicator)
  {
    Triangulation<dim> coarse;
    collectively(communicator, [&]() {
      data.check(origin);
      if (!data.is_complete)
        throw Error(origin,
                    " has hanging nodes or curved cells, which its arrays do "
                    "not describe: use it in the program whose DoFHandler it "
                    "was made on.");
      if (data.dim != dim)
        throw Error(origin, " is of dimension ", data.dim, ", not ", dim, ".");
      const unsigned int n_vertices = data.vertices_per_cell();
      const auto         reference_cell =
        ReferenceCell::n_vertices_to_type(dim, n_vertices);

      // Nodes that are no vertices (higher degrees) are left out here.
      constexpr unsigned int     unused = numbers::invalid_unsigned_int;
      std::vector<unsigned int>  vertex_of_node(data.n_nodes(), unused);
      std::vector<Point<dim>>    vertices;
      std::vector<CellData<dim>> cells;
      for (std::size_t c = 0; c < data.n_cells(); ++c)
        {
          CellData<dim> cell(n_vertices);
          for (unsigned int v = 0; v < n_vertices; ++v)
            {
              const auto node =
                data.cells[c * n_vertices + vtk_vertex(reference_cell, v)];
              if (vertex_of_node[node] == unused)
                {
                  vertex_of_node[node] = vertices.size();
                  vertices.emplace_back();
                  std::copy_n(&data.points[node * dim],
                              dim,
                              vertices.back().begin_raw());
                }
              cell.vertices[v] = vertex_of_node[node];
            }
          cells.push_back(std::move(cell));
        }
      try
        {
          if (reference_cell.is_hyper_cube() && dim > 1)
            GridTools::consistently_order_cells(cells);
          coarse.create_triangulation(vertices, cells, SubCellData());
        }
      catch (...)
        {
          throw Error(origin,
                      " holds a mesh that deal.II cannot build: ",
                      one_line_message());
        }
      check_mesh(coarse, origin);
    });
    distribute(coarse, communicator);
  }


  template class Mesh<1>;
  template class Mesh<2>;
  template class Mesh<3>;
} // namespace Evergreen
