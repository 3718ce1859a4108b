#include <evergreen/base/blas.h>
#include <evergreen/base/collective.h>
#include <evergreen/base/error.h>
#include <evergreen/dictionary/simd.h>
#include <evergreen/greedy/pointwise_greedy.h>

#include <tbb/parallel_for.h>

#include <algorithm>
#include <chrono>
#include <cmath>

namespace Evergreen
{
  namespace
  {
    // Dictionaries are made this many at a time: enough work for all threads,
    // and still in cache when their norms are computed.
    constexpr std::size_t dictionaries_per_call = 8;


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


    /** One run of approximate_slices(). */
    class PointwiseGreedy
    {
    public:
      PointwiseGreedy(const GreedyProblem &given, const OwnAtoms &own_atoms)
        : coordinates(given.coordinates), comm(given.comm), own(own_atoms)
      {
        problem.rule           = &given.rule;
        problem.c              = &coordinates.matrix();
        problem.dictionary     = &given.dictionary;
        problem.parameters     = &given.parameters;
        problem.n_rows         = coordinates.n_rows();
        problem.n_dot          = coordinates.n_dot();
        problem.n_data         = coordinates.n_data();
        problem.rank           = coordinates.rank();
        problem.has_validation = coordinates.has_validation();
        if (own.atoms != nullptr)
          problem.max_own_atoms = SliceAtoms::max_atoms;
        collectively(comm, [&]() {
          given.parameters.check();
          if (given.rule.dim != given.dictionary.dim())
            throw Error("The atoms have ",
                        given.dictionary.dim(),
                        " variables, but the quadrature points ",
                        given.rule.dim,
                        " coordinates.");
          engine = make_pointwise_engine(given.parameters.backend);
        });
      }

      bool
      run(std::vector<Fit> &fits, const GreedyObserver &observer)
      {
        collectively(comm, [&]() {
          if (!fits.empty() && fits.size() != coordinates.n_slices())
            throw Error("The interrupted run has ",
                        fits.size(),
                        " slices, but the data ",
                        coordinates.n_slices(),
                        ": start again without it.");
        });
        fits.resize(coordinates.n_slices());
        std::vector<std::size_t> unfinished;
        for (std::size_t s = 0; s < fits.size(); ++s)
          if (fits[s].reason == StopReason::unfinished)
            unfinished.push_back(s);

        const Blas::SingleThread one_thread;
        plan(unfinished.size());
        for (std::size_t i = 0; i < n_groups; ++i)
          {
            const auto place = [&](const std::size_t group) {
              return unfinished.begin() +
                     std::min(group * held.n_slices, unfinished.size());
            };
            learn_group({place(i), place(i + 1)}, fits);
            if (observer)
              {
                const bool stop = !observer(progress(fits));
                if (Collective::maximum(comm, stop) > 0)
                  return false;
              }
          }
        return true;
      }

      /** Where the time went. */
      StepSeconds
      seconds() const
      {
        StepSeconds result  = engine->seconds();
        result.dictionaries = dictionary_seconds;
        return result;
      }

    private:
      /** Chooses the sizes below by the memory. Collective. */
      void
      plan(const std::size_t n_unfinished)
      {
        collectively(comm, [&]() {
          engine->reinit(problem);
          held = engine->plan(n_unfinished);
        });
        held.n_dictionaries = static_cast<std::size_t>(
          Collective::minimum(comm, double(held.n_dictionaries)));
        n_groups = static_cast<std::size_t>(Collective::maximum(
          comm, double((n_unfinished + held.n_slices - 1) / held.n_slices)));
        count    = 0;
        collectively(comm, [&]() { engine->reserve(held); });
      }

      /** Makes the dictionaries [first, first + n). Collective. */
      void
      make_dictionaries(const std::size_t first_iteration, const std::size_t n)
      {
        const auto start = std::chrono::steady_clock::now();
        int        n_ranks;
        MPI_Comm_size(comm, &n_ranks);
        first = first_iteration;
        count = n;
        for (std::size_t i = 0; i < n; i += dictionaries_per_call)
          {
            const std::size_t n_now   = std::min(dictionaries_per_call, n - i);
            double           *numbers = nullptr;
            collectively(comm, [&]() {
              engine->make_dictionaries(i, first + i, n_now);
              if (n_ranks > 1)
                numbers = engine->coordinates_on_host(i, n_now);
            });
            Collective::sum(comm,
                            numbers,
                            n_now * problem.dictionary_numbers());
            collectively(comm, [&]() {
              engine->finish_dictionaries(i, n_now, numbers);
            });
          }
        dictionary_seconds += seconds_since(start);
      }

      /** Where the slices of a group begin. Collective. */
      std::vector<PointwiseEngine::SliceStart>
      start(const std::vector<std::size_t> &group)
      {
        std::vector<PointwiseEngine::SliceStart> starts(group.size());
        for (std::size_t i = 0; i < group.size(); ++i)
          {
            starts[i].target      = coordinates.target(group[i]);
            starts[i].misfit      = coordinates.misfit(group[i]);
            starts[i].square_norm = coordinates.square_norm(group[i]);
          }
        if (own.atoms != nullptr)
          make_own_atoms(group, starts);
        return starts;
      }

      /** Makes the slices' own atoms for a group. Collective. */
      void
      make_own_atoms(const std::vector<std::size_t>           &group,
                     std::vector<PointwiseEngine::SliceStart> &starts)
      {
        const auto        start = std::chrono::steady_clock::now();
        const std::size_t dim   = problem.dictionary->dim();
        AtomList          all(problem.dictionary->dim());
        for (std::size_t i = 0; i < group.size(); ++i)
          {
            const AtomList atoms =
              own.atoms->at(own.points->data() + group[i] * dim);
            starts[i].n_own = atoms.size();
            for (std::size_t k = 0; k < atoms.size(); ++k)
              all.push_back(atoms, k);
          }
        own_coordinates(all);

        own_norms.resize(all.size());
        tbb::parallel_for(std::size_t(0), all.size(), [&](const std::size_t k) {
          const double *const column = own_h.data() + k * problem.n_rows;
          own_norms[k] =
            std::sqrt(Simd::loops().dot(problem.n_dot, column, column));
        });
        std::size_t first_atom = 0;
        for (PointwiseEngine::SliceStart &slice : starts)
          {
            slice.own_h     = own_h.data() + first_atom * problem.n_rows;
            slice.own_norms = own_norms.data() + first_atom;
            first_atom += slice.n_own;
          }
        dictionary_seconds += seconds_since(start);
      }

      /** The coordinates of this rank's list of atoms. Collective. */
      void
      own_coordinates(const AtomList &atoms)
      {
        // Each rank in turn asks all others for their part of the integrals.
        int rank = 0, n_ranks = 1;
        MPI_Comm_rank(comm, &rank);
        MPI_Comm_size(comm, &n_ranks);
        for (int p = 0; p < n_ranks; ++p)
          {
            const AtomList      wanted = broadcast(comm, p, atoms);
            std::vector<double> h(wanted.size() * problem.n_rows);
            collectively(comm,
                         [&]() { engine->coordinates(wanted, h.data()); });
            Collective::sum(comm, h);
            if (p == rank)
              own_h = std::move(h);
          }
      }

      /** One group of slices through all iterations. Collective. */
      void
      learn_group(const std::vector<std::size_t> &group, std::vector<Fit> &fits)
      {
        const auto starts = start(group);
        collectively(comm, [&]() { engine->start(starts); });
        for (std::size_t i = 0; i < problem.max_neurons();
             i += held.n_dictionaries)
          {
            const std::size_t n =
              std::min(held.n_dictionaries, problem.max_neurons() - i);
            if (first != i || count != n)
              make_dictionaries(i, n);
            bool active = false;
            collectively(comm, [&]() { active = engine->advance(n); });
            if (Collective::maximum(comm, active) == 0)
              break;
          }
        collectively(comm, [&]() {
          std::vector<Fit> outcomes = engine->outcomes();
          for (std::size_t i = 0; i < group.size(); ++i)
            {
              outcomes[i].finish(*problem.parameters);
              fits[group[i]] = std::move(outcomes[i]);
            }
        });
      }

      GreedyProgress
      progress(const std::vector<Fit> &fits) const
      {
        GreedyProgress result;
        double         done = 0;
        for (const Fit &fit : fits)
          done += (fit.reason != StopReason::unfinished);
        result.n_slices_done = std::size_t(Collective::sum(comm, done));
        result.n_slices =
          std::size_t(Collective::sum(comm, double(fits.size())));

        const auto points     = history(fits, {}, comm);
        result.n_neurons_done = points.empty() ? 0 : points.back().n_neurons;
        if (!points.empty())
          {
            result.train_error      = points.back().train_error;
            result.validation_error = points.back().validation_error;
          }
        return result;
      }

      PointwiseEngine::Problem         problem;
      const Coordinates               &coordinates;
      MPI_Comm                         comm;
      std::unique_ptr<PointwiseEngine> engine;

      /** How many dictionaries, and how many slices, are held at once. */
      PointwiseEngine::Plan held;

      /** How many groups this run takes; the same on all ranks. */
      std::size_t n_groups = 0;

      /** The present dictionaries, iterations [first, first + count). */
      std::size_t first = 0;
      std::size_t count = 0;

      /** The atoms of single slices, and those of the present group. */
      OwnAtoms            own;
      std::vector<double> own_h, own_norms;

      double dictionary_seconds = 0;
    };
  } // namespace


  bool
  approximate_slices(const GreedyProblem  &problem,
                     std::vector<Fit>     &fits,
                     const GreedyObserver &observer,
                     const OwnAtoms       &own,
                     StepSeconds          *seconds)
  {
    PointwiseGreedy algorithm(problem, own);
    const bool      is_complete = algorithm.run(fits, observer);
    if (seconds != nullptr)
      *seconds = algorithm.seconds();
    return is_complete;
  }


  std::vector<HistoryPoint>
  history(const std::vector<Fit>    &fits,
          const std::vector<double> &weights,
          const MPI_Comm             comm)
  {
    std::size_t n = 0;
    for (const Fit &fit : fits)
      n = std::max(n, fit.train_squares.size());
    n = static_cast<std::size_t>(Collective::maximum(comm, double(n)));

    std::vector<double> squares(2 * n);
    for (std::size_t s = 0; s < fits.size(); ++s)
      if (fits[s].reason != StopReason::unfinished)
        for (std::size_t i = 0; i < n; ++i)
          {
            const auto value = [&](const std::vector<double> &values) {
              return values.empty() ? 0.
                                    : values[std::min(i, values.size() - 1)];
            };
            const double weight = weights.empty() ? 1. : weights[s];
            squares[i] += weight * value(fits[s].train_squares);
            squares[n + i] += weight * value(fits[s].validation_squares);
          }
    Collective::sum(comm, squares);

    std::vector<HistoryPoint> points(n);
    for (std::size_t i = 0; i < n; ++i)
      {
        const auto relative = [&](const double *values) {
          return values[0] > 0 ? std::sqrt(values[i] / values[0]) : 0.;
        };
        points[i].n_neurons        = i;
        points[i].train_error      = relative(squares.data());
        points[i].validation_error = relative(squares.data() + n);
      }
    return points;
  }


  Fit
  approximate_function(const std::vector<double> &points,
                       const std::vector<double> &weights,
                       const std::vector<double> &values,
                       const Dictionary          &dictionary,
                       const GreedyParameters    &parameters)
  {
    if (weights.size() != values.size() ||
        points.size() != values.size() * dictionary.dim())
      throw Error("There are ",
                  values.size(),
                  " values, ",
                  weights.size(),
                  " weights and ",
                  points.size(),
                  " coordinates of points in ",
                  dictionary.dim(),
                  " dimensions: they do not match.");

    std::vector<double> roots(weights.size()), target(weights.size());
    for (std::size_t q = 0; q < weights.size(); ++q)
      {
        if (!(weights[q] > 0))
          throw Error("Quadrature weight ",
                      q,
                      " is ",
                      weights[q],
                      ": it must be positive.");
        roots[q]  = std::sqrt(weights[q]);
        target[q] = roots[q] * values[q];
      }
    const QuadratureRule rule = diagonal_rule(dictionary.dim(), points, roots);
    const Coordinates    coordinates(target);
    std::vector<Fit>     fits;
    approximate_slices(
      {rule, coordinates, dictionary, parameters, MPI_COMM_SELF}, fits);
    return fits[0];
  }
} // namespace Evergreen
