#include <evergreen/base/collective.h>
#include <evergreen/base/error.h>
#include <evergreen/fem/functions.h>
#include <evergreen/twin/twin.h>

#include <algorithm>
#include <limits>

namespace Evergreen
{
  using namespace dealii;

  namespace
  {
    // Forcings of which so many times more is unseen than of any in the
    // training are too rough.
    constexpr double too_rough = 1.5;

    // Less is never too much: a training whose forcings are seen completely, on
    // a mesh that is hardly coarser than the solver's, allows other ones.
    constexpr double hardly_unseen = 0.01;


    /**
     * The nodes whose values a row of the solver's equations relates: those of
     * each cell, with constrained ones replaced by what they depend on.
     */
    template <int dim>
    NodeGraph
    coupled_nodes(const Space<dim> &space)
    {
      std::vector<std::vector<std::size_t>> cells;
      std::vector<types::global_dof_index>  dofs(space.fe().n_dofs_per_cell());
      for (const auto &cell : space.dof_handler().active_cell_iterators())
        if (cell->is_locally_owned())
          {
            cell->get_dof_indices(dofs);
            std::vector<std::size_t> nodes;
            for (const auto dof : dofs)
              if (!space.constraints().is_constrained(dof))
                nodes.push_back(space.node_of_dof(dof));
              else
                for (const auto &[other, weight] :
                     *space.constraints().get_constraint_entries(dof))
                  nodes.push_back(space.node_of_dof(other));
            cells.push_back(nodes);
          }
      std::vector<std::vector<std::size_t>> all;
      for (const auto &part :
           Utilities::MPI::all_gather(space.communicator(), cells))
        all.insert(all.end(), part.begin(), part.end());
      return NodeGraph::of_cells(space.n_nodes(), all);
    }


    template <int dim>
    TwinMesh
    own_mesh(const Space<dim> &space, const MomentMap<dim> &moments)
    {
      TwinMesh result;
      result.mesh   = space.mesh_data();
      result.is_own = true;
      result.graph  = coupled_nodes(space);
      result.families.push_back({MomentWidth::full,
                                 result.graph,
                                 result.mesh.points,
                                 moments.integrals(),
                                 {}});
      return result;
    }


    MeshData
    mesh_of_narrow_hats(const MeshData &mesh)
    {
      return refine(mesh).mesh;
    }
  } // namespace


  template <int dim>
  NodeValues<dim>::NodeValues(const Space<dim> &space)
    : space_(space), free_(space.free_nodes())
  {
    std::vector<HatFunctions::Weights> rows(space.n_nodes());
    for (std::size_t i = 0; i < space.n_local_nodes(); ++i)
      rows[space.local_nodes()[i]].emplace_back(i, 1.);
    matrix_.n_columns = space.n_local_nodes();
    for (const auto &row : rows)
      matrix_.add_row(row);
  }


  template <int dim>
  NodeValues<dim>::NodeValues(const Space<dim>          &space,
                              const std::vector<double> &points)
    : space_(space)
  {
    std::vector<Point<dim>> places(points.size() / dim);
    for (std::size_t p = 0; p < places.size(); ++p)
      std::copy_n(&points[p * dim], dim, places[p].begin_raw());
    const auto      weights = Interpolation<dim>(space).weights(places);
    const IndexSet &owned   = space.locally_owned_dofs();
    matrix_.n_columns       = space.n_local_nodes();
    for (std::size_t p = 0; p < places.size(); ++p)
      {
        HatFunctions::Weights row;
        for (const auto &[node, weight] : weights[p])
          if (const auto dof = space.dof_of_node(node); owned.is_element(dof))
            row.emplace_back(owned.index_within_set(dof), weight);
        matrix_.add_row(row);
        if (!weights[p].empty())
          free_.push_back(p);
      }
  }


  template <int dim>
  std::vector<double>
  NodeValues<dim>::apply(const double *columns, const std::size_t n) const
  {
    std::vector<double> values(matrix_.n_rows() * n);
    matrix_.multiply(columns, values.data(), n);
    Collective::sum(space_.communicator(), values);
    return values;
  }


  template <int dim>
  Twin<dim>::Twin(const Space<dim> &space, const TwinParameters &parameters)
    : space_(space)
    , parameters_(parameters)
    , values_(std::make_unique<NodeValues<dim>>(space))
    , moments_(std::make_unique<MomentMap<dim>>(space))
  {
    data_.mesh = own_mesh(space, *moments_);
    data_.free = values_->free();
  }


  template <int dim>
  Twin<dim>::Twin(const Space<dim>     &space,
                  const MeshData       &coarse_mesh,
                  const TwinParameters &parameters)
    : space_(space), parameters_(parameters)
  {
    if (coarse_mesh.dim != dim)
      throw Error("The mesh of the twin is of dimension ",
                  coarse_mesh.dim,
                  ", but its solver works in dimension ",
                  dim,
                  ".");
    collectively(space.communicator(),
                 [&]() { data_.mesh = TwinMesh::coarse(coarse_mesh); });
    values_ = std::make_unique<NodeValues<dim>>(space, coarse_mesh.points);
    moments_ =
      std::make_unique<MomentMap<dim>>(space, mesh_of_narrow_hats(coarse_mesh));
    data_.mesh.set_integrals(moments_->integrals());
    data_.free = values_->free();
  }


  template <int dim>
  void
  Twin<dim>::reduce(const double     *forcings,
                    const double     *solutions,
                    const std::size_t n)
  {
    const auto append = [](std::vector<double>       &all,
                           const std::vector<double> &some) {
      all.insert(all.end(), some.begin(), some.end());
    };
    append(data_.values, values_->apply(solutions, n));
    append(data_.moments, moments_->apply(forcings, n));
    append(data_.unseen, moments_->unseen_shares(forcings, n));
    data_.n_samples += n;
  }


  template <int dim>
  void
  Twin<dim>::reduce()
  {
    const std::size_t n = space_.n_local_nodes() * waiting_.n_samples;
    collectively(space_.communicator(), [&]() {
      if (waiting_.forcings.size() != n || waiting_.solutions.size() != n)
        throw Error("The vectors of a pair have ",
                    waiting_.forcings.size() / waiting_.n_samples,
                    " and ",
                    waiting_.solutions.size() / waiting_.n_samples,
                    " local entries, but their space has ",
                    space_.n_local_nodes(),
                    " local nodes.");
    });
    reduce(waiting_.forcings.data(),
           waiting_.solutions.data(),
           waiting_.n_samples);
    waiting_ = Samples();
  }


  template <int dim>
  void
  Twin<dim>::add(const Samples &samples)
  {
    if (samples.input != Input::forcing)
      throw Error("A twin is learned from forcings, but these samples have ",
                  input_words(samples.input),
                  ": generate them with 'Forcing/Input = forcing'.");
    const std::size_t n = space_.n_local_nodes();
    for (std::size_t j = 0; j < samples.n_samples; j += n_at_once)
      reduce(samples.forcings.data() + j * n,
             samples.solutions.data() + j * n,
             std::min(n_at_once, samples.n_samples - j));
  }


  template <int dim>
  const TwinData &
  Twin<dim>::data()
  {
    if (waiting_.n_samples > 0)
      reduce();
    return data_;
  }


  template <int dim>
  LearnedTwin
  Twin<dim>::learn(const TwinObserver &observer)
  {
    return learn_twin(data(), parameters_, space_.communicator(), observer);
  }


  template <int dim>
  TwinSolver<dim>::TwinSolver(const LearnedTwin &twin, const Space<dim> &space)
    : space_(space), operator_(twin)
  {
    if (!twin.is_own)
      moments_ = std::make_unique<MomentMap<dim>>(space, mesh_of_hats(twin));
    else if (twin.mesh.points == space.mesh_data().points)
      moments_ = std::make_unique<MomentMap<dim>>(space);
    else
      throw Error(
        "The twin is one on the mesh of its solver, and the nodes of "
        "this mesh are others.");
  }


  template <int dim>
  void
  TwinSolver<dim>::check_size(const std::size_t n_local) const
  {
    collectively(space_.communicator(), [&]() {
      if (n_local != space_.n_local_nodes())
        throw Error("The forcing has ",
                    n_local,
                    " local entries, but its space has ",
                    space_.n_local_nodes(),
                    " local nodes.");
    });
  }


  template <int dim>
  void
  TwinSolver<dim>::apply(const double     *forcings,
                         double           *answers,
                         const std::size_t n) const
  {
    operator_.apply(moments_->apply(forcings, n).data(), answers, n);
    if (!operator_.twin().is_own || !space_.has_coupled_constraints())
      return;
    // Hanging nodes have values, too.
    const std::size_t m = operator_.n_nodes(), n_local = space_.n_local_nodes();
    std::vector<double> columns;
    for (std::size_t j = 0; j < n; ++j)
      for (const std::size_t node : space_.local_nodes())
        columns.push_back(answers[j * m + node]);
    space_.distribute(columns.data(), n);
    std::fill_n(answers, m * n, 0.);
    for (std::size_t j = 0; j < n; ++j)
      for (std::size_t i = 0; i < n_local; ++i)
        answers[j * m + space_.local_nodes()[i]] = columns[j * n_local + i];
    Collective::sum(space_.communicator(), answers, m * n);
  }


  template <int dim>
  std::vector<double>
  TwinSolver<dim>::unseen_shares(const double     *forcings,
                                 const std::size_t n) const
  {
    const LearnedTwin &twin = operator_.twin();
    if (twin.is_own || twin.choice.width == MomentWidth::half)
      return moments_->unseen_shares(forcings, n);
    if (finest_ == nullptr)
      finest_ =
        std::make_unique<MomentMap<dim>>(space_,
                                         mesh_of_narrow_hats(twin.mesh));
    return finest_->unseen_shares(forcings, n);
  }


  template <int dim>
  TwinOperator::Function
  as_plain_function(const Function<dim> &function)
  {
    return [&function](const double *coordinates) {
      Point<dim> point;
      std::copy_n(coordinates, dim, point.begin_raw());
      return function.value(point);
    };
  }


  bool
  is_rough(const LearnedTwin &twin, const double unseen)
  {
    return twin.unseen >= 0 &&
           unseen > too_rough * std::max(twin.unseen, hardly_unseen);
  }


#define INSTANTIATE(dim)                                                       \
  template class NodeValues<dim>;                                              \
  template class Twin<dim>;                                                    \
  template class TwinSolver<dim>;                                              \
  template TwinOperator::Function as_plain_function(const Function<dim> &);
  INSTANTIATE(1)
  INSTANTIATE(2)
  INSTANTIATE(3)
#undef INSTANTIATE
} // namespace Evergreen
