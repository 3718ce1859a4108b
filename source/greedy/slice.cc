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
    // many digits of orthogonality, and is repeated. Up to full rank the
    // residual then stays orthogonal to the atoms to about 1e-11.
    constexpr double cancellation = 1e-3;
  } // namespace


  void
  Slice::start(const Coordinates      &all_coordinates,
               const GreedyParameters &run_parameters,
               const std::size_t       slice_index,
               double                 *basis_memory,
               const DictionaryView   &own_atoms,
               Fit                    &slice_fit)
  {
    coordinates = &all_coordinates;
    parameters  = &run_parameters;
    index       = slice_index;
    basis       = basis_memory;
    own         = own_atoms;
    fit         = &slice_fit;
    *fit        = Fit();

    const double *const target = coordinates->target(index);
    r.assign(target, target + coordinates->n_rows());
    record();
  }


  bool
  Slice::active() const
  {
    return fit->reason == StopReason::unfinished;
  }


  const double *
  Slice::residual() const
  {
    return r.data();
  }


  const float *
  Slice::residual_single() const
  {
    return r_single.data();
  }


  void
  Slice::record()
  {
    const std::size_t n_dot  = coordinates->n_dot();
    const double      square = Simd::dot(n_dot, r.data(), r.data());
    norm                     = std::sqrt(square);
    fit->train_squares.push_back(square + coordinates->misfit(index));
    if (coordinates->has_validation())
      fit->validation_squares.push_back(Simd::dot(coordinates->n_rows() - n_dot,
                                                  r.data() + n_dot,
                                                  r.data() + n_dot));
    fit->check_stop(*parameters,
                    coordinates->rank(),
                    coordinates->square_norm(index));
    if (parameters->precision == SearchPrecision::single_precision)
      r_single.assign(r.begin(), r.begin() + n_dot);
    if (!active())
      fit->finish(*parameters);
  }


  template <typename Number>
  std::size_t
  Slice::pick(const DictionaryView    &dictionary,
              const Number            *correlations,
              const std::vector<bool> &tried,
              double                  &winning) const
  {
    const bool normalised = (parameters->selection == Selection::normalised);
    const auto score      = [&](const std::size_t j, const double value) {
      if (!tried.empty() && tried[j])
        return 0.;
      return score_of(value, dictionary.norms[j]);
    };

    double best = 0;
    if (tried.empty() && !normalised)
      {
        Number largest = 0;
        for (std::size_t j = 0; j < dictionary.n_atoms; ++j)
          largest = std::max(largest, std::abs(correlations[j]));
        best = largest;
      }
    else
      for (std::size_t j = 0; j < dictionary.n_atoms; ++j)
        best = std::max(best, score(j, correlations[j]));
    if (!(best > 0))
      return dictionary.n_atoms;

    // Everything that rounding could have kept from being the best.
    const double scale = norm * (normalised ? 1. : dictionary.max_norm);
    const double close =
      best - 64 * std::numeric_limits<Number>::epsilon() * scale;
    const std::size_t n_dot   = coordinates->n_dot();
    std::size_t       winner  = dictionary.n_atoms;
    winning                   = 0;
    for (std::size_t j = 0; j < dictionary.n_atoms; ++j)
      if (const double rough = score(j, correlations[j]);
          rough >= close && rough > 0)
        {
          const double exact =
            score(j,
                  Simd::dot(n_dot,
                            dictionary.h + j * coordinates->n_rows(),
                            r.data()));
          if (winner == dictionary.n_atoms || exact > winning + 1e-14 * scale)
            {
              winner  = j;
              winning = exact;
            }
        }
    return winner;
  }


  double
  Slice::score_of(const double correlation, const double atom_norm) const
  {
    return (parameters->selection == Selection::normalised && atom_norm > 0) ?
             std::abs(correlation) / atom_norm :
             std::abs(correlation);
  }


  std::vector<double>
  Slice::own_scores() const
  {
    std::vector<double> scores(own.n_atoms);
    for (std::size_t k = 0; k < own.n_atoms; ++k)
      scores[k] = score_of(Simd::dot(coordinates->n_dot(),
                                     own.h + k * coordinates->n_rows(),
                                     r.data()),
                           own.norms[k]);
    return scores;
  }


  bool
  Slice::append(const double *h, const double h_norm)
  {
    const std::size_t n_dot = coordinates->n_dot();
    const std::size_t n_all = coordinates->n_rows();
    const std::size_t n     = fit->chosen.size();
    double *const     q     = basis + n * n_all;

    std::vector<double> column(n + 1);
    std::copy_n(h, n_all, q);
    double before = h_norm, after = h_norm;
    do
      {
        before = after;
        Simd::project_out(n_dot, n_all, basis, n, q, column.data());
        after = std::sqrt(Simd::dot(n_dot, q, q));
        if (!(after > parameters->span_tolerance * h_norm))
          return false;
    } while (after < cancellation * before);

    column[n] = after;
    for (std::size_t i = 0; i < n_all; ++i)
      q[i] /= after;
    fit->factor.insert(fit->factor.end(), column.begin(), column.end());
    fit->projection.push_back(Simd::dot(n_dot, q, r.data()));
    Simd::add(n_all, -fit->projection.back(), q, r.data());
    return true;
  }


  template <typename Number>
  void
  Slice::advance(const DictionaryView &dictionary, const Number *correlations)
  {
    std::vector<bool>   tried;
    std::vector<double> scores = own_scores();
    for (;;)
      {
        double     score = 0;
        const auto j     = pick(dictionary, correlations, tried, score);
        const auto best  = std::max_element(scores.begin(), scores.end());
        const bool is_own = best != scores.end() && *best > score;
        if (!is_own && j == dictionary.n_atoms)
          {
            fit->reason = StopReason::rank;
            fit->finish(*parameters);
            return;
          }
        const DictionaryView &source = is_own ? own : dictionary;
        const std::size_t     k = is_own ? best - scores.begin() : j;
        if (append(source.h + k * coordinates->n_rows(), source.norms[k]))
          {
            fit->chosen.push_back(static_cast<unsigned int>(
              is_own ? dictionary.n_atoms + k : k));
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
  Slice::advance(const DictionaryView &, const double *);
  template void
  Slice::advance(const DictionaryView &, const float *);
} // namespace Evergreen
