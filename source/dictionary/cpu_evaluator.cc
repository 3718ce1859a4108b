// The fast backend for processors: the sparse B first, in tiles of atoms that
// stay in cache, then C by matrix products. Every task is one thread of TBB,
// and BLAS must run with one thread (see Blas::SingleThread).

#include "radial_actions.h"

#include <evergreen/base/blas.h>
#include <evergreen/dictionary/evaluator.h>
#include <evergreen/dictionary/simd.h>

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <algorithm>

namespace Evergreen
{
  namespace
  {
    // How many atoms one task takes through B and C: enough columns for an
    // efficient matrix product, few enough to stay in the second-level cache.
    constexpr std::size_t atoms_per_task = 128;

    // How many quadrature points of the weights P one atom tile meets at once.
    constexpr std::size_t points_per_chunk = 512;


    // A consecutive run of atoms of one kind, at most max_size of them.
    std::size_t
    run_length(const AtomList   &atoms,
               const std::size_t first,
               const std::size_t max_size)
    {
      std::size_t n = 1;
      while (n < max_size && first + n < atoms.size() &&
             atoms.kinds[first + n] == atoms.kinds[first])
        ++n;
      return n;
    }


    // The action B g of a run of at most ridge_tile ridge atoms of one power,
    // into tile[row * ridge_tile + atom].
    void
    ridge_actions(const QuadratureRule &rule,
                  const AtomList       &atoms,
                  const std::size_t     first,
                  const std::size_t     n,
                  double               *tile)
    {
      constexpr std::size_t width = Simd::ridge_tile;
      const unsigned int    dim   = rule.dim;
      std::vector<double>   weights(dim * width), biases(width);
      for (std::size_t l = 0; l < n; ++l)
        {
          biases[l] = atoms.biases[first + l];
          for (unsigned int d = 0; d < dim; ++d)
            weights[d * width + l] = atoms.weights[(first + l) * dim + d];
        }
      Simd::loops().accumulate_ridge(relu_power(atoms.kinds[first]),
                                     rule,
                                     weights.data(),
                                     biases.data(),
                                     tile);
    }


    // The action B g of the atoms [first, last), one row of result per shape
    // function and one column per atom.
    void
    actions(const QuadratureRule                   &rule,
            const std::vector<std::vector<double>> &points,
            const AtomList                         &atoms,
            const std::size_t                       first,
            const std::size_t                       last,
            std::vector<double>                    &result)
    {
      constexpr std::size_t width = Simd::ridge_tile;
      std::vector<double>   tile(rule.n_rows * width);
      for (std::size_t j = first, n; j < last; j += n)
        {
          n = run_length(atoms, j, std::min(width, last - j));
          std::fill(tile.begin(), tile.end(), 0.);
          if (atom_form(atoms.kinds[j]) == AtomForm::ridge)
            ridge_actions(rule, atoms, j, n, tile.data());
          else
            radial_actions(rule, points, atoms, j, n, tile.data());
          for (std::size_t k = 0; k < rule.n_rows; ++k)
            std::copy_n(tile.data() + k * width,
                        n,
                        result.data() + k * (last - first) + j - first);
        }
    }


    // The shifts a, w_x . x_i + b, of a tile of atoms, row by row.
    template <typename Number>
    std::vector<Number>
    row_shifts(const AtomList                &atoms,
               const std::size_t              first,
               const std::size_t              n,
               const MatrixView<const double> x)
    {
      std::vector<Number> a(x.n_columns * Simd::kernel_tile);
      for (std::size_t i = 0; i < x.n_columns; ++i)
        for (std::size_t j = 0; j < n; ++j)
          {
            double z = atoms.biases[first + j];
            for (unsigned int d = 0; d < x.n_rows; ++d)
              z += atoms.weights[(first + j) * atoms.dim + d] * x.column(i)[d];
            a[i * Simd::kernel_tile + j] = static_cast<Number>(z);
          }
      return a;
    }


    // The parts c = w_y . y_q of a chunk of quadrature points, atom by atom.
    template <typename Number>
    void
    column_shifts(const AtomList       &atoms,
                  const std::size_t     first,
                  const std::size_t     n,
                  const QuadratureRule &rule,
                  const std::size_t     begin,
                  const std::size_t     n_columns,
                  Number               *c)
    {
      const unsigned int dim = rule.dim;
      const std::size_t  end = std::min(begin + n_columns, rule.n_points());
      for (std::size_t j = 0; j < n; ++j)
        {
          const double *const w =
            atoms.weights.data() + (first + j) * atoms.dim + dim;
          for (std::size_t q = begin; q < end; ++q)
            {
              double z = 0;
              for (unsigned int d = 0; d < dim; ++d)
                z += w[d] * rule.points[q * dim + d];
              c[j * n_columns + q - begin] = static_cast<Number>(z);
            }
        }
    }


    // The fused search for a tile of n ridge atoms of one kind.
    template <typename Number>
    void
    ridge_correlations(const QuadratureRule          &rule,
                       const AtomList                &atoms,
                       const std::size_t              first,
                       const std::size_t              n,
                       const MatrixView<const double> x,
                       const MatrixView<const Number> p,
                       double                        *result)
    {
      const auto          a = row_shifts<Number>(atoms, first, n, x);
      std::vector<Number> c(Simd::kernel_tile * points_per_chunk);
      double              sums[Simd::kernel_tile] = {};
      for (std::size_t begin = 0; begin < p.n_rows; begin += points_per_chunk)
        {
          const std::size_t n_here =
            std::min(points_per_chunk, p.n_rows - begin);
          column_shifts(atoms, first, n, rule, begin, n_here, c.data());
          Simd::loops<Number>().kernel_sums(relu_power(atoms.kinds[first]),
                                            x.n_columns,
                                            n_here,
                                            a.data(),
                                            c.data(),
                                            p.data + begin,
                                            p.ld,
                                            sums);
        }
      std::copy_n(sums, n, result + first);
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
        const std::size_t   m = rule->n_rows, n = last - first;
        std::vector<double> action(m * n);
        actions(*rule, points, atoms, first, last, action);
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

      template <typename Number>
      std::vector<double>
      fused_correlations(const AtomList                &atoms,
                         const MatrixView<const double> x,
                         const MatrixView<const Number> p) const
      {
        std::vector<double>      result(atoms.size());
        std::vector<std::size_t> starts;
        for (std::size_t j = 0; j < atoms.size();
             j += run_length(atoms, j, Simd::kernel_tile))
          starts.push_back(j);
        tbb::parallel_for(std::size_t(0), starts.size(), [&](std::size_t t) {
          const std::size_t first = starts[t];
          const std::size_t n     = run_length(atoms, first, Simd::kernel_tile);
          const auto        form  = atom_form(atoms.kinds[first]);
          if (form == AtomForm::ridge)
            ridge_correlations(*rule, atoms, first, n, x, p, result.data());
          else if (form == AtomForm::difference)
            difference_correlations(
              points, atoms, first, n, x, p, result.data());
          else
            product_correlations(points, atoms, first, n, x, p, result.data());
        });
        return result;
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
