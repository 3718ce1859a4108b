#include <evergreen/base/error.h>
#include <evergreen/dictionary/near_field.h>
#include <evergreen/learning/learning_data.h>

#include <deal.II/fe/fe_values.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

namespace Evergreen
{
  using namespace dealii;

  namespace
  {
    template <int dim>
    DistributedRule
    make_nodal_rule(const Space<dim> &space)
    {
      const auto weights = nodal_weights(space);
      double     measure = 0;
      for (const double w : weights)
        measure += w;
      measure = Utilities::MPI::sum(measure, space.communicator());

      DistributedRule     result;
      std::vector<double> points;
      for (const auto node : space.local_nodes())
        for (unsigned int d = 0; d < dim; ++d)
          points.push_back(space.mesh_data().points[node * dim + d]);
      result.rule =
        diagonal_rule(dim,
                      points,
                      std::vector<double>(space.n_local_nodes(),
                                          measure / space.n_nodes()));
      result.n_owned = space.n_local_nodes();
      result.nodes   = space.local_nodes();
      return result;
    }


    // The relative error of the integrals near a singularity. It decides how
    // far "near" reaches, which in three dimensions costs the most.
    constexpr double near_tolerance    = 1e-5;
    constexpr double near_tolerance_3d = 1e-4;


    /** The quadrature near singularities, with no cells yet. */
    template <int dim>
    std::shared_ptr<NearField>
    make_near_field(const Space<dim> &space)
    {
      std::vector<double> nodes;
      for (const Point<dim> &node : space.fe().get_unit_support_points())
        for (unsigned int d = 0; d < dim; ++d)
          nodes.push_back(node[d]);
      const auto shape_value = [&](const unsigned int k, const double *x) {
        Point<dim> point;
        for (unsigned int d = 0; d < dim; ++d)
          point[d] = x[d];
        return space.fe().shape_value(k, point);
      };
      return std::make_shared<NearField>(
        dim,
        !space.fe().reference_cell().is_hyper_cube(),
        space.fe().n_dofs_per_cell(),
        shape_value,
        nodes,
        space.degree() + 1,
        dim == 3 ? near_tolerance_3d : near_tolerance);
    }
  } // namespace


  template <int dim>
  DistributedRule
  make_rule(const Space<dim> &space, const bool monte_carlo)
  {
    if (monte_carlo)
      return make_nodal_rule(space);

    DistributedRule result;
    result.n_owned    = space.n_local_nodes();
    result.nodes      = space.local_nodes();
    const auto &owned = space.locally_owned_dofs();
    std::map<types::global_dof_index, unsigned int> ghost_rows;
    const auto row_of = [&](const types::global_dof_index dof) {
      if (owned.is_element(dof))
        return static_cast<unsigned int>(owned.index_within_set(dof));
      const auto [entry, is_new] = ghost_rows.emplace(dof, result.nodes.size());
      if (is_new)
        result.nodes.push_back(space.node_of_dof(dof));
      return entry->second;
    };

    FEValues<dim>                        values(space.mapping(),
                         space.fe(),
                         space.quadrature(),
                         update_values | update_quadrature_points |
                           update_JxW_values);
    const unsigned int                   n = space.fe().n_dofs_per_cell();
    std::vector<types::global_dof_index> dofs(n);
    std::vector<unsigned int>            rows(n);
    std::vector<double>                  entries(n);
    result.rule.dim       = dim;
    const auto near_field = make_near_field(space);
    for (const auto &cell : space.dof_handler().active_cell_iterators())
      if (cell->is_locally_owned())
        {
          values.reinit(cell);
          cell->get_dof_indices(dofs);
          std::transform(dofs.begin(), dofs.end(), rows.begin(), row_of);
          for (const auto q : values.quadrature_point_indices())
            {
              double point[dim];
              for (unsigned int d = 0; d < dim; ++d)
                point[d] = values.quadrature_point(q)[d];
              for (unsigned int k = 0; k < n; ++k)
                entries[k] = values.JxW(q) * values.shape_value(k, q);
              result.rule.add_point(point, n, rows.data(), entries.data());
            }
          std::vector<double> vertices;
          for (const auto v : cell->vertex_indices())
            for (unsigned int d = 0; d < dim; ++d)
              vertices.push_back(cell->vertex(v)[d]);
          near_field->add_cell(vertices.data(),
                               rows.data(),
                               result.rule.n_points() -
                                 values.n_quadrature_points,
                               values.n_quadrature_points);
        }
    result.rule.n_rows     = result.nodes.size();
    result.rule.near_field = near_field;
    return result;
  }


  template <int dim>
  std::vector<double>
  nodal_weights(const Space<dim> &space)
  {
    FEValues<dim>                              values(space.mapping(),
                         space.fe(),
                         space.quadrature(),
                         update_values | update_JxW_values);
    const unsigned int                         n = space.fe().n_dofs_per_cell();
    std::vector<types::global_dof_index>       dofs(n);
    LinearAlgebra::distributed::Vector<double> weights(
      space.locally_owned_dofs(),
      space.locally_relevant_dofs(),
      space.communicator());
    for (const auto &cell : space.dof_handler().active_cell_iterators())
      if (cell->is_locally_owned())
        {
          values.reinit(cell);
          cell->get_dof_indices(dofs);
          std::vector<double> squares(n, 0.);
          double              measure = 0, sum = 0;
          for (const auto q : values.quadrature_point_indices())
            {
              measure += values.JxW(q);
              for (unsigned int k = 0; k < n; ++k)
                squares[k] +=
                  std::pow(values.shape_value(k, q), 2) * values.JxW(q);
            }
          for (const double square : squares)
            sum += square;
          for (unsigned int k = 0; k < n; ++k)
            weights(dofs[k]) += measure * squares[k] / sum;
        }
    weights.compress(VectorOperation::add);
    return std::vector<double>(weights.begin(),
                               weights.begin() + weights.locally_owned_size());
  }


  template <int dim>
  std::vector<double>
  all_nodal_weights(const Space<dim> &space)
  {
    const auto          local = nodal_weights(space);
    std::vector<double> all(space.n_nodes(), 0.);
    for (std::size_t i = 0; i < local.size(); ++i)
      all[space.local_nodes()[i]] = local[i];
    Utilities::MPI::sum(all, space.communicator(), all);
    return all;
  }


  std::vector<double>
  read_columns(const DatasetReader            &reader,
               const Split                     split,
               const Quantity                  quantity,
               const std::vector<std::size_t> &nodes)
  {
    const auto          samples = reader.valid_samples(split);
    std::vector<double> columns(nodes.size() * samples.size());
    std::vector<double> row(reader.mesh().n_nodes());
    for (std::size_t j = 0; j < samples.size(); ++j)
      {
        if (quantity == Quantity::forcing)
          reader.read_forcings(split, samples[j], 1, row.data());
        else
          reader.read_solutions(split, samples[j], 1, row.data());
        for (std::size_t i = 0; i < nodes.size(); ++i)
          columns[j * nodes.size() + i] = row[nodes[i]];
      }
    return columns;
  }


  std::vector<std::int64_t>
  response_nodes(const MeshData                         &mesh,
                 const std::vector<std::vector<double>> &sensors)
  {
    const auto candidates = free_nodes(mesh);
    if (candidates.empty())
      throw Error(
        "The dataset has no node at which the solution could be "
        "learned: all of them are boundary nodes.");
    if (sensors.empty())
      return candidates;

    std::vector<std::int64_t> nodes;
    for (const auto &sensor : sensors)
      {
        if (sensor.size() != mesh.dim)
          throw UsageError("A point of 'Sensors' in section 'Greedy' has ",
                           sensor.size(),
                           " coordinates, but the domain has dimension ",
                           mesh.dim,
                           ".");
        const auto square_distance = [&](const std::int64_t node) {
          double square = 0;
          for (unsigned int d = 0; d < mesh.dim; ++d)
            square += std::pow(mesh.points[node * mesh.dim + d] - sensor[d], 2);
          return square;
        };
        nodes.push_back(*std::min_element(candidates.begin(),
                                          candidates.end(),
                                          [&](const auto a, const auto b) {
                                            return square_distance(a) <
                                                   square_distance(b);
                                          }));
      }
    std::sort(nodes.begin(), nodes.end());
    nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
    return nodes;
  }


  template DistributedRule
  make_rule(const Space<1> &, const bool);
  template DistributedRule
  make_rule(const Space<2> &, const bool);
  template DistributedRule
  make_rule(const Space<3> &, const bool);
  template std::vector<double>
  nodal_weights(const Space<1> &);
  template std::vector<double>
  nodal_weights(const Space<2> &);
  template std::vector<double>
  nodal_weights(const Space<3> &);
  template std::vector<double>
  all_nodal_weights(const Space<1> &);
  template std::vector<double>
  all_nodal_weights(const Space<2> &);
  template std::vector<double>
  all_nodal_weights(const Space<3> &);
} // namespace Evergreen
