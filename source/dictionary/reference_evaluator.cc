#include <evergreen/dictionary/near_corrections.h>
#include <evergreen/dictionary/reference_evaluator.h>

#include <algorithm>

namespace Evergreen
{
  void
  ReferenceEvaluator::coordinates(const AtomList &atoms, double *h) const
  {
    for (std::size_t j = 0; j < atoms.size(); ++j)
      {
        std::vector<double> action(rule->n_rows);
        for (std::size_t q = 0; q < rule->n_points(); ++q)
          {
            const double g =
              atoms.value(j, rule->points.data() + q * rule->dim);
            for (std::size_t k = rule->column_starts[q];
                 k < rule->column_starts[q + 1];
                 ++k)
              action[rule->rows[k]] += rule->values[k] * g;
          }

        add_near_field(*rule, atoms, j, action.data());

        double *const column = h + j * n_rows;
        std::fill(column, column + n_rows, 0.);
        if (c->empty())
          std::copy(action.begin(), action.end(), column);
        else
          for (std::size_t k = 0; k < action.size(); ++k)
            for (std::size_t i = 0; i < n_rows; ++i)
              column[i] += (*c)[k * n_rows + i] * action[k];
      }
  }


  namespace
  {
    template <typename Number>
    void
    naive_correlations(const std::size_t    n,
                       const Number        *h,
                       const std::size_t    ldh,
                       const std::size_t    n_atoms,
                       const Number *const *residuals,
                       const std::size_t    n_slices,
                       Number              *result)
    {
      for (std::size_t s = 0; s < n_slices; ++s)
        for (std::size_t j = 0; j < n_atoms; ++j)
          {
            double sum = 0;
            for (std::size_t k = 0; k < n; ++k)
              sum += double(h[j * ldh + k]) * residuals[s][k];
            result[s * n_atoms + j] = static_cast<Number>(sum);
          }
    }


    template <typename Number>
    void
    naive_kernel_correlations(const QuadratureRule &rule,
                              const AtomList       &atoms,
                              const std::size_t     n_x,
                              const double         *x,
                              const Number         *p,
                              const std::size_t     ldp,
                              double               *result)
    {
      const unsigned int  dim = rule.dim;
      std::vector<double> point(2 * dim);
      for (std::size_t j = 0; j < atoms.size(); ++j)
        {
          result[j] = 0;
          for (std::size_t i = 0; i < n_x; ++i)
            for (std::size_t q = 0; q < rule.n_points(); ++q)
              {
                std::copy_n(x + i * dim, dim, point.begin());
                std::copy_n(rule.points.begin() + q * dim,
                            dim,
                            point.begin() + dim);
                result[j] += atoms.value(j, point.data()) * p[i * ldp + q];
              }
        }
    }
  } // namespace


  void
  ReferenceEvaluator::correlations(const std::size_t    n,
                                   const double        *h,
                                   const std::size_t    ldh,
                                   const std::size_t    n_atoms,
                                   const double *const *residuals,
                                   const std::size_t    n_slices,
                                   double              *result) const
  {
    naive_correlations(n, h, ldh, n_atoms, residuals, n_slices, result);
  }


  void
  ReferenceEvaluator::correlations(const std::size_t   n,
                                   const float        *h,
                                   const std::size_t   ldh,
                                   const std::size_t   n_atoms,
                                   const float *const *residuals,
                                   const std::size_t   n_slices,
                                   float              *result) const
  {
    naive_correlations(n, h, ldh, n_atoms, residuals, n_slices, result);
  }


  void
  ReferenceEvaluator::kernel_correlations(const AtomList   &atoms,
                                          const std::size_t n_x,
                                          const double     *x,
                                          const double     *p,
                                          const std::size_t ldp,
                                          double           *result) const
  {
    naive_kernel_correlations(*rule, atoms, n_x, x, p, ldp, result);
  }


  void
  ReferenceEvaluator::kernel_correlations(const AtomList   &atoms,
                                          const std::size_t n_x,
                                          const double     *x,
                                          const float      *p,
                                          const std::size_t ldp,
                                          double           *result) const
  {
    naive_kernel_correlations(*rule, atoms, n_x, x, p, ldp, result);
  }
} // namespace Evergreen
