// PointwiseGreedy with a device's engine instead of threads and slices.

#include <evergreen/base/collective.h>
#include <evergreen/dictionary/backends.h>
#include <evergreen/greedy/pointwise_engine.h>
#include <evergreen/greedy/pointwise_greedy.h>

#include <algorithm>

namespace Evergreen
{
  std::unique_ptr<PointwiseEngine>
  make_pointwise_engine(const std::string &backend)
  {
    if (backend == "cuda")
      return cuda_module().make_pointwise_engine();
    return nullptr;
  }


  void
  PointwiseGreedy::plan_on_engine(const std::size_t n_unfinished)
  {
    PointwiseEngine::Plan plan;
    collectively(comm, [&]() {
      PointwiseEngine::Problem problem;
      problem.rule           = rule;
      problem.c              = &coordinates->matrix();
      problem.dictionary     = dictionary;
      problem.parameters     = parameters;
      problem.n_rows         = coordinates->n_rows();
      problem.n_dot          = coordinates->n_dot();
      problem.n_data         = coordinates->n_data();
      problem.rank           = coordinates->rank();
      problem.has_validation = coordinates->has_validation();
      problem.max_own_atoms  = slice_atoms ? SliceAtoms::max_atoms : 0;
      engine->reinit(problem);
      plan = engine->plan(n_unfinished);
    });
    n_dictionaries = static_cast<std::size_t>(
      Collective::minimum(comm, double(plan.n_dictionaries)));
    n_group  = plan.n_slices;
    n_groups = static_cast<std::size_t>(
      Collective::maximum(comm,
                          double((n_unfinished + n_group - 1) / n_group)));
    count = 0;
    collectively(comm, [&]() { engine->reserve({n_dictionaries, n_group}); });
  }


  void
  PointwiseGreedy::make_dictionaries_on_engine(const std::size_t begin,
                                               const std::size_t n)
  {
    int n_ranks = 1;
    MPI_Comm_size(comm, &n_ranks);
    std::vector<double> numbers;
    collectively(comm, [&]() {
      engine->make_dictionaries(begin, first + begin, n);
      if (n_ranks == 1)
        return;
      numbers.resize(n * dictionary->size() * coordinates->n_rows());
      engine->get_coordinates(begin, n, numbers.data());
    });
    Collective::sum(comm, numbers.data(), numbers.size());
    collectively(comm, [&]() {
      if (n_ranks > 1)
        engine->set_coordinates(begin, n, numbers.data());
      engine->finish_dictionaries(begin, n);
    });
  }


  void
  PointwiseGreedy::start_on_engine(const std::vector<std::size_t> &group)
  {
    std::vector<PointwiseEngine::SliceStart> starts(group.size());
    for (std::size_t i = 0; i < group.size(); ++i)
      {
        starts[i].target      = coordinates->target(group[i]);
        starts[i].misfit      = coordinates->misfit(group[i]);
        starts[i].square_norm = coordinates->square_norm(group[i]);
        starts[i].n_own       = own_views[i].n_atoms;
        starts[i].own_h       = own_views[i].h;
        starts[i].own_norms   = own_views[i].norms;
      }
    engine->start(starts);
  }


  void
  PointwiseGreedy::learn_group_on_engine(const std::vector<std::size_t> &group,
                                         std::vector<Fit>               &fits)
  {
    make_own_atoms(group);
    collectively(comm, [&]() { start_on_engine(group); });
    for (std::size_t i = 0; i < max_neurons; i += n_dictionaries)
      {
        const std::size_t n = std::min(n_dictionaries, max_neurons - i);
        if (first != i || count != n)
          make_dictionaries(i, n);
        bool active = false;
        collectively(comm, [&]() { active = engine->advance(n); });
        if (Collective::maximum(comm, active) == 0)
          break;
      }

    std::vector<PointwiseEngine::SliceOutcome> outcomes;
    collectively(comm, [&]() { outcomes = engine->outcomes(); });
    for (std::size_t i = 0; i < group.size(); ++i)
      {
        Fit fit;
        fit.reason             = outcomes[i].reason;
        fit.chosen             = std::move(outcomes[i].chosen);
        fit.factor             = std::move(outcomes[i].factor);
        fit.projection         = std::move(outcomes[i].projection);
        fit.train_squares      = std::move(outcomes[i].train_squares);
        fit.validation_squares = std::move(outcomes[i].validation_squares);
        fit.finish(*parameters);
        fits[group[i]] = std::move(fit);
      }
  }
} // namespace Evergreen
