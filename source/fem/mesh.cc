#include <evergreen/base/collective.h>
#include <evergreen/base/error.h>
#include <evergreen/base/locations.h>
#include <evergreen/fem/formula.h>
#include <evergreen/fem/mesh.h>

#include <deal.II/distributed/shared_tria.h>
#include <deal.II/distributed/tria.h>
#include <deal.II/grid/grid_generator.h>
#include <deal.II/grid/grid_tools.h>
#include <deal.II/grid/manifold_lib.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace Evergreen
{
  using namespace dealii;

  void
  DomainParameters::add_parameters(ParameterHandler &prm)
  {
    prm.enter_subsection("Domain");
    prm.add_parameter("Name",
                      name,
                      "The domain: the interval (0,1), the unit square, the "
                      "unit disk, the H-shaped domain in (-1,1)^2, the unit "
                      "cube, or the one in 'Mesh file'.",
                      Patterns::Selection("interval|square|disk|h|cube|file"));
    prm.add_parameter("Mesh file",
                      mesh_file,
                      "A Gmsh file (ASCII, format 2.2 or 4) for the domain "
                      "'file'.");
    prm.add_parameter("Cells",
                      cells,
                      "The cells of disk, H and square; the cube has "
                      "hexahedra unless it is asked for 'tetrahedra'.",
                      Patterns::Selection("triangles|quadrilaterals|"
                                          "tetrahedra"));
    prm.add_parameter("Subdivisions",
                      subdivisions,
                      "Cells per direction of interval, square and cube; 0 "
                      "stands for 500, 32 and 16.",
                      Patterns::Integer(0, 100000));
    prm.add_parameter("Refinements",
                      refinements,
                      "How often the mesh is refined globally.",
                      Patterns::Integer(0, 20));
    prm.add_parameter("Boundary ids",
                      boundary_ids,
                      "Other ids for parts of the boundary: '5: y < -0.99; 6: "
                      "x > 0' gives them to the faces at whose middles the "
                      "formula is true. (Without: 0 and 1 at the ends of the "
                      "interval, 2d and 2d+1 where coordinate d of square or "
                      "cube is 0 and 1, 1 on disk and H, and the physical "
                      "groups of a file.)");
    prm.add_parameter("Material ids",
                      material_ids,
                      "The same for the materials of cells.");
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
    if (cells == "tetrahedra" && name != "cube")
      throw UsageError(
        "'Cells' = tetrahedra in section 'Domain' is for the "
        "domain 'cube', not for '",
        name,
        "'.");
    parse_numbered_formulas(boundary_ids, "'Boundary ids' in section 'Domain'");
    parse_numbered_formulas(material_ids, "'Material ids' in section 'Domain'");
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
    /** Interval, square or cube. */
    template <int dim>
    void
    make_unit_cube(const DomainParameters &parameters,
                   Triangulation<dim>     &coarse)
    {
      constexpr unsigned int by_default[] = {0, 500, 32, 16};
      const unsigned int     n =
        parameters.subdivisions > 0 ? parameters.subdivisions : by_default[dim];
      const bool has_simplices =
        (dim == 2 && parameters.cells == "triangles") ||
        (dim == 3 && parameters.cells == "tetrahedra");
      if (!has_simplices)
        GridGenerator::subdivided_hyper_cube(coarse, n);
      else if constexpr (dim > 1)
        GridGenerator::subdivided_hyper_cube_with_simplices(coarse, n);
      // (deal.II cannot colorise simplices, and gives others materials, too)
      for (const auto &cell : coarse.active_cell_iterators())
        for (const auto f : cell->face_indices())
          if (cell->at_boundary(f))
            for (unsigned int d = 0; d < dim; ++d)
              for (const unsigned int end : {0, 1})
                if (std::abs(cell->face(f)->center()[d] - end) < 1e-10)
                  cell->face(f)->set_boundary_id(2 * d + end);
    }


    /** The serial coarse mesh of a domain, before any refinement. */
    template <int dim>
    void
    make_coarse_mesh(const DomainParameters &parameters,
                     Triangulation<dim>     &coarse)
    {
      if (parameters.name == "file")
        read_gmsh(parameters.mesh_file, coarse);
      else if (parameters.name == "interval" || parameters.name == "square" ||
               parameters.name == "cube")
        make_unit_cube(parameters, coarse);
      else
        {
          read_gmsh(find_shipped_file("meshes/" + parameters.name + "_" +
                                      parameters.cells + ".msh"),
                    coarse);
        }
    }


    /**
     * Calls @p change with an id and a formula for each entry of a list. It
     * returns to how many objects it has given the id.
     */
    template <int dim, typename Change>
    void
    give_ids(const std::string &list,
             const std::string &key,
             const Change      &change)
    {
      const std::string where = "'" + key + "' in section 'Domain'";
      for (const auto &[ids, formula] : parse_numbered_formulas(list, where))
        {
          if (ids.size() != 1)
            throw UsageError(where,
                             " = '",
                             list,
                             "' must name one id for each formula, as in '5: y "
                             "< -0.99'.");
          const auto function =
            parse_formula<dim>(formula, "The formula of " + where);
          if (change(ids.front(), *function) == 0)
            throw UsageError("The formula '",
                             formula,
                             "' of ",
                             where,
                             " is true nowhere: no part of the mesh gets the "
                             "id ",
                             ids.front(),
                             ".");
        }
    }


    template <int dim>
    void
    give_ids(const DomainParameters &parameters, Triangulation<dim> &coarse)
    {
      using Id = unsigned int;
      give_ids<dim>(parameters.boundary_ids,
                    "Boundary ids",
                    [&](const Id id, const Function<dim> &is_there) {
                      unsigned int n_changed = 0;
                      for (const auto &cell : coarse.active_cell_iterators())
                        for (const auto f : cell->face_indices())
                          if (cell->at_boundary(f) &&
                              is_there.value(cell->face(f)->center()) != 0)
                            {
                              cell->face(f)->set_boundary_id(id);
                              ++n_changed;
                            }
                      return n_changed;
                    });
      give_ids<dim>(parameters.material_ids,
                    "Material ids",
                    [&](const Id id, const Function<dim> &is_there) {
                      unsigned int n_changed = 0;
                      for (const auto &cell : coarse.active_cell_iterators())
                        if (is_there.value(cell->center()) != 0)
                          {
                            cell->set_material_id(id);
                            ++n_changed;
                          }
                      return n_changed;
                    });
    }


    /** Gives the faces of a mesh made from data the ids that these have. */
    template <int dim>
    void
    give_ids(const MeshData                  &data,
             const std::vector<unsigned int> &vertex_of_node,
             const std::string               &origin,
             Triangulation<dim>              &coarse)
    {
      if (data.face_ids.empty())
        return;
      using Vertices = std::vector<unsigned int>;
      std::map<Vertices, unsigned int> id_of_face;
      const unsigned int               n = data.vertices_per_face();
      for (std::size_t face = 0; face < data.face_ids.size(); ++face)
        {
          Vertices vertices;
          for (unsigned int v = 0; v < n; ++v)
            vertices.push_back(vertex_of_node[data.faces[face * n + v]]);
          std::sort(vertices.begin(), vertices.end());
          id_of_face[vertices] = data.face_ids[face];
        }
      for (const auto &cell : coarse.active_cell_iterators())
        for (const auto f : cell->face_indices())
          if (cell->at_boundary(f))
            {
              Vertices vertices;
              for (unsigned int v = 0; v < n; ++v)
                vertices.push_back(cell->face(f)->vertex_index(v));
              std::sort(vertices.begin(), vertices.end());
              const auto found = id_of_face.find(vertices);
              if (found == id_of_face.end())
                throw Error(origin,
                            " has a face at its boundary, at (",
                            cell->face(f)->center(),
                            "), without a boundary id: a cell or an entry of "
                            "its faces is missing.");
              cell->face(f)->set_boundary_id(found->second);
            }
    }
  } // namespace


  template <int dim>
  BoundaryIds
  boundary_ids(const Triangulation<dim> &triangulation,
               const MPI_Comm            communicator)
  {
    const auto        own = triangulation.get_boundary_ids();
    const BoundaryIds ids(own.begin(), own.end());
    return Utilities::MPI::compute_set_union(ids, communicator);
  }


  template <int dim>
  std::set<types::material_id>
  material_ids(const Triangulation<dim> &triangulation,
               const MPI_Comm            communicator)
  {
    std::set<types::material_id> ids;
    for (const auto &cell : triangulation.active_cell_iterators())
      if (!cell->is_artificial())
        ids.insert(cell->material_id());
    return Utilities::MPI::compute_set_union(ids, communicator);
  }


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
      give_ids(parameters, coarse);
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
          if (!data.materials.empty())
            cell.material_id = data.materials[c];
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
      give_ids(data, vertex_of_node, origin, coarse);
    });
    distribute(coarse, communicator);
  }


#define INSTANTIATE(dim)                                                       \
  template decltype(boundary_ids<dim>) boundary_ids<dim>;                      \
  template decltype(material_ids<dim>) material_ids<dim>;
  INSTANTIATE(1)
  INSTANTIATE(2)
  INSTANTIATE(3)
#undef INSTANTIATE
  template class Mesh<1>;
  template class Mesh<2>;
  template class Mesh<3>;
} // namespace Evergreen
