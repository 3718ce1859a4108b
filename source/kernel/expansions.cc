#include <evergreen/dictionary/clones.h>
#include <evergreen/kernel/expansions.h>

#include <algorithm>
#include <limits>

namespace Evergreen
{
  namespace
  {
    // The memory for the actions of the atoms that are worked on at once.
    constexpr std::size_t memory_of_actions = std::size_t(32) << 20;


    /** out += c[0] in[a[0]] + ... + c[n - 1] in[a[n - 1]], four at a time. */
    EVERGREEN_CLONES void
    add_rows(const std::size_t           n,
             const std::uint32_t        *a,
             const double               *c,
             const double               *in,
             const std::size_t           stride,
             const std::size_t           width,
             double *const __restrict__ out)
    {
      std::size_t i = 0;
      for (; i + 4 <= n; i += 4)
        {
          const double *const p0 = in + a[i] * stride;
          const double *const p1 = in + a[i + 1] * stride;
          const double *const p2 = in + a[i + 2] * stride;
          const double *const p3 = in + a[i + 3] * stride;
          for (std::size_t k = 0; k < width; ++k)
            out[k] += (c[i] * p0[k] + c[i + 1] * p1[k]) +
                      (c[i + 2] * p2[k] + c[i + 3] * p3[k]);
        }
      for (; i < n; ++i)
        {
          const double *const p = in + a[i] * stride;
          for (std::size_t k = 0; k < width; ++k)
            out[k] += c[i] * p[k];
        }
    }


    AtomList
    part(const AtomList &atoms, const std::size_t first, const std::size_t last)
    {
      AtomList result(atoms.dim);
      for (std::size_t i = first; i < last; ++i)
        result.push_back(atoms, i);
      return result;
    }
  } // namespace


  double
  Expansion::value(const double *y) const
  {
    double result = 0;
    for (std::size_t i = 0; i < coefficients.size(); ++i)
      result += coefficients[i] * atoms.value(i, y);
    return result;
  }


  std::size_t
  Expansions::size() const
  {
    return starts.size() - 1;
  }


  std::size_t
  Expansions::n_atoms(const std::size_t s, const Level &level) const
  {
    return std::min(level.n_neurons, starts[s + 1] - starts[s]);
  }


  std::vector<std::size_t>
  Expansions::starts_on(const Level &level) const
  {
    std::vector<std::size_t> result = {0};
    for (std::size_t s = 0; s < size(); ++s)
      result.push_back(result.back() + n_atoms(s, level));
    return result;
  }


  Expansion
  Expansions::operator[](const std::size_t s) const
  {
    const Level      &level  = levels.back();
    const std::size_t n      = n_atoms(s, level);
    const double     *values = level.coefficients.data() + starts_on(level)[s];
    Expansion         result{AtomList(pool.dim), {values, values + n}};
    for (std::size_t i = 0; i < n; ++i)
      result.atoms.push_back(pool, atoms[starts[s] + i]);
    return result;
  }


  Expansions
  Expansions::subset(const std::vector<std::size_t> &wanted) const
  {
    constexpr auto none = std::numeric_limits<std::uint32_t>::max();
    std::vector<std::uint32_t> number(pool.size(), none);
    Expansions                 result;
    result.pool = AtomList(pool.dim);
    for (const std::size_t s : wanted)
      {
        for (std::size_t i = starts[s]; i < starts[s + 1]; ++i)
          {
            if (number[atoms[i]] == none)
              {
                number[atoms[i]] = result.pool.size();
                result.pool.push_back(pool, atoms[i]);
              }
            result.atoms.push_back(number[atoms[i]]);
          }
        result.starts.push_back(result.atoms.size());
      }
    for (const Level &level : levels)
      {
        const auto level_starts = starts_on(level);
        result.levels.push_back({level.n_neurons, {}});
        auto &coefficients = result.levels.back().coefficients;
        for (const std::size_t s : wanted)
          coefficients.insert(coefficients.end(),
                              level.coefficients.begin() + level_starts[s],
                              level.coefficients.begin() + level_starts[s + 1]);
      }
    return result;
  }


  Expansions
  Expansions::restricted(const std::size_t n_points, const double *x) const
  {
    // Atom i at point p: its number in the new pool, and its factor there.
    Expansions result;
    result.pool = AtomList(pool.dim / 2);
    std::vector<std::vector<double>> factors(pool.size());
    std::vector<std::size_t>         numbers;
    for (std::size_t i = 0; i < pool.size(); ++i)
      {
        const AtomList at_points =
          restrict_to_points(pool, i, n_points, x, factors[i]);
        numbers.push_back(result.pool.size());
        if (atom_form(pool.kinds[i]) == AtomForm::product)
          result.pool.push_back(at_points, 0);
        else
          for (std::size_t p = 0; p < n_points; ++p)
            result.pool.push_back(at_points, p);
      }
    for (const Level &level : levels)
      result.levels.push_back({level.n_neurons, {}});
    for (std::size_t s = 0; s < size(); ++s)
      for (std::size_t p = 0; p < n_points; ++p)
        {
          for (std::size_t i = starts[s]; i < starts[s + 1]; ++i)
            result.atoms.push_back(
              numbers[atoms[i]] +
              (atom_form(pool.kinds[atoms[i]]) == AtomForm::product ? 0 : p));
          result.starts.push_back(result.atoms.size());
          for (std::size_t l = 0; l < levels.size(); ++l)
            {
              const std::size_t begin = starts_on(levels[l])[s];
              for (std::size_t i = 0; i < n_atoms(s, levels[l]); ++i)
                result.levels[l].coefficients.push_back(
                  levels[l].coefficients[begin + i] *
                  factors[atoms[starts[s] + i]][p]);
            }
        }
    return result;
  }


  ExpansionBlock::ExpansionBlock(const Expansions        &expansions,
                                 const Expansions::Level &level,
                                 const std::size_t        first,
                                 const std::size_t        last)
  {
    const double *coefficient = level.coefficients.data();
    for (std::size_t s = 0; s < expansions.size(); ++s)
      {
        const std::uint32_t *const list =
          expansions.atoms.data() + expansions.starts[s];
        const std::size_t n = expansions.n_atoms(s, level);
        for (std::size_t i = 0; i < n; ++i, ++coefficient)
          if (list[i] >= first && list[i] < last)
            {
              atoms_.push_back(list[i] - first);
              coefficients_.push_back(*coefficient);
            }
        starts_.push_back(atoms_.size());
      }
  }


  void
  ExpansionBlock::add(const std::size_t s,
                      const std::size_t width,
                      const double     *in,
                      const std::size_t stride,
                      double           *out) const
  {
    add_rows(starts_[s + 1] - starts_[s],
             atoms_.data() + starts_[s],
             coefficients_.data() + starts_[s],
             in,
             stride,
             width,
             out);
  }


  std::unique_ptr<Evaluator>
  action_evaluator(const QuadratureRule &rule)
  {
    static const std::vector<double> unit_matrix;
    auto                             result = make_evaluator("cpu");
    result->reinit(rule, unit_matrix, rule.n_rows);
    return result;
  }


  void
  visit_actions(const AtomList      &pool,
                const Evaluator     &evaluator,
                const std::size_t    n_rows,
                const ActionVisitor &visit)
  {
    const std::size_t n = std::clamp<std::size_t>(
      memory_of_actions / sizeof(double) / std::max<std::size_t>(n_rows, 1),
      256,
      4096);
    std::vector<double> actions(std::min(n, pool.size()) * n_rows);
    for (std::size_t first = 0; first < pool.size(); first += n)
      {
        const std::size_t last = std::min(first + n, pool.size());
        evaluator.coordinates(part(pool, first, last), actions.data());
        visit(first, last, actions.data());
      }
  }
} // namespace Evergreen
