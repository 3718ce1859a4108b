// The fast backend for processors: the sparse B first, in tiles of atoms that
// stay in cache, then C by matrix products. Every task is one thread of TBB,
// and BLAS must run with one thread (see Blas::SingleThread).

#include <evergreen/base/blas.h>
#include <evergreen/dictionary/evaluator.h>
#include <evergreen/dictionary/simd.h>

#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>

namespace Evergreen
{
  namespace
  {
    // How many atoms one task takes through B and C: enough columns for an
    // efficient matrix product, few enough to stay in the second-level cache.
    constexpr std::size_t atoms_per_task = 128;

    // How many quadrature points of the weights P one atom tile meets at once.
    constexpr std::size_t points_per_chunk = 512;

    // At how many points radial atoms are evaluated before B is applied.
    constexpr std::size_t points_per_action = 256;


    /** A consecutive run of atoms of one kind, at most max_size of them. */
    struct Run
    {
      const AtomList   &atoms;
      const std::size_t first;
      std::size_t       n = 1;

      Run(const AtomList   &list,
          const std::size_t begin,
          const std::size_t max_size)
        : atoms(list), first(begin)
      {
        while (n < max_size && first + n < atoms.size() &&
               atoms.kinds[first + n] == kind())
          ++n;
      }

      AtomKind
      kind() const
      {
        return atoms.kinds[first];
      }

      double
      bias(const std::size_t l) const
      {
        return atoms.biases[first + l];
      }

      const double *
      weights(const std::size_t l) const
      {
        return atoms.weights.data() + (first + l) * atoms.dim;
      }
    };


    // The action B g of a run of at most ridge_tile ridge atoms, into
    // tile[row * ridge_tile + atom].
    void
    ridge_actions(const QuadratureRule &rule, const Run &run, double *tile)
    {
      constexpr std::size_t width = Simd::ridge_tile;
      const unsigned int    dim   = rule.dim;
      std::vector<double>   weights(dim * width), biases(width);
      for (std::size_t l = 0; l < run.n; ++l)
        {
          biases[l] = run.bias(l);
          for (unsigned int d = 0; d < dim; ++d)
            weights[d * width + l] = run.weights(l)[d];
        }
      Simd::loops().accumulate_ridge(
        relu_power(run.kind()), rule, weights.data(), biases.data(), tile);
    }


    // tile += B g for a chunk of points; g[q * width + atom].
    void
    apply_rule(const QuadratureRule &rule,
               const std::size_t     begin,
               const std::size_t     n,
               const double         *g,
               double               *tile)
    {
      constexpr std::size_t width = Simd::ridge_tile;
      for (std::size_t q = 0; q < n; ++q)
        for (std::size_t k = rule.column_starts[begin + q];
             k < rule.column_starts[begin + q + 1];
             ++k)
          {
            const double  value = rule.values[k];
            double *const row   = tile + rule.rows[k] * width;
            for (std::size_t l = 0; l < width; ++l)
              row[l] += value * g[q * width + l];
          }
    }


    // The shifts a, w_x . x_i + b, of a tile of atoms, row by row.
    template <typename Number>
    std::vector<Number>
    row_shifts(const Run &run, const MatrixView<const double> x)
    {
      std::vector<Number> a(x.n_columns * Simd::kernel_tile);
      for (std::size_t i = 0; i < x.n_columns; ++i)
        for (std::size_t j = 0; j < run.n; ++j)
          {
            double z = run.bias(j);
            for (unsigned int d = 0; d < x.n_rows; ++d)
              z += run.weights(j)[d] * x.column(i)[d];
            a[i * Simd::kernel_tile + j] = static_cast<Number>(z);
          }
      return a;
    }


    // The parts c = w_y . y_q of a chunk of quadrature points, atom by atom.
    template <typename Number>
    void
    column_shifts(const Run            &run,
                  const QuadratureRule &rule,
                  const std::size_t     begin,
                  const std::size_t     n_columns,
                  Number               *c)
    {
      const unsigned int dim = rule.dim;
      const std::size_t  end = std::min(begin + n_columns, rule.n_points());
      for (std::size_t j = 0; j < run.n; ++j)
        {
          const double *const w = run.weights(j) + dim;
          for (std::size_t q = begin; q < end; ++q)
            {
              double z = 0;
              for (unsigned int d = 0; d < dim; ++d)
                z += w[d] * rule.points[q * dim + d];
              c[j * n_columns + q - begin] = static_cast<Number>(z);
            }
        }
    }


    class CpuEvaluator : public Evaluator
    {
    public:
      void
      reinit(const QuadratureRule      &new_rule,
             const std::vector<double> &new_c,
             const std::size_t          new_n_rows) override
      {
        Evaluator::reinit(new_rule, new_c, new_n_rows);
        points = coordinates_of(new_rule);
      }

      void
      coordinates(const AtomList &atoms, double *h) const override
      {
        tbb::parallel_for(std::size_t(0),
                          (atoms.size() + atoms_per_task - 1) / atoms_per_task,
                          [&](const std::size_t task) {
                            const std::size_t first = task * atoms_per_task;
                            const std::size_t last =
                              std::min(first + atoms_per_task, atoms.size());
                            project(atoms, first, last, h + first * n_rows);
                          });
      }

      std::vector<double>
      kernel_correlations(const AtomList                &atoms,
                          const MatrixView<const double> x,
                          const MatrixView<const double> p,
                          const bool                     single) const override
      {
        if (!single)
          return fused_correlations(atoms, x, p);
        const std::vector<float> numbers(p.data, p.data + p.n_columns * p.ld);
        return fused_correlations(
          atoms,
          x,
          MatrixView<const float>(numbers.data(), p.n_rows, p.n_columns, p.ld));
      }

    private:
      /** The coordinates of the atoms [first, last). */
      void
      project(const AtomList   &atoms,
              const std::size_t first,
              const std::size_t last,
              double           *h) const
      {
        const std::size_t         m = rule->n_rows, n = last - first;
        const std::vector<double> action = actions(atoms, first, last);
        if (c->empty() || m == 0)
          {
            std::fill(h, h + n * n_rows, 0.);
            for (std::size_t k = 0; k < m; ++k)
              for (std::size_t j = 0; j < n; ++j)
                h[j * n_rows + k] = action[k * n + j];
          }
        else
          Blas::gemm('N',
                     'T',
                     1.,
                     {c->data(), n_rows, m},
                     {action.data(), n, m},
                     0.,
                     {h, n_rows, n});
      }

      /**
       * The action B g of the atoms [first, last), one row of the result per
       * shape function and one column per atom.
       */
      std::vector<double>
      actions(const AtomList   &atoms,
              const std::size_t first,
              const std::size_t last) const
      {
        constexpr std::size_t width = Simd::ridge_tile;
        std::vector<double>   result(rule->n_rows * (last - first));
        std::vector<double>   tile(rule->n_rows * width);
        for (std::size_t j = first; j < last;)
          {
            const Run run(atoms, j, std::min(width, last - j));
            std::fill(tile.begin(), tile.end(), 0.);
            if (atom_form(run.kind()) == AtomForm::ridge)
              ridge_actions(*rule, run, tile.data());
            else
              radial_actions(run, tile.data());
            for (std::size_t k = 0; k < rule->n_rows; ++k)
              std::copy_n(tile.data() + k * width,
                          run.n,
                          result.data() + k * (last - first) + j - first);
            j += run.n;
          }
        return result;
      }

      /** The same for centred atoms, with the near field's quadrature. */
      void
      radial_actions(const Run &run, double *tile) const
      {
        constexpr std::size_t width = Simd::ridge_tile;
        std::vector<double>   values(points_per_action);
        std::vector<double>   g(points_per_action * width, 0.);
        for (std::size_t q = 0; q < rule->n_points(); q += points_per_action)
          {
            const std::size_t n_here =
              std::min(points_per_action, rule->n_points() - q);
            for (std::size_t l = 0; l < run.n; ++l)
              {
                radial_values_at(run, l, run.weights(l), q, n_here, values);
                for (std::size_t i = 0; i < n_here; ++i)
                  g[i * width + l] = values[i];
              }
            apply_rule(*rule, q, n_here, g.data(), tile);
          }
        for (std::size_t l = 0; l < run.n; ++l)
          add_near_field(*rule, run.atoms, run.first + l, tile + l, width);
      }

      /**
       * The profile of a radial atom of a run around any centre, at the points
       * [begin, begin + n).
       */
      void
      radial_values_at(const Run           &run,
                       const std::size_t    l,
                       const double        *centre,
                       const std::size_t    begin,
                       const std::size_t    n,
                       std::vector<double> &values) const
      {
        const double *pointers[3] = {};
        for (std::size_t d = 0; d < points.size(); ++d)
          pointers[d] = points[d].data() + begin;
        radial_values(radial_function(run.kind()),
                      run.bias(l),
                      static_cast<unsigned int>(points.size()),
                      centre,
                      n,
                      pointers,
                      values.data());
      }

      template <typename Number>
      std::vector<double>
      fused_correlations(const AtomList                &atoms,
                         const MatrixView<const double> x,
                         const MatrixView<const Number> p) const
      {
        std::vector<double> result(atoms.size());
        std::vector<Run>    runs;
        for (std::size_t j = 0; j < atoms.size(); j += runs.back().n)
          runs.emplace_back(atoms, j, Simd::kernel_tile);
        tbb::parallel_for(std::size_t(0),
                          runs.size(),
                          [&](const std::size_t t) {
                            const Run     &run  = runs[t];
                            const AtomForm form = atom_form(run.kind());
                            double *const  sums = result.data() + run.first;
                            if (form == AtomForm::ridge)
                              ridge_correlations(run, x, p, sums);
                            else if (form == AtomForm::difference)
                              difference_correlations(run, x, p, sums);
                            else
                              product_correlations(run, x, p, sums);
                          });
        return result;
      }

      template <typename Number>
      void
      ridge_correlations(const Run                     &run,
                         const MatrixView<const double> x,
                         const MatrixView<const Number> p,
                         double                        *result) const
      {
        const auto          a = row_shifts<Number>(run, x);
        std::vector<Number> columns(Simd::kernel_tile * points_per_chunk);
        double              sums[Simd::kernel_tile] = {};
        for (std::size_t begin = 0; begin < p.n_rows; begin += points_per_chunk)
          {
            const std::size_t n_here =
              std::min(points_per_chunk, p.n_rows - begin);
            column_shifts(run, *rule, begin, n_here, columns.data());
            Simd::loops<Number>().kernel_sums(relu_power(run.kind()),
                                              x.n_columns,
                                              n_here,
                                              a.data(),
                                              columns.data(),
                                              p.data + begin,
                                              p.ld,
                                              sums);
          }
        std::copy_n(sums, run.n, result);
      }

      template <typename Number>
      void
      difference_correlations(const Run                     &run,
                              const MatrixView<const double> x,
                              const MatrixView<const Number> p,
                              double                        *result) const
      {
        std::vector<double> values(rule->n_points());
        for (std::size_t l = 0; l < run.n; ++l)
          for (std::size_t i = 0; i < x.n_columns; ++i)
            {
              radial_values_at(run, l, x.column(i), 0, values.size(), values);
              for (std::size_t q = 0; q < values.size(); ++q)
                result[l] += values[q] * p.column(i)[q];
            }
      }

      template <typename Number>
      void
      product_correlations(const Run                     &run,
                           const MatrixView<const double> x,
                           const MatrixView<const Number> p,
                           double                        *result) const
      {
        // The factors in y of all atoms, their products with all rows of P, and
        // then the factors in x.
        const std::size_t           n_x = x.n_columns;
        std::vector<double>         values(rule->n_points());
        std::vector<Number>         factors(run.n * p.n_rows);
        std::vector<Number>         products(run.n * n_x);
        std::vector<const Number *> rows(n_x);
        for (std::size_t l = 0; l < run.n; ++l)
          {
            radial_values_at(
              run, l, run.weights(l) + rule->dim, 0, values.size(), values);
            std::copy(values.begin(),
                      values.end(),
                      factors.begin() + l * p.n_rows);
          }
        for (std::size_t i = 0; i < n_x; ++i)
          rows[i] = p.column(i);
        Simd::loops<Number>().correlate(p.n_rows,
                                        factors.data(),
                                        p.n_rows,
                                        run.n,
                                        rows.data(),
                                        n_x,
                                        products.data());

        for (std::size_t l = 0; l < run.n; ++l)
          for (std::size_t i = 0; i < n_x; ++i)
            {
              double square = 0;
              for (unsigned int d = 0; d < rule->dim; ++d)
                square += std::pow(x.column(i)[d] - run.weights(l)[d], 2);
              result[l] += radial_value(radial_function(run.kind()),
                                        run.bias(l),
                                        std::sqrt(square)) *
                           products[i * run.n + l];
            }
      }

      /** The quadrature points, direction by direction. */
      std::vector<std::vector<double>> points;
    };
  } // namespace


  std::unique_ptr<Evaluator>
  make_cpu_evaluator()
  {
    return std::make_unique<CpuEvaluator>();
  }
} // namespace Evergreen
