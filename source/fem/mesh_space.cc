#include <evergreen/base/error.h>
#include <evergreen/fem/mesh_space.h>

#include <deal.II/dofs/dof_tools.h>
#include <deal.II/fe/fe_q.h>
#include <deal.II/fe/fe_simplex_p.h>

namespace Evergreen
{
  using namespace dealii;

  namespace
  {
    template <int dim>
    std::unique_ptr<FiniteElement<dim>>
    make_element(const ReferenceCell &reference_cell, const unsigned int degree)
    {
      if (degree < 1)
        throw UsageError("'Degree' in section 'Problem' must be at least 1.");
      if (reference_cell.is_hyper_cube())
        return std::make_unique<FE_Q<dim>>(degree);
      if (degree > 2)
        throw UsageError("'Degree' = ",
                         degree,
                         " is too high for triangles and tetrahedra: degrees "
                         "1 and 2 are possible.");
      return std::make_unique<FE_SimplexP<dim>>(degree);
    }


    /** Where on the boundary of a mesh the solutions of a problem are zero. */
    template <int dim>
    BoundaryIds
    zero_ids(const Mesh<dim> &mesh, const LinearProblem<dim> &problem)
    {
      BoundaryIds result;
      for (const auto id : mesh.boundary_ids())
        if (problem.vanishes_on(id))
          result.insert(id);
      return result;
    }
  } // namespace


  template <int dim>
  Internal::SpaceParts<dim>::SpaceParts(const Mesh<dim>   &mesh,
                                        const unsigned int degree,
                                        const BoundaryIds &zero_on)
    : element(make_element<dim>(mesh.reference_cell(), degree))
    , gauss(mesh.reference_cell().template get_gauss_type_quadrature<dim>(
        degree + 1))
    , dofs(mesh.triangulation())
  {
    dofs.distribute_dofs(*element);
    IndexSet relevant;
    DoFTools::extract_locally_relevant_dofs(dofs, relevant);
    zero_values.reinit(relevant);
    for (const auto id : zero_on)
      DoFTools::make_zero_boundary_constraints(dofs, id, zero_values);
    zero_values.close();
  }


  template <int dim>
  Internal::SpaceParts<dim>::SpaceParts(const Mesh<dim>   &mesh,
                                        const MeshData    &data,
                                        const std::string &origin)
    : SpaceParts(mesh, data.degree, BoundaryIds())
  {
    const Space<dim> free(dofs, mesh.mapping(), gauss, zero_values);
    const auto       nodes = free.match(data.points, origin);
    zero_values.reinit(free.locally_relevant_dofs());
    for (const auto node : data.boundary)
      if (const auto dof = free.dof_of_node(nodes[node]);
          free.locally_relevant_dofs().is_element(dof))
        zero_values.add_line(dof);
    zero_values.close();
  }


  template <int dim>
  MeshSpace<dim>::MeshSpace(const Mesh<dim>   &mesh,
                            const unsigned int degree,
                            const BoundaryIds &zero_on)
    : Internal::SpaceParts<dim>(mesh, degree, zero_on)
    , Space<dim>(this->dofs, mesh.mapping(), this->gauss, this->zero_values)
  {
    this->mesh_data(); // so that any rank may ask for it alone
  }


  template <int dim>
  MeshSpace<dim>::MeshSpace(const Mesh<dim>          &mesh,
                            const unsigned int        degree,
                            const LinearProblem<dim> &problem)
    : MeshSpace(mesh, degree, zero_ids(mesh, problem))
  {}


  template <int dim>
  MeshSpace<dim>::MeshSpace(const Mesh<dim>   &mesh,
                            const unsigned int degree,
                            const bool         zero_on_boundary)
    : MeshSpace(mesh,
                degree,
                zero_on_boundary ? mesh.boundary_ids() : BoundaryIds())
  {}


  template <int dim>
  MeshSpace<dim>::MeshSpace(const Mesh<dim>   &mesh,
                            const MeshData    &data,
                            const std::string &origin)
    : Internal::SpaceParts<dim>(mesh, data, origin)
    , Space<dim>(this->dofs,
                 mesh.mapping(),
                 this->gauss,
                 this->zero_values,
                 &data,
                 origin)
  {
    this->mesh_data(); // so that any rank may ask for it alone
  }


  template class MeshSpace<1>;
  template class MeshSpace<2>;
  template class MeshSpace<3>;
} // namespace Evergreen
