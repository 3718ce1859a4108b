#include <evergreen/base/error.h>
#include <evergreen/dictionary/backends.h>
#include <evergreen/dictionary/evaluator.h>
#include <evergreen/dictionary/radial.h>

#include <tbb/parallel_for.h>

#include <algorithm>

namespace Evergreen
{
  namespace
  {
    // Atoms are corrected this many at a time, with one dense vector for each
    // task.
    constexpr std::size_t atoms_per_task = 32;


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


  void
  add_near_field(const QuadratureRule &rule,
                 const AtomList       &atoms,
                 const std::size_t     index,
                 double               *action,
                 const std::size_t     stride)
  {
    if (!rule.near_field || atom_form(atoms.kinds[index]) != AtomForm::centred)
      return;
    const RadialFunction function = radial_function(atoms.kinds[index]);
    const double         kappa    = atoms.biases[index];
    const double *const  centre   = &atoms.weights[index * atoms.dim];
    rule.near_field->correct(
      rule,
      {centre,
       has_wave_number(function) ? kappa : 0.,
       [&](const std::size_t n, const double *const *x, double *values) {
         radial_values(function, kappa, atoms.dim, centre, n, x, values);
       }},
      action,
      stride);
  }


  std::vector<NearCorrection>
  near_corrections(const QuadratureRule &rule,
                   const AtomList       &atoms,
                   const std::size_t     first,
                   const std::size_t     n)
  {
    std::vector<NearCorrection> result;
    if (!rule.near_field)
      return result;

    const std::size_t n_tasks = (n + atoms_per_task - 1) / atoms_per_task;
    std::vector<std::vector<NearCorrection>> parts(n_tasks);
    tbb::parallel_for(std::size_t(0), n_tasks, [&](const std::size_t task) {
      std::vector<double> action;
      const std::size_t   end = std::min((task + 1) * atoms_per_task, n);
      for (std::size_t l = task * atoms_per_task; l < end; ++l)
        {
          if (atom_form(atoms.kinds[first + l]) != AtomForm::centred)
            continue;
          action.assign(rule.n_rows, 0.);
          add_near_field(rule, atoms, first + l, action.data());
          for (std::size_t row = 0; row < action.size(); ++row)
            if (action[row] != 0)
              parts[task].push_back({static_cast<unsigned int>(row),
                                     static_cast<unsigned int>(l),
                                     action[row]});
        }
    });
    for (const auto &part : parts)
      result.insert(result.end(), part.begin(), part.end());
    return result;
  }
} // namespace Evergreen
