#include <evergreen/dictionary/combination.h>
#include <evergreen/dictionary/simd.h>

#include <algorithm>
#include <array>

namespace Evergreen
{
  namespace
  {
    /** Points are worked on in pieces that stay in the first cache. */
    constexpr std::size_t piece = 512;

    /** The same if there are values of several combinations. */
    constexpr std::size_t piece_of_several = 128;


    /** Pointers to the coordinates of the points from @p begin on. */
    std::array<const double *, 3>
    piece_of(const unsigned int   dim,
             const double *const *y,
             const std::size_t    begin)
    {
      std::array<const double *, 3> result = {};
      for (unsigned int d = 0; d < dim; ++d)
        result[d] = y[d] + begin;
      return result;
    }


    /** Adds alpha times ridge atom i of a list at the points of one piece. */
    void
    add_ridge(const AtomList      &atoms,
              const std::size_t    i,
              const double         alpha,
              const std::size_t    n,
              const double *const *y,
              double              *values)
    {
      Simd::loops().add_ridge(atoms.dim,
                              relu_power(atoms.kinds[i]),
                              n,
                              &atoms.weights[i * atoms.dim],
                              atoms.biases[i],
                              alpha,
                              y,
                              values);
    }


    /** Radial atom i of a list at the points of one piece. */
    void
    evaluate_radial(const AtomList      &atoms,
                    const std::size_t    i,
                    const std::size_t    n,
                    const double *const *y,
                    double              *psi)
    {
      radial_values(radial_function(atoms.kinds[i]),
                    atoms.biases[i],
                    atoms.dim,
                    &atoms.weights[i * atoms.dim],
                    n,
                    y,
                    psi);
    }


    /**
     * All combinations at the points of one piece, one combination after the
     * other: an atom is evaluated once, if it is not known, and added to all
     * that have it.
     */
    void
    add_several(const AtomList                         &atoms,
                const std::vector<std::vector<double>> &coefficients,
                const std::size_t                       n_atoms,
                const std::vector<const double *>      &known,
                const std::size_t                       n,
                const double *const                    *y,
                const std::size_t                       begin,
                double                                 *values)
    {
      const auto add   = Simd::loops().add;
      const bool alone = coefficients.size() == 1;
      double     g[piece_of_several];
      for (std::size_t i = 0; i < n_atoms; ++i)
        {
          const double *g_i = g;
          if (!known.empty() && known[i] != nullptr)
            g_i = known[i] + begin;
          else if (atom_form(atoms.kinds[i]) != AtomForm::ridge)
            evaluate_radial(atoms, i, n, y, g);
          else if (alone)
            {
              add_ridge(atoms, i, coefficients[0][i], n, y, values);
              continue;
            }
          else
            {
              std::fill_n(g, n, 0.);
              add_ridge(atoms, i, 1., n, y, g);
            }
          for (std::size_t l = 0; l < coefficients.size(); ++l)
            if (i < coefficients[l].size())
              add(n, coefficients[l][i], g_i, values + l * n);
        }
    }
  } // namespace


  void
  add_combination(const AtomList      &atoms,
                  const double        *coefficients,
                  const std::size_t    n_atoms,
                  const std::size_t    n_points,
                  const double *const *coordinates,
                  double              *values)
  {
    double g[piece];
    for (std::size_t begin = 0; begin < n_points; begin += piece)
      {
        const std::size_t n = std::min(piece, n_points - begin);
        const auto        y = piece_of(atoms.dim, coordinates, begin);
        for (std::size_t i = 0; i < n_atoms; ++i)
          if (atom_form(atoms.kinds[i]) == AtomForm::ridge)
            add_ridge(atoms, i, coefficients[i], n, y.data(), values + begin);
          else
            {
              evaluate_radial(atoms, i, n, y.data(), g);
              Simd::loops().add(n, coefficients[i], g, values + begin);
            }
      }
  }


  void
  visit_combinations(const AtomList                         &atoms,
                     const std::vector<std::vector<double>> &coefficients,
                     const std::size_t                       n_points,
                     const double *const                    *coordinates,
                     const CombinationVisitor               &visit,
                     const std::vector<const double *>      &known)
  {
    std::size_t n_atoms = 0;
    for (const auto &combination : coefficients)
      n_atoms = std::max(n_atoms, combination.size());
    std::vector<double> values(coefficients.size() * piece_of_several);
    for (std::size_t begin = 0; begin < n_points; begin += piece_of_several)
      {
        const std::size_t n = std::min(piece_of_several, n_points - begin);
        std::fill(values.begin(), values.end(), 0.);
        add_several(atoms,
                    coefficients,
                    n_atoms,
                    known,
                    n,
                    piece_of(atoms.dim, coordinates, begin).data(),
                    begin,
                    values.data());
        visit(begin, n, values.data());
      }
  }
} // namespace Evergreen
