#include <evergreen/dictionary/simd.h>
#include <evergreen/greedy/slice.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace Evergreen
{
  namespace
  {
    // A projection that leaves less than this part of the norm has lost too
    // many digits of orthogonality, and is repeated. Up to full rank the basis
    // then stays orthonormal to about 1e-9, and the residual, which every new
    // vector is removed from one after the other, orthogonal to it to 1e-13 of
    // the target. A larger number only costs time: on data of quickly decaying
    // singular values most of the late atoms leave between 1e-4 and 1e-3.
    constexpr double cancellation = 1e-4;


    // A bound on the error of a dot product of n numbers by rounding, over the
    // product of the norms, if the sum is made in vectors of 32 bytes or
    // better: u = epsilon / 2 for every addition to a lane and, with room to
    // spare, for the conversion of the factors and the sum of the lanes.
    template <typename Number>
    double
    dot_rounding(const std::size_t n)
    {
      return (static_cast<double>(n * sizeof(Number)) / 64 + 8) *
             std::numeric_limits<Number>::epsilon();
    }


    // In eight parts, which do not wait for each other.
    template <typename Number>
    Number
    largest_magnitude(const std::size_t n, const Number *values)
    {
      Number largest[8] = {};
      for (std::size_t i = 0; i < n; i += 8)
        for (std::size_t l = 0; l < std::min<std::size_t>(8, n - i); ++l)
          largest[l] = std::max(largest[l], std::abs(values[i + l]));
      return *std::max_element(largest, largest + 8);
    }


    // Rows are left out of a search if they can change a correlation by no
    // more than this part of the largest: then few atoms are close to it.
    constexpr double tail_share = 0.1;
  } // namespace


  void
  tail_norms(const std::size_t n_dot,
             const double     *vector,
             double           *norms,
             const std::size_t stride)
  {
    double      square = 0;
    std::size_t end    = n_dot;
    for (std::size_t level = n_levels(n_dot); level-- > 0;)
      {
        const std::size_t begin = level * rows_per_level;
        square +=
          Simd::loops().dot(end - begin, vector + begin, vector + begin);
        norms[level * stride] = std::sqrt(square);
        end                   = begin;
      }
  }


  void
  Slice::start(const PointwiseEngine::Problem    &all_slices,
               const PointwiseEngine::SliceStart &slice,
               double                            *basis_memory)
  {
    problem     = &all_slices;
    begin       = slice;
    basis       = basis_memory;
    own.n_atoms = slice.n_own;
    own.h       = slice.own_h;
    own.norms   = slice.own_norms;
    correlation = 0;
    fit         = Fit();
    r.assign(slice.target, slice.target + problem->n_rows);
    record();
  }


  bool
  Slice::active() const
  {
    return fit.reason == StopReason::unfinished;
  }


  void
  Slice::record()
  {
    const std::size_t n_dot = problem->n_dot;
    const auto square = [this](const std::size_t from, const std::size_t to) {
      return Simd::loops().dot(to - from, r.data() + from, r.data() + from);
    };
    norms.resize(n_levels(n_dot));
    tail_norms(n_dot, r.data(), norms.data(), 1);
    fit.train_squares.push_back(square(0, problem->n_data) + begin.misfit);
    if (problem->has_validation)
      fit.validation_squares.push_back(square(n_dot, problem->n_rows));
    fit.check_stop(*problem->parameters, problem->rank, begin.square_norm);
    r_single.assign(r.begin(), r.begin() + n_dot);
  }


  bool
  Slice::single_is_enough(const DictionaryView &dictionary) const
  {
    // Far from the ends of its range, where its errors are relative ones.
    const auto in_range = [](const double value) {
      return value > 1e-12 && value < 1e12;
    };
    return in_range(norms[0]) && in_range(dictionary.max_norms[0]) &&
           dot_rounding<float>(problem->n_dot) * norms[0] *
               dictionary.max_norms[0] <=
             correlation;
  }


  std::size_t
  Slice::levels_to_search(const DictionaryView &dictionary) const
  {
    std::size_t level = 1;
    while (level < norms.size() && dictionary.max_norms[level] * norms[level] >
                                     tail_share * correlation)
      ++level;
    return level;
  }


  double
  Slice::score(const DictionaryView &dictionary,
               const std::size_t     j,
               const double          value) const
  {
    return (problem->parameters->selection == Selection::normalised &&
            dictionary.norms[j] > 0)
             ? std::abs(value) / dictionary.norms[j]
             : std::abs(value);
  }


  template <typename Number>
  std::vector<std::size_t>
  Slice::candidates(const DictionaryView    &dictionary,
                    const Number            *correlations,
                    const std::size_t        n_searched,
                    const std::vector<bool> &tried) const
  {
    // The largest error of a correlation, by rounding and by what the search
    // left out.
    const bool          complete = (n_searched >= norms.size());
    const std::size_t   level    = complete ? 0 : n_searched;
    const double        tail     = complete ? 0. : norms[level];
    const double *const tails = dictionary.norms + level * dictionary.n_atoms;
    const double rounding     = dot_rounding<Number>(problem->n_dot) * norms[0];

    // In the usual case, most atoms are far off whatever their error.
    double far = 0;
    if (problem->parameters->selection == Selection::plain && tried.empty())
      far = largest_magnitude(dictionary.n_atoms, correlations) -
            2 * (rounding * dictionary.max_norms[0] +
                 tail * dictionary.max_norms[level]);
    std::vector<std::size_t> atoms;
    for (std::size_t j = 0; j < dictionary.n_atoms; ++j)
      if (std::abs(correlations[j]) >= far && (tried.empty() || !tried[j]))
        atoms.push_back(j);

    // Of the others, all that may have what the best one has at least.
    const auto error = [&](const std::size_t j) {
      return score(dictionary,
                   j,
                   rounding * dictionary.norms[j] + tail * tails[j]);
    };
    double least = 0;
    for (const std::size_t j : atoms)
      least = std::max(least, score(dictionary, j, correlations[j]) - error(j));
    const auto is_below = [&](const std::size_t j) {
      return score(dictionary, j, correlations[j]) + error(j) < least;
    };
    atoms.erase(std::remove_if(atoms.begin(), atoms.end(), is_below),
                atoms.end());
    return atoms;
  }


  template <typename Number>
  std::size_t
  Slice::pick(const DictionaryView    &dictionary,
              const Number            *correlations,
              const std::size_t        n_searched,
              const std::vector<bool> &tried,
              double                  &winning)
  {
    const std::vector<std::size_t> atoms =
      candidates(dictionary, correlations, n_searched, tried);
    std::vector<double> products;
    double              best = 0;
    for (const std::size_t j : atoms)
      {
        products.push_back(Simd::loops().dot(problem->n_dot,
                                             dictionary.h + j * problem->n_rows,
                                             r.data()));
        best = std::max(best, score(dictionary, j, products.back()));
      }

    const bool   plain = (problem->parameters->selection == Selection::plain);
    const double equals =
      1e-14 * norms[0] * (plain ? dictionary.max_norms[0] : 1.);
    for (std::size_t i = 0; i < atoms.size(); ++i)
      if (const double value = score(dictionary, atoms[i], products[i]);
          value > 0 && value >= best - equals)
        {
          correlation = std::abs(products[i]);
          winning     = value;
          return atoms[i];
        }
    return dictionary.n_atoms;
  }


  std::vector<double>
  Slice::own_scores() const
  {
    std::vector<double> scores(own.n_atoms);
    for (std::size_t k = 0; k < own.n_atoms; ++k)
      scores[k] = score(own,
                        k,
                        Simd::loops().dot(problem->n_dot,
                                          own.h + k * problem->n_rows,
                                          r.data()));
    return scores;
  }


  bool
  Slice::append(const double *h, const double h_norm)
  {
    const std::size_t n_dot = problem->n_dot;
    const std::size_t n_all = problem->n_rows;
    const std::size_t n     = fit.chosen.size();
    double *const     q     = basis + n * n_all;

    std::vector<double> column(n + 1);
    std::copy_n(h, n_all, q);
    double before = h_norm, after = h_norm;
    do
      {
        before = after;
        Simd::loops().project_out(n_dot, n_all, basis, n, q, column.data());
        after = std::sqrt(Simd::loops().dot(n_dot, q, q));
        if (!(after > problem->parameters->span_tolerance * h_norm))
          return false;
    } while (after < cancellation * before);

    column[n] = after;
    for (std::size_t i = 0; i < n_all; ++i)
      q[i] /= after;
    fit.factor.insert(fit.factor.end(), column.begin(), column.end());
    fit.projection.push_back(Simd::loops().dot(n_dot, q, r.data()));
    Simd::loops().add(n_all, -fit.projection.back(), q, r.data());
    return true;
  }


  template <typename Number>
  void
  Slice::advance(const DictionaryView &dictionary,
                 const Number         *correlations,
                 const std::size_t     n_searched)
  {
    std::vector<bool>   tried;
    std::vector<double> scores = own_scores();
    for (std::size_t n_skipped = 0;; ++n_skipped)
      {
        double     top = 0;
        const auto j   = pick(dictionary, correlations, n_searched, tried, top);
        const auto best   = std::max_element(scores.begin(), scores.end());
        const bool is_own = best != scores.end() && *best > top;
        const bool enough = problem->parameters->max_skipped > 0 &&
                            n_skipped >= problem->parameters->max_skipped;
        if (enough || (!is_own && j == dictionary.n_atoms))
          {
            fit.reason = StopReason::rank;
            return;
          }
        const DictionaryView &source = is_own ? own : dictionary;
        const std::size_t     k      = is_own ? best - scores.begin() : j;
        if (append(source.h + k * problem->n_rows, source.norms[k]))
          {
            fit.chosen.push_back(
              static_cast<unsigned int>(is_own ? dictionary.n_atoms + k : k));
            record();
            return;
          }
        if (is_own)
          scores[k] = 0;
        else
          {
            tried.resize(dictionary.n_atoms);
            tried[j] = true;
          }
      }
  }


  template void
  Slice::advance(const DictionaryView &, const double *, std::size_t);
  template void
  Slice::advance(const DictionaryView &, const float *, std::size_t);
} // namespace Evergreen
