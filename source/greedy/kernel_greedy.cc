#include <evergreen/base/blas.h>
#include <evergreen/base/collective.h>
#include <evergreen/base/error.h>
#include <evergreen/dictionary/evaluator.h>
#include <evergreen/dictionary/simd.h>
#include <evergreen/greedy/distributed_basis.h>
#include <evergreen/greedy/kernel_greedy.h>

#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace Evergreen
{
  namespace
  {
    // Normalised selection estimates norms at this many response points.
    constexpr std::size_t n_norm_points = 16;

    // The weights P of this many response points are held at once.
    constexpr std::size_t points_per_block = 256;


    std::vector<int>
    scaled(const std::vector<int> &counts, const std::size_t factor)
    {
      std::vector<int> result;
      for (const int count : counts)
        result.push_back(count * static_cast<int>(factor));
      return result;
    }


    /** One run of approximate_kernel(). */
    class KernelGreedy : GreedyProblem
    {
    public:
      KernelGreedy(const GreedyProblem       &problem,
                   const std::vector<double> &response_points,
                   const std::vector<double> &response_weights)
        : GreedyProblem(problem)
      {
        collectively(comm, [&]() {
          check(response_points, response_weights);
          evaluator = make_evaluator(parameters.backend);
          evaluator->reinit(rule, coordinates.matrix(), coordinates.n_rows());
        });
        gather_points(response_points);
        for (std::size_t s = 0; s < response_weights.size(); ++s)
          {
            root_weights.push_back(std::sqrt(response_weights[s]));
            square_norm += response_weights[s] * coordinates.square_norm(s);
            misfit += response_weights[s] * coordinates.misfit(s);
          }
        square_norm = Collective::sum(comm, square_norm);
        misfit      = Collective::sum(comm, misfit);
      }

      bool
      run(Fit &fit, const GreedyObserver &observer)
      {
        if (fit.reason != StopReason::unfinished)
          return true;
        const Blas::SingleThread one_thread;

        std::vector<double> targets;
        for (std::size_t s = 0; s < root_weights.size(); ++s)
          targets.insert(targets.end(),
                         coordinates.target(s),
                         coordinates.target(s) + coordinates.n_rows());
        residual                  = assemble(targets);
        const std::size_t n_inner = coordinates.n_dot() * root_weights.size();
        basis                     = make_distributed_basis(n_inner,
                                       residual.size() - n_inner,
                                       parameters.single_basis,
                                       comm);

        // What an earlier run found is only projected again.
        const std::vector<unsigned int> earlier = fit.chosen;
        fit                                     = Fit();
        record(fit);
        for (const unsigned int index : earlier)
          if (fit.reason == StopReason::unfinished)
            {
              AtomList atom(dictionary.dim());
              dictionary.draw(fit.chosen.size(), index, atom);
              if (!append(atom, 0, fit))
                throw Error(
                  "The interrupted run does not fit the data: its atom ",
                  fit.chosen.size(),
                  " depends on the earlier ones. Start again without "
                  "it.");
              fit.chosen.back() = index;
            }

        while (fit.reason == StopReason::unfinished)
          {
            iterate(fit);
            if (observer)
              {
                GreedyProgress progress;
                progress.n_slices      = 1;
                progress.n_slices_done = (fit.reason != StopReason::unfinished);
                progress.n_neurons_done = fit.chosen.size();
                progress.train_error    = std::sqrt(fit.train_squares.back() /
                                                 fit.train_squares.front());
                if (coordinates.has_validation())
                  progress.validation_error =
                    std::sqrt(fit.validation_squares.back() /
                              fit.validation_squares.front());
                const bool stop = !observer(progress);
                if (Collective::maximum(comm, stop) > 0)
                  return false;
              }
          }
        return true;
      }

    private:
      /** Throws if the sizes do not match or the basis does not fit. */
      void
      check(const std::vector<double> &response_points,
            const std::vector<double> &response_weights) const
      {
        parameters.check();
        const unsigned int dim = rule.dim;
        if (dictionary.dim() != 2 * dim)
          throw Error("The atoms of a kernel in ",
                      dim,
                      " dimensions need ",
                      2 * dim,
                      " variables, but have ",
                      dictionary.dim(),
                      ".");
        if (response_weights.size() != coordinates.n_slices() ||
            response_points.size() != coordinates.n_slices() * dim)
          throw Error("There are ",
                      coordinates.n_slices(),
                      " slices, but ",
                      response_weights.size(),
                      " weights and ",
                      response_points.size(),
                      " coordinates of response points.");
        for (const double weight : response_weights)
          if (!(weight >= 0))
            throw Error("A response point has the weight ",
                        weight,
                        ": weights must not be negative.");
        const double bytes =
          double(parameters.single_basis ? sizeof(float) : sizeof(double)) *
          coordinates.n_rows() * coordinates.n_slices() * parameters.n_neurons;
        if (bytes > double(parameters.memory))
          throw UsageError("The basis of ",
                           parameters.n_neurons,
                           " neurons needs ",
                           std::ceil(bytes / (1 << 20)),
                           " MiB, but the memory is limited to ",
                           parameters.memory >> 20,
                           " MiB: allow more memory, use more ranks, fewer "
                           "neurons or single precision.");
      }

      /** Collects the response points of all ranks, and their extent. */
      void
      gather_points(const std::vector<double> &response_points)
      {
        int n_ranks = 1, n_own = static_cast<int>(coordinates.n_slices());
        MPI_Comm_size(comm, &n_ranks);
        n_points_of_rank.resize(n_ranks);
        MPI_Allgather(
          &n_own, 1, MPI_INT, n_points_of_rank.data(), 1, MPI_INT, comm);
        n_points =
          std::accumulate(n_points_of_rank.begin(), n_points_of_rank.end(), 0);
        gather(response_points, rule.dim, points);
        for (const double coordinate : points)
          extent = std::max(extent, std::abs(coordinate));
        for (const double coordinate : rule.points)
          extent = std::max(extent, std::abs(coordinate));
        extent = Collective::maximum(comm, extent);
      }

      /** Collects @p n numbers for each response point of all ranks. */
      void
      gather(const std::vector<double> &own,
             const std::size_t          n,
             std::vector<double>       &all) const
      {
        const std::vector<int> counts = scaled(n_points_of_rank, n);
        std::vector<int>       offsets(counts.size());
        std::partial_sum(counts.begin(), counts.end() - 1, offsets.begin() + 1);
        all.resize(n_points * n);
        MPI_Allgatherv(own.data(),
                       static_cast<int>(own.size()),
                       MPI_DOUBLE,
                       all.data(),
                       counts.data(),
                       offsets.data(),
                       MPI_DOUBLE,
                       comm);
      }

      /** Collects the residuals of all ranks, $W_x^{1/2} R$. */
      void
      gather_residual()
      {
        const std::size_t   n_dot = coordinates.n_dot();
        std::vector<double> own(n_dot * root_weights.size());
        for (std::size_t i = 0; i < own.size(); ++i)
          own[i] = root_weights[i / n_dot] * residual[i];
        gather(own, n_dot, weighted_residual);
      }

      /** The rows of P of @p n response points, at this rank's quadrature. */
      void
      compute_weights(const std::size_t first_point,
                      const std::size_t n,
                      double           *p) const
      {
        constexpr std::size_t block = 32;
        const std::size_t     m = rule.n_rows, n_dot = coordinates.n_dot();
        const std::size_t     ldp = Simd::padded(rule.n_points());
        tbb::parallel_for(
          std::size_t(0), (n + block - 1) / block, [&](const std::size_t task) {
            const std::size_t   first  = task * block;
            const std::size_t   n_here = std::min(block, n - first);
            std::vector<double> rc(m * n_here);
            if (m > 0)
              Blas::gemm(
                'T',
                'N',
                1.,
                {coordinates.matrix().data(), n_dot, m, coordinates.n_rows()},
                {&weighted_residual[(first_point + first) * n_dot],
                 n_dot,
                 n_here},
                0.,
                {rc.data(), m, n_here});
            for (std::size_t i = 0; i < n_here; ++i)
              for (std::size_t q = 0; q < rule.n_points(); ++q)
                {
                  double sum = 0;
                  for (std::size_t k = rule.column_starts[q];
                       k < rule.column_starts[q + 1];
                       ++k)
                    sum += rule.values[k] * rc[i * m + rule.rows[k]];
                  p[(first + i) * ldp + q] = sum;
                }
          });
      }

      /** Whether the search is in single precision. */
      bool
      is_single() const
      {
        return parameters.precision != SearchPrecision::double_precision;
      }

      /**
       * The correlations of all atoms with the residual, in one precision, and
       * $\sum_{iq} |P_{iq}|$, against which rounding is measured.
       */
      std::vector<double>
      correlations(const AtomList &atoms,
                   const bool      single,
                   double         &sum_of_weights) const
      {
        const std::size_t   ldp = Simd::padded(rule.n_points());
        std::vector<double> p(ldp * std::min(points_per_block, n_points));
        std::vector<double> result(atoms.size() + 1);
        for (std::size_t first = 0; first < n_points; first += points_per_block)
          {
            const std::size_t n = std::min(points_per_block, n_points - first);
            compute_weights(first, n, p.data());
            for (std::size_t i = 0; i < n * ldp; ++i)
              result.back() += std::abs(p[i]);
            const auto part = evaluator->kernel_correlations(
              atoms,
              {&points[first * rule.dim], rule.dim, n},
              {p.data(), ldp, n},
              single);
            for (std::size_t j = 0; j < atoms.size(); ++j)
              result[j] += part[j];
          }
        Collective::sum(comm, result);
        sum_of_weights = result.back();
        result.pop_back();
        return result;
      }

      /**
       * The norms of the atoms, estimated at a few response points; for
       * normalised selection.
       */
      std::vector<double>
      estimated_norms(const AtomList &atoms) const
      {
        std::vector<double> norms(atoms.size(), 1.);
        if (parameters.selection == Selection::plain)
          return norms;

        const std::size_t   n = std::min(n_norm_points, n_points);
        std::vector<double> some;
        for (std::size_t i = 0; i < n; ++i)
          some.insert(some.end(),
                      points.begin() + i * n_points / n * rule.dim,
                      points.begin() + (i * n_points / n + 1) * rule.dim);
        AtomList            all(rule.dim);
        std::vector<double> all_factors, factors;
        for (std::size_t j = 0; j < atoms.size(); ++j)
          {
            const AtomList slices =
              restrict_to_points(atoms, j, n, some.data(), factors);
            for (std::size_t i = 0; i < n; ++i)
              all.push_back(slices, i);
            all_factors.insert(all_factors.end(),
                               factors.begin(),
                               factors.end());
          }
        const std::size_t   n_rows = coordinates.n_rows();
        std::vector<double> h(all.size() * n_rows);
        evaluator->coordinates(all, h.data());
        Collective::sum(comm, h);
        for (std::size_t j = 0; j < atoms.size(); ++j)
          {
            double square = 0;
            for (std::size_t i = 0; i < n; ++i)
              {
                const double *const column = h.data() + (j * n + i) * n_rows;
                square +=
                  std::pow(all_factors[j * n + i], 2) *
                  Simd::loops().dot(coordinates.n_dot(), column, column);
              }
            norms[j] = (square > 0) ? std::sqrt(square / n)
                                    : std::numeric_limits<double>::infinity();
          }
        return norms;
      }

      /** The best atom by score that is not tried yet, or atoms.size(). */
      std::size_t
      pick(const AtomList            &atoms,
           const std::vector<double> &scores,
           const std::vector<double> &norms,
           const double               sum_of_weights,
           const std::vector<bool>   &tried) const
      {
        double best = 0, largest = 0, least_norm = norms[0];
        for (std::size_t j = 0; j < atoms.size(); ++j)
          {
            if (!tried[j])
              best = std::max(best, std::abs(scores[j]) / norms[j]);
            largest    = std::max(largest, atoms.magnitude(j, extent));
            least_norm = std::min(least_norm, norms[j]);
          }
        if (!(best > 0))
          return atoms.size();

        // Rounding could have kept these from being the best: look closer.
        const double scale = sum_of_weights * largest / least_norm;
        const double noise =
          4 * scale *
          (is_single() ? double(std::numeric_limits<float>::epsilon())
                       : std::numeric_limits<double>::epsilon());
        AtomList                 close(atoms.dim);
        std::vector<std::size_t> indices;
        for (std::size_t j = 0; j < atoms.size(); ++j)
          if (!tried[j] && std::abs(scores[j]) / norms[j] >= best - noise)
            {
              close.push_back(atoms, j);
              indices.push_back(j);
            }
        if (indices.size() == 1)
          return indices[0];
        double      unused = 0;
        const auto  exact  = correlations(close, false, unused);
        std::size_t winner = 0;
        for (std::size_t i = 1; i < indices.size(); ++i)
          if (std::abs(exact[i]) / norms[indices[i]] >
              std::abs(exact[winner]) / norms[indices[winner]] + 1e-15 * scale)
            winner = i;
        return indices[winner];
      }

      /** This rank's coordinates of an atom: inner rows, then extra ones. */
      std::vector<double>
      project(const AtomList &atoms, const std::size_t index) const
      {
        const std::size_t   n_rows = coordinates.n_rows();
        std::vector<double> all(n_rows * n_points), factors;
        evaluator->coordinates(
          restrict_to_points(atoms, index, n_points, points.data(), factors),
          all.data());
        for (std::size_t i = 0; i < all.size(); ++i)
          all[i] *= factors[i / n_rows];
        if (n_points_of_rank.size() == 1)
          return assemble(all);
        std::vector<double> own(n_rows * root_weights.size());
        MPI_Reduce_scatter(all.data(),
                           own.data(),
                           scaled(n_points_of_rank, n_rows).data(),
                           MPI_DOUBLE,
                           MPI_SUM,
                           comm);
        return assemble(own);
      }

      /** Puts the coordinates of this rank's slices into one vector. */
      std::vector<double>
      assemble(const std::vector<double> &columns) const
      {
        const std::size_t   n_dot = coordinates.n_dot();
        const std::size_t   n_all = coordinates.n_rows();
        const std::size_t   n     = root_weights.size();
        std::vector<double> result(n_all * n);
        for (std::size_t s = 0; s < n; ++s)
          for (std::size_t i = 0; i < n_all; ++i)
            result[i < n_dot ? s * n_dot + i
                             : n * n_dot + s * (n_all - n_dot) + i - n_dot] =
              root_weights[s] * columns[s * n_all + i];
        return result;
      }

      /** Adds an atom to the approximation unless it is in the span. */
      bool
      append(const AtomList &atoms, const std::size_t index, Fit &fit)
      {
        std::vector<double> h = project(atoms, index), column;
        if (!basis->append(h, parameters.span_tolerance, column))
          return false;
        fit.factor.insert(fit.factor.end(), column.begin(), column.end());
        fit.projection.push_back(basis->reduce(residual));
        fit.chosen.push_back(static_cast<unsigned int>(index));
        record(fit);
        return true;
      }

      /** Finds one more atom; ends the fit if there is none. */
      void
      iterate(Fit &fit)
      {
        const AtomList atoms = dictionary.draw(fit.chosen.size());
        gather_residual();
        double     sum_of_weights = 0;
        const auto scores = correlations(atoms, is_single(), sum_of_weights);
        const auto norms  = estimated_norms(atoms);
        std::vector<bool> tried(atoms.size());
        for (;;)
          {
            const std::size_t j =
              pick(atoms, scores, norms, sum_of_weights, tried);
            if (j == atoms.size())
              {
                fit.reason = StopReason::rank;
                fit.finish(parameters);
                return;
              }
            if (append(atoms, j, fit))
              return;
            tried[j] = true;
          }
      }

      /** The square of the residual's norm, without the penalty. */
      double
      data_square() const
      {
        const std::size_t n_data = coordinates.n_data();
        if (n_data == coordinates.n_dot())
          return basis->square_norm(residual);
        double sum = 0;
        for (std::size_t s = 0; s < root_weights.size(); ++s)
          {
            const double *const r = residual.data() + s * coordinates.n_dot();
            sum += Simd::loops().dot(n_data, r, r);
          }
        return Collective::sum(comm, sum);
      }

      void
      record(Fit &fit) const
      {
        fit.train_squares.push_back(data_square() + misfit);
        if (coordinates.has_validation())
          {
            const std::size_t n_inner =
              coordinates.n_dot() * root_weights.size();
            fit.validation_squares.push_back(
              Collective::sum(comm,
                              std::inner_product(residual.begin() + n_inner,
                                                 residual.end(),
                                                 residual.begin() + n_inner,
                                                 0.)));
          }
        fit.check_stop(parameters, coordinates.rank() * n_points, square_norm);
        if (fit.reason != StopReason::unfinished)
          fit.finish(parameters);
      }

      std::unique_ptr<Evaluator> evaluator;

      /** Response points of all ranks, and how many each rank has. */
      std::vector<double> points;
      std::vector<int>    n_points_of_rank;
      std::size_t         n_points = 0;

      /** The largest absolute value of a coordinate of any point. */
      double extent = 0;

      /** Roots of the weights of this rank's response points. */
      std::vector<double> root_weights;

      double              square_norm = 0;
      double              misfit      = 0;
      std::vector<double> residual;
      std::vector<double> weighted_residual;

      std::unique_ptr<DistributedBasis> basis;
    };
  } // namespace


  bool
  approximate_kernel(const GreedyProblem       &problem,
                     const std::vector<double> &response_points,
                     const std::vector<double> &response_weights,
                     Fit                       &fit,
                     const GreedyObserver      &observer)
  {
    return KernelGreedy(problem, response_points, response_weights)
      .run(fit, observer);
  }
} // namespace Evergreen
