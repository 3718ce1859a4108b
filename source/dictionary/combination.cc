#include <evergreen/dictionary/clones.h>
#include <evergreen/dictionary/combination.h>

#include <algorithm>
#include <cmath>

namespace Evergreen
{
  namespace
  {
    /** Points are worked on in pieces that stay in the first cache. */
    constexpr std::size_t piece = 512;

    /** The same if there are values of several combinations. */
    constexpr std::size_t piece_of_several = 128;


    /** values[q] += alpha max(w.y[q] + b, 0)^power in 1, 2 or 3 variables. */
    template <unsigned int dim, unsigned int power>
    EVERGREEN_INLINE void
    add_ridge(const std::size_t    n,
              const double        *w,
              const double         b,
              const double         alpha,
              const double *const *y,
              const std::size_t    begin,
              double              *values)
    {
      const double *const y0 = y[0] + begin;
      const double *const y1 = y[dim > 1 ? 1 : 0] + begin;
      const double *const y2 = y[dim > 2 ? 2 : 0] + begin;
      const double        w0 = w[0];
      const double        w1 = dim > 1 ? w[dim > 1 ? 1 : 0] : 0.;
      const double        w2 = dim > 2 ? w[dim > 2 ? 2 : 0] : 0.;
      for (std::size_t q = 0; q < n; ++q)
        {
          double z = b + w0 * y0[q];
          if (dim > 1)
            z += w1 * y1[q];
          if (dim > 2)
            z += w2 * y2[q];
          z = z > 0. ? z : 0.;
          if (power == 2)
            z *= z;
          else if (power == 3)
            z *= z * z;
          else if (power == 4)
            {
              z *= z;
              z *= z;
            }
          values[q] += alpha * z;
        }
    }


    template <unsigned int dim>
    EVERGREEN_INLINE void
    add_ridge(const unsigned int   power,
              const std::size_t    n,
              const double        *w,
              const double         b,
              const double         alpha,
              const double *const *y,
              const std::size_t    begin,
              double              *values)
    {
      if (power == 1)
        add_ridge<dim, 1>(n, w, b, alpha, y, begin, values);
      else if (power == 2)
        add_ridge<dim, 2>(n, w, b, alpha, y, begin, values);
      else if (power == 3)
        add_ridge<dim, 3>(n, w, b, alpha, y, begin, values);
      else
        add_ridge<dim, 4>(n, w, b, alpha, y, begin, values);
    }


    /** alpha times ridge atom i of a list at the points of one piece. */
    EVERGREEN_INLINE void
    add_ridge(const AtomList      &atoms,
              const std::size_t    i,
              const double         alpha,
              const std::size_t    n,
              const double *const *y,
              const std::size_t    begin,
              double              *values)
    {
      const unsigned int  power = relu_power(atoms.kinds[i]);
      const double *const w     = &atoms.weights[i * atoms.dim];
      const double        b     = atoms.biases[i];
      if (atoms.dim == 1)
        add_ridge<1>(power, n, w, b, alpha, y, begin, values);
      else if (atoms.dim == 2)
        add_ridge<2>(power, n, w, b, alpha, y, begin, values);
      else
        add_ridge<3>(power, n, w, b, alpha, y, begin, values);
    }


    /** All ridge atoms of a list at the points of one piece. */
    EVERGREEN_CLONES void
    add_ridges(const AtomList      &atoms,
               const double        *coefficients,
               const std::size_t    n_atoms,
               const std::size_t    n,
               const double *const *y,
               const std::size_t    begin,
               double              *values)
    {
      for (std::size_t i = 0; i < n_atoms; ++i)
        if (atom_form(atoms.kinds[i]) == AtomForm::ridge)
          add_ridge(atoms, i, coefficients[i], n, y, begin, values);
    }


    /** Radial atom i of a list at the points of one piece. */
    void
    evaluate_radial(const AtomList      &atoms,
                    const std::size_t    i,
                    const std::size_t    n,
                    const double *const *y,
                    const std::size_t    begin,
                    double              *psi)
    {
      const double *pieces[3] = {};
      for (unsigned int d = 0; d < atoms.dim; ++d)
        pieces[d] = y[d] + begin;
      radial_values(radial_function(atoms.kinds[i]),
                    atoms.biases[i],
                    atoms.dim,
                    &atoms.weights[i * atoms.dim],
                    n,
                    pieces,
                    psi);
    }


    /** All radial atoms of a list at the points of one piece. */
    void
    add_radials(const AtomList      &atoms,
                const double        *coefficients,
                const std::size_t    n_atoms,
                const std::size_t    n,
                const double *const *y,
                const std::size_t    begin,
                double              *values)
    {
      double psi[piece];
      for (std::size_t i = 0; i < n_atoms; ++i)
        if (atom_form(atoms.kinds[i]) == AtomForm::centred)
          {
            evaluate_radial(atoms, i, n, y, begin, psi);
            for (std::size_t q = 0; q < n; ++q)
              values[q] += coefficients[i] * psi[q];
          }
    }


    /** Adds atom i, whose values are @p g, to all combinations that have it. */
    EVERGREEN_INLINE void
    add_to_all(const std::vector<std::vector<double>> &coefficients,
               const std::size_t                       i,
               const std::size_t                       n,
               const double                           *g,
               double                                 *values)
    {
      for (std::size_t l = 0; l < coefficients.size(); ++l)
        if (i < coefficients[l].size())
          {
            const double  alpha = coefficients[l][i];
            double *const v     = values + l * n;
            for (std::size_t q = 0; q < n; ++q)
              v[q] += alpha * g[q];
          }
    }


    /**
     * All combinations at the points of one piece, one combination after the
     * other: an atom is evaluated once, if it is not known, and added to all
     * that have it.
     */
    EVERGREEN_CLONES void
    add_several(const AtomList                         &atoms,
                const std::vector<std::vector<double>> &coefficients,
                const std::size_t                       n_atoms,
                const std::vector<const double *>      &known,
                const std::size_t                       n,
                const double *const                    *y,
                const std::size_t                       begin,
                double                                 *values)
    {
      double     g[piece_of_several];
      const bool alone = coefficients.size() == 1;
      for (std::size_t i = 0; i < n_atoms; ++i)
        {
          const double *g_i = g;
          if (!known.empty() && known[i] != nullptr)
            g_i = known[i] + begin;
          else if (atom_form(atoms.kinds[i]) != AtomForm::ridge)
            evaluate_radial(atoms, i, n, y, begin, g);
          else if (alone)
            {
              add_ridge(atoms, i, coefficients[0][i], n, y, begin, values);
              continue;
            }
          else
            {
              std::fill_n(g, n, 0.);
              add_ridge(atoms, i, 1., n, y, begin, g);
            }
          add_to_all(coefficients, i, n, g_i, values);
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
    for (std::size_t begin = 0; begin < n_points; begin += piece)
      for (const auto add : {add_ridges, add_radials})
        add(atoms,
            coefficients,
            n_atoms,
            std::min(piece, n_points - begin),
            coordinates,
            begin,
            values + begin);
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
                    coordinates,
                    begin,
                    values.data());
        visit(begin, n, values.data());
      }
  }
} // namespace Evergreen
