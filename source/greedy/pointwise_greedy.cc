#include <evergreen/base/blas.h>
#include <evergreen/base/collective.h>
#include <evergreen/base/error.h>
#include <evergreen/dictionary/simd.h>
#include <evergreen/greedy/pointwise_greedy.h>

#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <mutex>

namespace Evergreen
{
  namespace
  {
    // The bases that one thread works on should stay in this many bytes, on
    // average over the iterations; more slices read the dictionaries less
    // often.
    constexpr std::size_t cache_per_thread = std::size_t(8) << 20;

    // Dictionaries are made this many at a time: enough work for all threads,
    // and still in cache when their norms are computed.
    constexpr std::size_t dictionaries_per_call = 8;

    // A group of slices has this many tasks for each thread, to share them out
    // evenly.
    constexpr std::size_t tasks_per_thread = 2;


    double
    seconds_since(const std::chrono::steady_clock::time_point start)
    {
      return std::chrono::duration<double>(std::chrono::steady_clock::now() -
                                           start)
        .count();
    }


    // The list of atoms of rank root, on all ranks.
    AtomList
    broadcast(const MPI_Comm comm, const int root, const AtomList &atoms)
    {
      std::vector<double> kinds(atoms.size());
      std::transform(atoms.kinds.begin(),
                     atoms.kinds.end(),
                     kinds.begin(),
                     [](const AtomKind kind) { return double(int(kind)); });
      AtomList result = atoms;
      Collective::broadcast(comm, root, kinds);
      Collective::broadcast(comm, root, result.weights);
      Collective::broadcast(comm, root, result.biases);
      result.kinds.resize(kinds.size());
      std::transform(kinds.begin(),
                     kinds.end(),
                     result.kinds.begin(),
                     [](const double kind) { return AtomKind(int(kind)); });
      return result;
    }


    // One search: the correlations of a task's active slices in the wanted
    // precision, with as many rows as they need, then the next atom of each.
    // Adds to the seconds.
    template <typename Number>
    void
    advance_slices(const Evaluator             &evaluator,
                   const DictionaryView        &view,
                   const Number                *h,
                   const std::size_t            n_dot,
                   const std::size_t            ldh,
                   const std::vector<Slice *>  &active,
                   std::vector<const Number *> &residuals,
                   std::vector<Number>         &correlations,
                   StepSeconds                 &seconds)
    {
      const auto  start      = std::chrono::steady_clock::now();
      std::size_t n_searched = 0;
      for (const Slice *slice : active)
        n_searched = std::max(n_searched, slice->levels_to_search(view));
      correlations.resize(active.size() * view.n_atoms);
      evaluator.correlations(std::min(n_dot, n_searched * rows_per_level),
                             h,
                             ldh,
                             view.n_atoms,
                             residuals.data(),
                             active.size(),
                             correlations.data());
      const double search = seconds_since(start);
      for (std::size_t i = 0; i < active.size(); ++i)
        active[i]->advance(view,
                           correlations.data() + i * view.n_atoms,
                           n_searched);
      seconds.search += search;
      seconds.projection += seconds_since(start) - search;
    }
  } // namespace


  PointwiseGreedy::PointwiseGreedy(const QuadratureRule   &quadrature_rule,
                                   const Coordinates      &all_coordinates,
                                   const Dictionary       &dictionaries,
                                   const GreedyParameters &run_parameters,
                                   const MPI_Comm          communicator)
    : rule(&quadrature_rule)
    , coordinates(&all_coordinates)
    , dictionary(&dictionaries)
    , parameters(&run_parameters)
    , comm(communicator)
  {
    collectively(comm, [&]() {
      parameters->check();
      if (rule->dim != dictionary->dim())
        throw Error("The atoms have ",
                    dictionary->dim(),
                    " variables, but the quadrature points ",
                    rule->dim,
                    " coordinates.");
      engine = make_pointwise_engine(parameters->backend);
      if (engine)
        return;
      evaluator = make_evaluator(parameters->backend);
      evaluator->reinit(*rule, coordinates->matrix(), coordinates->n_rows());
    });
    max_neurons =
      std::min<std::size_t>(parameters->n_neurons, coordinates->rank());
  }


  void
  PointwiseGreedy::add_slice_atoms(const SliceAtoms          &atoms,
                                   const std::vector<double> &points)
  {
    slice_atoms     = &atoms;
    response_points = &points;
  }


  void
  PointwiseGreedy::plan(const std::size_t n_unfinished)
  {
    const std::size_t n_rows = coordinates->n_rows();
    const std::size_t dictionary_bytes =
      n_rows * dictionary->size() * (sizeof(double) + sizeof(float));
    const std::size_t n_own = slice_atoms ? SliceAtoms::max_atoms : 0;
    const std::size_t slice_bytes =
      std::max<std::size_t>(1, n_rows * (max_neurons + n_own + 2) * 8);
    const std::size_t memory = parameters->memory;

    n_dictionaries = max_neurons;
    if (n_dictionaries * dictionary_bytes > memory / 10 * 8)
      n_dictionaries =
        std::max<std::size_t>(1, memory / 10 * 3 / dictionary_bytes);
    n_dictionaries = std::min(n_dictionaries, max_neurons);
    n_dictionaries = static_cast<std::size_t>(
      Collective::minimum(comm, double(n_dictionaries)));

    const std::size_t n_threads =
      std::min<std::size_t>(tbb::this_task_arena::max_concurrency(),
                            tbb::global_control::active_value(
                              tbb::global_control::max_allowed_parallelism));
    const std::size_t used = n_dictionaries * dictionary_bytes;
    n_group = (used < memory) ? (memory - used) / slice_bytes : 0;
    n_group = std::max<std::size_t>(std::min(n_group, n_unfinished), 1);
    n_task  = parameters->slices_per_task;
    if (n_task == 0)
      {
        n_task =
          std::clamp<std::size_t>(2 * cache_per_thread / slice_bytes, 6, 36);
        n_task = std::min(n_task, (n_group + n_threads - 1) / n_threads);
      }
    // With all dictionaries at hand large groups would only need new memory;
    // else each group makes the dictionaries again.
    if (n_dictionaries == max_neurons)
      n_group = std::min({n_group,
                          parameters->slices_per_report,
                          tasks_per_thread * n_threads * n_task});
    n_groups = static_cast<std::size_t>(
      Collective::maximum(comm,
                          double((n_unfinished + n_group - 1) / n_group)));

    const std::size_t n_numbers = n_dictionaries * dictionary->size() * n_rows;
    if (n_numbers != h.size())
      count = 0;
    h.resize(n_numbers);
    h_single.resize(n_numbers);
    bases.resize(n_group * n_rows * max_neurons);
  }


  void
  PointwiseGreedy::make_dictionaries(const std::size_t first_iteration,
                                     const std::size_t n)
  {
    const auto start = std::chrono::steady_clock::now();
    norms.resize(n * dictionary->size() * n_levels(coordinates->n_dot()));
    views.assign(n, DictionaryView());
    first = first_iteration;
    count = n;
    for (std::size_t i = 0; i < n; i += dictionaries_per_call)
      make_dictionaries_now(i, std::min(dictionaries_per_call, n - i));
    step_seconds.dictionaries += seconds_since(start);
  }


  void
  PointwiseGreedy::make_dictionaries_now(const std::size_t begin,
                                         const std::size_t n)
  {
    if (engine)
      {
        make_dictionaries_on_engine(begin, n);
        return;
      }
    const std::size_t n_dot  = coordinates->n_dot();
    const std::size_t n_rows = coordinates->n_rows();
    const std::size_t size   = dictionary->size();

    AtomList atoms(dictionary->dim());
    for (std::size_t i = begin; i < begin + n; ++i)
      for (std::size_t j = 0; j < size; ++j)
        dictionary->draw(first + i, j, atoms);
    double *const columns = h.data() + begin * size * n_rows;
    evaluator->coordinates(atoms, columns);
    Collective::sum(comm, columns, n * size * n_rows);

    tbb::parallel_for(begin, begin + n, [&](const std::size_t i) {
      const std::size_t offset = i * size * n_rows;
      DictionaryView   &view   = views[i];
      view.n_atoms             = size;
      view.h                   = h.data() + offset;
      double *const view_norms = norms.data() + i * size * n_levels(n_dot);
      view.norms               = view_norms;
      for (std::size_t j = 0; j < size; ++j)
        tail_norms(n_dot, view.h + j * n_rows, view_norms + j, size);
      for (std::size_t level = 0; level < n_levels(n_dot); ++level)
        view.max_norms.push_back(
          *std::max_element(view_norms + level * size,
                            view_norms + (level + 1) * size));
      view.h_single = h_single.data() + offset;
      std::copy_n(view.h, size * n_rows, h_single.data() + offset);
    });
  }


  void
  PointwiseGreedy::make_own_atoms(const std::vector<std::size_t> &group)
  {
    own_views.assign(group.size(), DictionaryView());
    if (slice_atoms == nullptr)
      return;
    const auto        start = std::chrono::steady_clock::now();
    const std::size_t dim = dictionary->dim(), n_rows = coordinates->n_rows();
    AtomList          all(dictionary->dim());
    for (std::size_t i = 0; i < group.size(); ++i)
      {
        const AtomList atoms =
          slice_atoms->at(response_points->data() + group[i] * dim);
        own_views[i].n_atoms = atoms.size();
        for (std::size_t k = 0; k < atoms.size(); ++k)
          all.push_back(atoms, k);
      }
    own_coordinates(all);

    own_norms.resize(all.size());
    tbb::parallel_for(std::size_t(0), all.size(), [&](const std::size_t k) {
      const double *const column = own_h.data() + k * n_rows;
      own_norms[k] = std::sqrt(Simd::dot(coordinates->n_dot(), column, column));
    });
    std::size_t first_atom = 0;
    for (DictionaryView &view : own_views)
      {
        view.h     = own_h.data() + first_atom * n_rows;
        view.norms = own_norms.data() + first_atom;
        first_atom += view.n_atoms;
      }
    step_seconds.dictionaries += seconds_since(start);
  }


  void
  PointwiseGreedy::own_coordinates(const AtomList &atoms)
  {
    // Each rank in turn asks all others for their part of the integrals.
    const std::size_t n_rows = coordinates->n_rows();
    int               rank = 0, n_ranks = 1;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &n_ranks);
    own_h.resize(atoms.size() * n_rows);
    for (int p = 0; p < n_ranks; ++p)
      {
        const AtomList      wanted = broadcast(comm, p, atoms);
        std::vector<double> h(wanted.size() * n_rows);
        if (engine)
          collectively(comm, [&]() { engine->coordinates(wanted, h.data()); });
        else
          evaluator->coordinates(wanted, h.data());
        Collective::sum(comm, h.data(), h.size());
        if (p == rank)
          own_h = std::move(h);
      }
  }


  void
  PointwiseGreedy::advance(std::vector<Slice> &slices,
                           const std::size_t   begin,
                           const std::size_t   end)
  {
    const std::size_t           n_rows = coordinates->n_rows();
    std::vector<Slice *>        active;
    std::vector<const double *> residuals;
    std::vector<const float *>  residuals_single;
    std::vector<double>         correlations;
    std::vector<float>          correlations_single;
    StepSeconds                 seconds;
    for (const DictionaryView &view : views)
      {
        active.clear();
        residuals.clear();
        residuals_single.clear();
        for (std::size_t s = begin; s < end; ++s)
          if (slices[s].active())
            {
              active.push_back(&slices[s]);
              residuals.push_back(slices[s].residual());
              residuals_single.push_back(slices[s].residual_single());
            }
        if (active.empty())
          break;
        if (std::all_of(active.begin(), active.end(), [&](const Slice *slice) {
              return slice->single_is_enough(view);
            }))
          advance_slices(*evaluator,
                         view,
                         view.h_single,
                         coordinates->n_dot(),
                         n_rows,
                         active,
                         residuals_single,
                         correlations_single,
                         seconds);
        else
          advance_slices(*evaluator,
                         view,
                         view.h,
                         coordinates->n_dot(),
                         n_rows,
                         active,
                         residuals,
                         correlations,
                         seconds);
      }

    static std::mutex           mutex;
    std::lock_guard<std::mutex> lock(mutex);
    step_seconds.search += seconds.search;
    step_seconds.projection += seconds.projection;
  }


  void
  PointwiseGreedy::learn_group(const std::vector<std::size_t> &group,
                               std::vector<Fit>               &fits)
  {
    make_own_atoms(group);
    const std::size_t  basis_size = coordinates->n_rows() * max_neurons;
    std::vector<Fit>   new_fits(group.size());
    std::vector<Slice> slices(group.size());
    for (std::size_t i = 0; i < group.size(); ++i)
      slices[i].start(*coordinates,
                      *parameters,
                      group[i],
                      bases.data() + i * basis_size,
                      own_views[i],
                      new_fits[i]);

    for (std::size_t i = 0; i < max_neurons; i += n_dictionaries)
      {
        const std::size_t n = std::min(n_dictionaries, max_neurons - i);
        if (first != i || count != n)
          make_dictionaries(i, n);
        tbb::parallel_for(std::size_t(0),
                          (slices.size() + n_task - 1) / n_task,
                          [&](const std::size_t task) {
                            advance(slices,
                                    task * n_task,
                                    std::min((task + 1) * n_task,
                                             slices.size()));
                          });
        const bool active =
          std::any_of(slices.begin(), slices.end(), [](const Slice &slice) {
            return slice.active();
          });
        if (Collective::maximum(comm, active) == 0)
          break;
      }
    for (std::size_t i = 0; i < group.size(); ++i)
      fits[group[i]] = std::move(new_fits[i]);
  }


  bool
  PointwiseGreedy::run(std::vector<Fit> &fits, const GreedyObserver &observer)
  {
    collectively(comm, [&]() {
      if (!fits.empty() && fits.size() != coordinates->n_slices())
        throw Error("The interrupted run has ",
                    fits.size(),
                    " slices, but the data ",
                    coordinates->n_slices(),
                    ": start again without it.");
    });
    fits.resize(coordinates->n_slices());
    std::vector<std::size_t> unfinished;
    for (std::size_t s = 0; s < fits.size(); ++s)
      if (fits[s].reason == StopReason::unfinished)
        unfinished.push_back(s);

    const Blas::SingleThread one_thread;
    if (engine)
      plan_on_engine(unfinished.size());
    else
      plan(unfinished.size());
    for (std::size_t i = 0; i < n_groups; ++i)
      {
        const auto begin =
          unfinished.begin() + std::min(i * n_group, unfinished.size());
        const auto end =
          unfinished.begin() + std::min((i + 1) * n_group, unfinished.size());
        const std::vector<std::size_t> group(begin, end);
        if (engine)
          learn_group_on_engine(group, fits);
        else
          learn_group(group, fits);
        if (observer)
          {
            const bool stop = !observer(progress(fits));
            if (Collective::maximum(comm, stop) > 0)
              return false;
          }
      }
    return true;
  }


  GreedyProgress
  PointwiseGreedy::progress(const std::vector<Fit> &fits) const
  {
    GreedyProgress result;
    double         done = 0;
    for (const Fit &fit : fits)
      done += (fit.reason != StopReason::unfinished);
    result.n_slices_done = std::size_t(Collective::sum(comm, done));
    result.n_slices = std::size_t(Collective::sum(comm, double(fits.size())));

    const auto points     = history(fits, {}, comm);
    result.n_neurons_done = points.empty() ? 0 : points.back().n_neurons;
    if (!points.empty())
      {
        result.train_error      = points.back().train_error;
        result.validation_error = points.back().validation_error;
      }
    return result;
  }


  const StepSeconds &
  PointwiseGreedy::seconds() const
  {
    return step_seconds;
  }
} // namespace Evergreen
