#include <evergreen/base/error.h>
#include <evergreen/dictionary/backends.h>
#include <evergreen/dictionary/evaluator.h>
#include <evergreen/dictionary/near_corrections.h>

#include <algorithm>

namespace Evergreen
{
  namespace
  {
    /**
     * The backend that only has to be right: plain loops, atom by atom and
     * point by point, kept as the oracle of every other one.
     */
    class ReferenceEvaluator : public Evaluator
    {
    public:
      void
      coordinates(const AtomList &atoms, double *h) const override
      {
        for (std::size_t j = 0; j < atoms.size(); ++j)
          {
            const auto    action = integrals(atoms, j);
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

      std::vector<double>
      kernel_correlations(const AtomList                &atoms,
                          const MatrixView<const double> x,
                          const MatrixView<const double> p,
                          bool) const override
      {
        const unsigned int  dim = rule->dim;
        std::vector<double> point(2 * dim), result(atoms.size());
        for (std::size_t j = 0; j < atoms.size(); ++j)
          for (std::size_t i = 0; i < x.n_columns; ++i)
            for (std::size_t q = 0; q < rule->n_points(); ++q)
              {
                std::copy_n(x.column(i), dim, point.begin());
                std::copy_n(rule->points.begin() + q * dim,
                            dim,
                            point.begin() + dim);
                result[j] += atoms.value(j, point.data()) * p.column(i)[q];
              }
        return result;
      }

    private:
      /** B g for one atom. */
      std::vector<double>
      integrals(const AtomList &atoms, const std::size_t j) const
      {
        std::vector<double> action(rule->n_rows);
        for (std::size_t q = 0; q < rule->n_points(); ++q)
          {
            const double g = atoms.value(j, &rule->points[q * rule->dim]);
            for (std::size_t k = rule->column_starts[q];
                 k < rule->column_starts[q + 1];
                 ++k)
              action[rule->rows[k]] += rule->values[k] * g;
          }
        add_near_field(*rule, atoms, j, action.data());
        return action;
      }
    };
  } // namespace


  void
  Evaluator::reinit(const QuadratureRule      &quadrature_rule,
                    const std::vector<double> &coordinate_matrix,
                    const std::size_t          n_coordinate_rows)
  {
    quadrature_rule.check();
    const std::size_t m = quadrature_rule.n_rows;
    if (coordinate_matrix.empty()
          ? n_coordinate_rows < m
          : coordinate_matrix.size() != n_coordinate_rows * m)
      throw Error("The matrix of coordinates has ",
                  coordinate_matrix.size(),
                  " entries, but ",
                  n_coordinate_rows,
                  " rows for ",
                  m,
                  " shape functions.");
    rule   = &quadrature_rule;
    c      = &coordinate_matrix;
    n_rows = n_coordinate_rows;
  }


  std::unique_ptr<Evaluator>
  make_evaluator(const std::string &name)
  {
    if (name == "cpu")
      return make_cpu_evaluator();
    if (name == "reference")
      return std::make_unique<ReferenceEvaluator>();
    if (name == "cuda")
      return cuda_module().make_evaluator();
    throw UsageError("There is no backend '",
                     name,
                     "': choose 'cpu', 'cuda' or 'reference'.");
  }
} // namespace Evergreen
