// The engine of processors: threads that take slices, a few at a time, through
// dictionaries in memory.

#include <evergreen/dictionary/backends.h>
#include <evergreen/dictionary/evaluator.h>
#include <evergreen/dictionary/simd.h>
#include <evergreen/greedy/slice.h>

#include <tbb/parallel_for.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <mutex>
#include <new>

#ifdef __linux__
#  include <sys/mman.h>
#endif

namespace Evergreen
{
  namespace
  {
    // The bases that one thread works on should stay in this many bytes, on
    // average over the iterations; more slices read the dictionaries less
    // often.
    constexpr std::size_t cache_per_thread = std::size_t(8) << 20;

    // A group of slices has this many tasks for each thread, to share them out
    // evenly.
    constexpr std::size_t tasks_per_thread = 2;


    /**
     * An array of numbers without initial values, in large pages where the
     * system has them: first contact with gigabytes in small pages costs as
     * much as the arithmetic on them.
     */
    template <typename Number>
    class Buffer
    {
    public:
      Buffer() = default;

      Buffer(const Buffer &) = delete;

      Buffer &
      operator=(const Buffer &) = delete;

      ~Buffer()
      {
        std::free(numbers);
      }

      /** Makes room for @p n numbers; the old contents are lost. */
      void
      resize(const std::size_t n)
      {
        if (n == count)
          return;
        std::free(numbers);
        numbers = nullptr;
        count   = 0;
        if (n == 0)
          return;
        const std::size_t page  = std::size_t(1) << 21;
        const std::size_t bytes = (n * sizeof(Number) + page - 1) / page * page;
        numbers = static_cast<Number *>(std::aligned_alloc(page, bytes));
        if (numbers == nullptr)
          throw std::bad_alloc();
#ifdef __linux__
        madvise(numbers, bytes, MADV_HUGEPAGE);
#endif
        count = n;
      }

      /** The first number. */
      Number *
      data() const
      {
        return numbers;
      }

    private:
      Number     *numbers = nullptr;
      std::size_t count   = 0;
    };


    double
    now()
    {
      return std::chrono::duration<double>(
               std::chrono::steady_clock::now().time_since_epoch())
        .count();
    }


    /** What a search writes to, again and again. */
    template <typename Number>
    struct Search
    {
      std::vector<const Number *> residuals;
      std::vector<Number>         correlations;
    };


    class HostEngine : public PointwiseEngine
    {
    public:
      explicit HostEngine(std::unique_ptr<Evaluator> backend)
        : evaluator(std::move(backend))
      {}

      void
      reinit(const Problem &new_problem) override
      {
        problem = new_problem;
        evaluator->reinit(*problem.rule, *problem.c, problem.n_rows);
      }

      void
      coordinates(const AtomList &atoms, double *result) override
      {
        evaluator->coordinates(atoms, result);
      }

      Plan
      plan(const std::size_t n_unfinished) const override
      {
        Plan result =
          share(problem,
                problem.parameters->memory,
                problem.dictionary_numbers() * (sizeof(double) + sizeof(float)),
                slice_bytes(),
                n_unfinished);
        // With all dictionaries at hand large groups would only need new
        // memory.
        if (result.n_dictionaries == problem.max_neurons())
          result.n_slices = std::min(result.n_slices,
                                     tasks_per_thread * n_cpu_threads() *
                                       slices_per_task(result.n_slices));
        return result;
      }

      void
      reserve(const Plan &plan) override
      {
        n_task = slices_per_task(plan.n_slices);
        h.resize(plan.n_dictionaries * problem.dictionary_numbers());
        h_single.resize(plan.n_dictionaries * problem.dictionary_numbers());
        norms.resize(plan.n_dictionaries * problem.dictionary->size() *
                     n_levels(problem.n_dot));
        views.resize(plan.n_dictionaries);
        bases.resize(plan.n_slices * problem.n_rows * problem.max_neurons());
      }

      void
      make_dictionaries(const std::size_t position,
                        const std::size_t first,
                        const std::size_t n) override
      {
        evaluator->coordinates(problem.dictionary->draw(first, n),
                               coordinates_on_host(position, n));
      }

      double *
      coordinates_on_host(const std::size_t position, std::size_t) override
      {
        return h.data() + position * problem.dictionary_numbers();
      }

      void
      finish_dictionaries(const std::size_t position,
                          const std::size_t n,
                          const double *) override
      {
        const std::size_t size   = problem.dictionary->size();
        const std::size_t levels = n_levels(problem.n_dot);
        tbb::parallel_for(position, position + n, [&](const std::size_t i) {
          const std::size_t offset     = i * problem.dictionary_numbers();
          double *const     view_norms = norms.data() + i * size * levels;
          DictionaryView   &view       = views[i];
          view.n_atoms                 = size;
          view.h                       = h.data() + offset;
          view.h_single                = h_single.data() + offset;
          view.norms                   = view_norms;
          view.max_norms.clear();
          for (std::size_t j = 0; j < size; ++j)
            tail_norms(problem.n_dot,
                       view.h + j * problem.n_rows,
                       view_norms + j,
                       size);
          for (std::size_t level = 0; level < levels; ++level)
            view.max_norms.push_back(
              *std::max_element(view_norms + level * size,
                                view_norms + (level + 1) * size));
          std::copy_n(view.h,
                      problem.dictionary_numbers(),
                      h_single.data() + offset);
        });
      }

      void
      start(const std::vector<SliceStart> &starts) override
      {
        slices.resize(starts.size());
        for (std::size_t i = 0; i < slices.size(); ++i)
          slices[i].start(problem,
                          starts[i],
                          bases.data() +
                            i * problem.n_rows * problem.max_neurons());
      }

      bool
      advance(const std::size_t n) override
      {
        tbb::parallel_for(std::size_t(0),
                          (slices.size() + n_task - 1) / n_task,
                          [&](const std::size_t task) {
                            advance_task(task * n_task,
                                         std::min((task + 1) * n_task,
                                                  slices.size()),
                                         n);
                          });
        return std::any_of(slices.begin(),
                           slices.end(),
                           [](const Slice &slice) { return slice.active(); });
      }

      std::vector<Fit>
      outcomes() override
      {
        std::vector<Fit> result;
        for (Slice &slice : slices)
          result.push_back(std::move(slice.fit));
        return result;
      }

      StepSeconds
      seconds() const override
      {
        return step_seconds;
      }

    private:
      std::size_t
      slice_bytes() const
      {
        return std::max<std::size_t>(1,
                                     problem.n_rows *
                                       (problem.max_neurons() +
                                        problem.max_own_atoms + 2) *
                                       sizeof(double));
      }

      /** How many slices a thread works on at once, if there are so many. */
      std::size_t
      slices_per_task(const std::size_t n_slices) const
      {
        if (problem.parameters->slices_per_task > 0)
          return problem.parameters->slices_per_task;
        return std::min(
          std::clamp<std::size_t>(2 * cache_per_thread / slice_bytes(), 6, 36),
          (n_slices + n_cpu_threads() - 1) / n_cpu_threads());
      }

      /** Takes the slices [begin, end) through n dictionaries. */
      void
      advance_task(const std::size_t begin,
                   const std::size_t end,
                   const std::size_t n)
      {
        std::vector<Slice *> active;
        Search<double>       search;
        Search<float>        search_single;
        StepSeconds          seconds;
        for (std::size_t i = 0; i < n; ++i)
          {
            active.clear();
            for (std::size_t s = begin; s < end; ++s)
              if (slices[s].active())
                active.push_back(&slices[s]);
            if (active.empty())
              break;
            const auto single_is_enough = [&](const Slice *slice) {
              return slice->single_is_enough(views[i]);
            };
            if (std::all_of(active.begin(), active.end(), single_is_enough))
              iterate(
                views[i], views[i].h_single, active, search_single, seconds);
            else
              iterate(views[i], views[i].h, active, search, seconds);
          }
        const std::lock_guard<std::mutex> lock(mutex);
        step_seconds.search += seconds.search;
        step_seconds.projection += seconds.projection;
      }

      /**
       * One search: the correlations of active slices in the wanted precision,
       * with as many rows as they need, then the next atom of each.
       */
      template <typename Number>
      void
      iterate(const DictionaryView       &view,
              const Number               *numbers,
              const std::vector<Slice *> &active,
              Search<Number>             &search,
              StepSeconds                &seconds) const
      {
        const double start      = now();
        std::size_t  n_searched = 0;
        search.residuals.clear();
        for (const Slice *slice : active)
          {
            n_searched = std::max(n_searched, slice->levels_to_search(view));
            search.residuals.push_back(slice->residual<Number>());
          }
        search.correlations.resize(active.size() * view.n_atoms);
        Simd::loops<Number>().correlate(std::min(problem.n_dot,
                                                 n_searched * rows_per_level),
                                        numbers,
                                        problem.n_rows,
                                        view.n_atoms,
                                        search.residuals.data(),
                                        active.size(),
                                        search.correlations.data());
        const double middle = now();
        for (std::size_t i = 0; i < active.size(); ++i)
          active[i]->advance(view,
                             &search.correlations[i * view.n_atoms],
                             n_searched);
        seconds.search += middle - start;
        seconds.projection += now() - middle;
      }

      std::unique_ptr<Evaluator> evaluator;
      Problem                    problem;
      std::size_t                n_task = 0;

      Buffer<double>              h;
      Buffer<float>               h_single;
      std::vector<double>         norms;
      std::vector<DictionaryView> views;

      Buffer<double>     bases;
      std::vector<Slice> slices;

      std::mutex  mutex;
      StepSeconds step_seconds;
    };
  } // namespace


  PointwiseEngine::Plan
  PointwiseEngine::share(const Problem    &problem,
                         const std::size_t memory,
                         const std::size_t dictionary_bytes,
                         const std::size_t slice_bytes,
                         const std::size_t n_slices)
  {
    Plan result;
    result.n_dictionaries = problem.max_neurons();
    const bool all =
      result.n_dictionaries * dictionary_bytes <= memory / 10 * 8;
    if (!all)
      result.n_dictionaries =
        std::clamp<std::size_t>(memory / 10 * 3 / dictionary_bytes,
                                1,
                                result.n_dictionaries);
    const std::size_t used = result.n_dictionaries * dictionary_bytes;
    result.n_slices        = used < memory ? (memory - used) / slice_bytes : 0;
    result.n_slices =
      std::max<std::size_t>(std::min(result.n_slices, n_slices), 1);
    if (all)
      result.n_slices =
        std::min(result.n_slices, problem.parameters->slices_per_report);
    // A single group needs every dictionary once: if it is small, a few at a
    // time are enough.
    constexpr std::size_t few_bytes = std::size_t(32) << 20, many_slices = 8;
    if (result.n_slices >= n_slices)
      result.n_dictionaries =
        std::clamp<std::size_t>(std::max(few_bytes,
                                         many_slices * n_slices * slice_bytes) /
                                  dictionary_bytes,
                                1,
                                result.n_dictionaries);
    return result;
  }


  std::unique_ptr<PointwiseEngine>
  make_pointwise_engine(const std::string &backend)
  {
    if (backend == "cuda")
      if (auto engine = cuda_module().make_pointwise_engine())
        return engine;
    return std::make_unique<HostEngine>(make_evaluator(backend));
  }
} // namespace Evergreen
