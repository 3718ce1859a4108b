#include <evergreen/dictionary/radial.h>
#include <evergreen/dictionary/simd.h>
#include <evergreen/kernel/expansions.h>

#include <tbb/parallel_for.h>

#include <algorithm>
#include <limits>

namespace Evergreen
{
  namespace
  {
    // The values of the radial atoms of a pool should stay in cache, and those
    // of an expansion on all levels in the first one.
    constexpr std::size_t memory_of_values = std::size_t(8) << 20;
    constexpr std::size_t min_points = 64, max_points = 512, max_values = 2048;

    constexpr auto none = std::numeric_limits<std::uint32_t>::max();


    /** Adds alpha times ridge atom i of a list at @p n points. */
    void
    add_ridge(const AtomList     &atoms,
              const std::size_t   i,
              const std::size_t   n,
              const double        alpha,
              const double *const y[3],
              double             *out)
    {
      Simd::loops().add_ridge(atoms.dim,
                              relu_power(atoms.kinds[i]),
                              n,
                              &atoms.weights[i * atoms.dim],
                              atoms.biases[i],
                              alpha,
                              y,
                              out);
    }


    /** The coefficients of one expansion on the levels. */
    struct LevelCoefficients
    {
      std::size_t   n_atoms;
      const double *values;
    };


    /**
     * The values of one expansion at @p n points, level by level. Of radial
     * atoms they are @p known: those of atom a start at known[number[a] n].
     */
    void
    evaluate(const AtomList                       &pool,
             const std::uint32_t                  *atoms,
             const std::vector<LevelCoefficients> &levels,
             const std::uint32_t                  *number,
             const double                         *known,
             const std::size_t                     n,
             const double *const                   y[3],
             double                               *values)
    {
      const auto add = Simd::loops().add;
      double     ridge[max_points];
      std::fill_n(values, levels.size() * n, 0.);
      for (std::size_t i = 0; i < levels.back().n_atoms; ++i)
        {
          const double *g = ridge;
          if (number[atoms[i]] != none)
            g = known + number[atoms[i]] * n;
          else if (levels.size() == 1)
            {
              add_ridge(pool, atoms[i], n, levels[0].values[i], y, values);
              continue;
            }
          else
            {
              std::fill_n(ridge, n, 0.);
              add_ridge(pool, atoms[i], n, 1., y, ridge);
            }
          for (std::size_t l = 0; l < levels.size(); ++l)
            if (i < levels[l].n_atoms)
              add(n, levels[l].values[i], g, values + l * n);
        }
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


  void
  visit_values(const Expansions     &expansions,
               const QuadratureRule &rule,
               const ValueVisitor   &visit)
  {
    const AtomList            &pool     = expansions.pool;
    const std::size_t          n_points = rule.n_points();
    const auto                 points   = coordinates_of(rule);
    std::vector<std::size_t>   radial;
    std::vector<std::uint32_t> number(pool.size(), none);
    for (std::size_t i = 0; i < pool.size(); ++i)
      if (atom_form(pool.kinds[i]) == AtomForm::centred &&
          !expansions.levels.empty())
        {
          number[i] = radial.size();
          radial.push_back(i);
        }
    std::vector<std::vector<LevelCoefficients>> coefficients(expansions.size());
    for (const auto &level : expansions.levels)
      {
        const auto starts = expansions.starts_on(level);
        for (std::size_t s = 0; s < expansions.size(); ++s)
          coefficients[s].push_back(
            {starts[s + 1] - starts[s], level.coefficients.data() + starts[s]});
      }

    const std::size_t step =
      std::clamp(std::min(memory_of_values / sizeof(double) /
                            (radial.size() + 1),
                          max_values / (expansions.levels.size() + 1)) /
                   min_points * min_points,
                 min_points,
                 max_points);
    std::vector<double> known(radial.size() * step);
    for (std::size_t first = 0; first < n_points; first += step)
      {
        const std::size_t n    = std::min(step, n_points - first);
        const double     *y[3] = {};
        for (unsigned int d = 0; d < 3; ++d)
          y[d] = points[d < pool.dim ? d : 0].data() + first;
        tbb::parallel_for(std::size_t(0), radial.size(), [&](const auto i) {
          radial_values(radial_function(pool.kinds[radial[i]]),
                        pool.biases[radial[i]],
                        pool.dim,
                        &pool.weights[radial[i] * pool.dim],
                        n,
                        y,
                        &known[i * n]);
        });
        tbb::parallel_for(std::size_t(0), expansions.size(), [&](const auto s) {
          std::vector<double> values(expansions.levels.size() * n);
          if (!values.empty())
            evaluate(pool,
                     expansions.atoms.data() + expansions.starts[s],
                     coefficients[s],
                     number.data(),
                     known.data(),
                     n,
                     y,
                     values.data());
          visit(s, first, n, values.data());
        });
      }
  }
} // namespace Evergreen
