#include <evergreen/base/error.h>
#include <evergreen/fem/near_field.h>
#include <evergreen/fem/space_rule.h>

#include <deal.II/fe/fe_values.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <unordered_map>

namespace Evergreen
{
  using namespace dealii;

  namespace
  {
    // The relative error of the integrals near a singularity. It decides how
    // far "near" reaches, which in three dimensions costs the most.
    constexpr double near_tolerance    = 1e-5;
    constexpr double near_tolerance_3d = 1e-4;


    /** A rule on the owned nodes, without points so far. */
    template <int dim>
    DistributedRule
    empty_rule(const Space<dim> &space)
    {
      DistributedRule result;
      result.rule.dim = dim;
      result.n_owned  = space.n_local_nodes();
      result.nodes    = space.local_nodes();
      return result;
    }


    /** The rows of degrees of freedom; new ones are appended to the rule. */
    template <int dim>
    class Rows
    {
    public:
      /** With rows for the owned nodes that the rule has so far. */
      Rows(const Space<dim> &space, DistributedRule &rule)
        : space_(space), rule_(rule)
      {
        for (const auto node : rule.nodes)
          rows_.emplace(space.dof_of_node(node), rows_.size());
      }

      unsigned int
      operator()(const types::global_dof_index dof)
      {
        const auto [entry, is_new] = rows_.emplace(dof, rule_.nodes.size());
        if (is_new)
          rule_.nodes.push_back(space_.node_of_dof(dof));
        return entry->second;
      }

    private:
      const Space<dim>                                         &space_;
      DistributedRule                                          &rule_;
      std::unordered_map<types::global_dof_index, unsigned int> rows_;
    };


    /** The rule on the faces that take some data, and their nodes. */
    template <int dim>
    DistributedRule
    boundary_rule(const Space<dim> &space, const Input input)
    {
      DistributedRule result;
      result.rule.dim    = dim;
      const auto weights = boundary_weights(space, input);
      for (std::size_t i = 0; i < weights.size(); ++i)
        if (weights[i] > 0)
          result.nodes.push_back(space.local_nodes()[i]);
      result.n_owned = result.nodes.size();
      Rows<dim>                 row_of(space, result);
      std::vector<unsigned int> rows;
      std::vector<double>       entries;
      visit_boundary<dim>(space, input, [&](const FaceShapes<dim> &face) {
        rows.clear();
        for (const auto dof : face.dofs)
          rows.push_back(row_of(dof));
        for (const auto q : face.values.quadrature_point_indices())
          {
            entries.clear();
            for (const unsigned int k : face.shapes)
              entries.push_back(face.values.JxW(q) *
                                face.values.shape_value(k, q));
            result.rule.add_point(&face.values.quadrature_point(q)[0],
                                  rows.size(),
                                  rows.data(),
                                  entries.data());
          }
      });
      result.rule.n_rows = result.nodes.size();
      return result;
    }
  } // namespace


  QuadratureKind
  quadrature_kind(const std::string &name)
  {
    if (name == "fe")
      return QuadratureKind::finite_element;
    if (name == "monte-carlo")
      return QuadratureKind::monte_carlo;
    if (name == input_name(Input::boundary_values))
      return QuadratureKind::boundary_values;
    if (name == input_name(Input::boundary_fluxes))
      return QuadratureKind::boundary_fluxes;
    throw UsageError("There is no quadrature '",
                     name,
                     "': use fe or monte-carlo.");
  }


  Input
  input_of(const QuadratureKind kind)
  {
    switch (kind)
      {
        case QuadratureKind::boundary_values:
          return Input::boundary_values;
        case QuadratureKind::boundary_fluxes:
          return Input::boundary_fluxes;
        default:
          return Input::forcing;
      }
  }


  template <int dim>
  DistributedRule
  gauss_rule(const Space<dim> &space)
  {
    DistributedRule                      result = empty_rule(space);
    FEValues<dim>                        values(space.mapping(),
                         space.fe(),
                         space.quadrature(),
                         update_values | update_quadrature_points |
                           update_JxW_values);
    const unsigned int                   n = space.fe().n_dofs_per_cell();
    std::vector<types::global_dof_index> dofs(n);
    std::vector<unsigned int>            rows(n);
    std::vector<double>                  entries(n);
    Rows<dim>                            row_of(space, result);
    for (const auto &cell : space.dof_handler().active_cell_iterators())
      if (cell->is_locally_owned())
        {
          values.reinit(cell);
          cell->get_dof_indices(dofs);
          std::transform(dofs.begin(),
                         dofs.end(),
                         rows.begin(),
                         std::ref(row_of));
          for (const auto q : values.quadrature_point_indices())
            {
              for (unsigned int k = 0; k < n; ++k)
                entries[k] = values.JxW(q) * values.shape_value(k, q);
              result.rule.add_point(&values.quadrature_point(q)[0],
                                    n,
                                    rows.data(),
                                    entries.data());
            }
        }
    result.rule.n_rows = result.nodes.size();
    return result;
  }


  template <int dim>
  DistributedRule
  make_rule(const Space<dim> &space, const QuadratureKind kind)
  {
    if (kind == QuadratureKind::finite_element)
      {
        DistributedRule result = gauss_rule(space);
        result.rule.near_field =
          make_near_field(space.mapping(),
                          space.dof_handler(),
                          space.degree() + 1,
                          dim == 3 ? near_tolerance_3d : near_tolerance);
        return result;
      }
    if (input_of(kind) != Input::forcing)
      return boundary_rule(space, input_of(kind));

    // The owned nodes, with equal weights.
    DistributedRule result  = empty_rule(space);
    const auto      weights = nodal_weights(space);
    const double    measure =
      Utilities::MPI::sum(std::accumulate(weights.begin(), weights.end(), 0.),
                          space.communicator());
    const double weight = measure / space.n_nodes();
    for (unsigned int row = 0; row < result.n_owned; ++row)
      result.rule.add_point(&space.points()[result.nodes[row] * dim],
                            1,
                            &row,
                            &weight);
    result.rule.n_rows = result.n_owned;
    return result;
  }


  template <int dim>
  std::vector<double>
  nodal_weights(const Space<dim> &space)
  {
    FEValues<dim>                        values(space.mapping(),
                         space.fe(),
                         space.quadrature(),
                         update_values | update_JxW_values);
    const unsigned int                   n = space.fe().n_dofs_per_cell();
    std::vector<types::global_dof_index> dofs(n);
    auto weights = space.make_vector(/*ghosts=*/true);
    for (const auto &cell : space.dof_handler().active_cell_iterators())
      if (cell->is_locally_owned())
        {
          values.reinit(cell);
          cell->get_dof_indices(dofs);
          std::vector<double> squares(n, 0.);
          double              measure = 0;
          for (const auto q : values.quadrature_point_indices())
            {
              measure += values.JxW(q);
              for (unsigned int k = 0; k < n; ++k)
                squares[k] +=
                  std::pow(values.shape_value(k, q), 2) * values.JxW(q);
            }
          const double sum =
            std::accumulate(squares.begin(), squares.end(), 0.);
          for (unsigned int k = 0; k < n; ++k)
            weights(dofs[k]) += measure * squares[k] / sum;
        }
    weights.compress(VectorOperation::add);
    return std::vector<double>(weights.begin(),
                               weights.begin() + weights.locally_owned_size());
  }


  template <int dim>
  std::vector<double>
  all_nodal_weights(const Space<dim> &space, const Input input)
  {
    const auto          local = input == Input::forcing ? nodal_weights(space)
                                                        : boundary_weights(space, input);
    std::vector<double> all(space.n_nodes(), 0.);
    for (std::size_t i = 0; i < local.size(); ++i)
      all[space.local_nodes()[i]] = local[i];
    Utilities::MPI::sum(all, space.communicator(), all);
    return all;
  }


  template <int dim>
  const double *
  values_at_rows(const Space<dim>      &space,
                 const DistributedRule &rule,
                 const double          *columns,
                 const std::size_t      n_columns,
                 std::vector<double>   &buffer)
  {
    if (Utilities::MPI::n_mpi_processes(space.communicator()) == 1 &&
        rule.nodes.size() == space.n_local_nodes())
      return columns;
    buffer = space.values_at_nodes(rule.nodes, columns, n_columns);
    return buffer.data();
  }


#define INSTANTIATE(dim)                                                       \
  template decltype(gauss_rule<dim>)        gauss_rule<dim>;                   \
  template decltype(make_rule<dim>)         make_rule<dim>;                    \
  template decltype(values_at_rows<dim>)    values_at_rows<dim>;               \
  template decltype(nodal_weights<dim>)     nodal_weights<dim>;                \
  template decltype(all_nodal_weights<dim>) all_nodal_weights<dim>;
  INSTANTIATE(1)
  INSTANTIATE(2)
  INSTANTIATE(3)
#undef INSTANTIATE
} // namespace Evergreen
