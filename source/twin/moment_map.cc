#include <evergreen/base/collective.h>
#include <evergreen/base/error.h>
#include <evergreen/twin/moment_map.h>
#include <evergreen/twin/twin_data.h>

#include <deal.II/base/mpi.h>

#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>

namespace Evergreen
{
  using namespace dealii;

  namespace
  {
    using Row = std::map<std::uint32_t, double>;

    /** A few entries that numbers are added to. */
    void
    add(HatFunctions::Weights &entries,
        const std::uint32_t    index,
        const double           value)
    {
      for (auto &[other, sum] : entries)
        if (other == index)
          {
            sum += value;
            return;
          }
      entries.emplace_back(index, value);
    }
  } // namespace


  template <int dim>
  MomentMap<dim>::MomentMap(const Space<dim> &space)
    : space_(space), is_own_(true), integrals_(space.n_nodes())
  {
    const std::vector<double> ones(space.n_local_nodes(), 1.);
    integrals_ = integrate(ones.data(), 1);
    // Constrained nodes have no moments.
    for (double &integral : integrals_)
      integral = integral > 0 ? integral : 1.;
  }


  template <int dim>
  MomentMap<dim>::MomentMap(const Space<dim> &space, const MeshData &mesh)
    : space_(space), is_own_(false)
  {
    std::unique_ptr<HatFunctions> hats;
    collectively(space.communicator(),
                 [&]() { hats = std::make_unique<HatFunctions>(mesh); });
    assemble(*hats);
    const std::vector<double> ones(space.n_local_nodes(), 1.);
    integrals_ = integrate(ones.data(), 1);
    for (double &integral : integrals_)
      integral = integral > 0 ? integral : 1.; // outside of the space's domain
  }


  template <int dim>
  void
  MomentMap<dim>::assemble(const HatFunctions &hats)
  {
    std::vector<types::global_dof_index> dofs(space_.fe().n_dofs_per_cell());
    const auto                           for_cells = [&](const auto &action) {
      for (const auto &cell : space_.dof_handler().active_cell_iterators())
        if (cell->is_locally_owned())
          {
            cell->get_dof_indices(dofs);
            action(cell);
          }
    };

    // The columns of this rank: the nodes of its cells, its own ones first.
    std::map<types::global_dof_index, std::size_t> other_columns;
    const IndexSet &owned = space_.locally_owned_dofs();
    nodes_                = space_.local_nodes();
    const auto column_of  = [&](const types::global_dof_index dof) {
      if (owned.is_element(dof))
        return static_cast<std::size_t>(owned.index_within_set(dof));
      const auto [place, is_new] = other_columns.emplace(dof, nodes_.size());
      if (is_new)
        nodes_.push_back(space_.node_of_dof(dof));
      return place->second;
    };
    for_cells([&](const auto &) {
      for (const auto dof : dofs)
        column_of(dof);
    });
    std::vector<HatFunctions::Weights> hats_at(nodes_.size());
    collectively(space_.communicator(), [&]() {
      tbb::parallel_for(std::size_t(0), nodes_.size(), [&](std::size_t c) {
        const Point<dim> point = space_.point(nodes_[c]);
        hats_at[c]             = hats.at(point.begin_raw());
      });
    });

    FEValues<dim>                      values(space_.mapping(),
                         space_.fe(),
                         space_.quadrature(),
                         update_values | update_JxW_values);
    const unsigned int                 n = dofs.size();
    std::vector<HatFunctions::Weights> columns(nodes_.size());
    for_cells([&](const auto &cell) {
      values.reinit(cell);
      std::vector<std::size_t> column;
      for (const auto dof : dofs)
        column.push_back(column_of(dof));
      // The hats at the quadrature points are those at the nodes, interpolated.
      for (const auto q : values.quadrature_point_indices())
        {
          HatFunctions::Weights hats_here;
          for (unsigned int i = 0; i < n; ++i)
            for (const auto &[k, weight] : hats_at[column[i]])
              add(hats_here, k, weight * values.shape_value(i, q));
          for (unsigned int j = 0; j < n; ++j)
            for (const auto &[k, weight] : hats_here)
              add(columns[column[j]],
                  k,
                  weight * values.shape_value(j, q) * values.JxW(q));
        }
    });

    std::vector<HatFunctions::Weights> rows(hats.mesh().n_nodes());
    for (std::size_t c = 0; c < columns.size(); ++c)
      for (const auto &[k, value] : columns[c])
        rows[k].emplace_back(c, value);
    matrix_.n_columns = nodes_.size();
    for (const auto &row : rows)
      matrix_.add_row(row);
    make_mass_matrix(hats_at);
  }


  /** The mass matrix of the interpolated hats. */
  template <int dim>
  void
  MomentMap<dim>::make_mass_matrix(
    const std::vector<HatFunctions::Weights> &hats_of_column)
  {
    std::vector<Row> rows(matrix_.n_rows());
    for (std::size_t k = 0; k < matrix_.n_rows(); ++k)
      for (std::size_t e = matrix_.starts[k]; e < matrix_.starts[k + 1]; ++e)
        for (const auto &[l, weight] : hats_of_column[matrix_.columns[e]])
          rows[k][l] += weight * matrix_.values[e];
    if (Utilities::MPI::n_mpi_processes(space_.communicator()) > 1)
      {
        const auto parts =
          Utilities::MPI::all_gather(space_.communicator(), rows);
        rows.assign(matrix_.n_rows(), Row());
        for (const auto &part : parts)
          for (std::size_t k = 0; k < rows.size(); ++k)
            for (const auto &[l, value] : part[k])
              rows[k][l] += value;
      }
    mass_.n_columns = rows.size();
    for (const Row &row : rows)
      mass_.add_row({row.begin(), row.end()});
  }


  /** The integrals, on all ranks. */
  template <int dim>
  std::vector<double>
  MomentMap<dim>::integrate(const double *columns, const std::size_t n) const
  {
    std::vector<double> result;
    if (is_own_)
      {
        const std::size_t   n_local = space_.n_local_nodes();
        std::vector<double> local(n_local * n);
        space_.multiply_by_mass(columns, local.data(), n);
        space_.condense(local.data(), n);
        result.assign(space_.n_nodes() * n, 0.);
        for (std::size_t j = 0; j < n; ++j)
          for (std::size_t i = 0; i < n_local; ++i)
            result[j * space_.n_nodes() + space_.local_nodes()[i]] =
              local[j * n_local + i];
      }
    else
      {
        std::vector<double> ghosted;
        if (Utilities::MPI::n_mpi_processes(space_.communicator()) > 1)
          {
            ghosted = space_.values_at_nodes(nodes_, columns, n);
            columns = ghosted.data();
          }
        result.resize(matrix_.n_rows() * n);
        matrix_.multiply(columns, result.data(), n);
      }
    Collective::sum(space_.communicator(), result);
    return result;
  }


  template <int dim>
  std::vector<double>
  MomentMap<dim>::apply(const double *columns, const std::size_t n) const
  {
    auto result = integrate(columns, n);
    for (std::size_t j = 0; j < n; ++j)
      for (std::size_t k = 0; k < n_moments(); ++k)
        result[j * n_moments() + k] /= integrals_[k];
    return result;
  }


  template <int dim>
  std::vector<double>
  MomentMap<dim>::unseen_shares(const double     *columns,
                                const std::size_t n) const
  {
    std::vector<double> shares(n, 0.);
    if (is_own_)
      return shares;
    const auto        moments = integrate(columns, n);
    const std::size_t m       = n_moments();
    const auto        squares =
      space_.square_norms({columns, columns + n * space_.n_local_nodes()}, n);
    for (std::size_t j = 0; j < n; ++j)
      if (squares[j] > 0)
        {
          const double seen = seen_square_norm(mass_,
                                               {moments.begin() + j * m,
                                                moments.begin() + (j + 1) * m});
          shares[j]         = std::sqrt(std::max(0., 1 - seen / squares[j]));
        }
    return shares;
  }


  template class MomentMap<1>;
  template class MomentMap<2>;
  template class MomentMap<3>;
} // namespace Evergreen
