#include "table_rows.h"

#include <evergreen/base/blas.h>
#include <evergreen/dictionary/combination.h>
#include <evergreen/dictionary/near_field.h>
#include <evergreen/dictionary/simd.h>
#include <evergreen/greedy/reductions.h>
#include <evergreen/kernel/kernel_stages.h>

#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>
#include <memory>

namespace Evergreen
{
  using namespace dealii;

  KernelStages::KernelStages(const LearnedKernel &the_kernel)
    : kernel(&the_kernel), stages(1)
  {
    for (const Expansion &expansion : kernel->expansions)
      stages.front().coefficients.push_back(expansion.coefficients);
    stages.front().uses_table = kernel->is_symmetrised();
  }


  KernelStages::KernelStages(const LearnedKernel &the_kernel,
                             std::vector<Stage>   all_stages)
    : kernel(&the_kernel), stages(std::move(all_stages))
  {}


  namespace
  {
    /** The reference slice at the points of a rule. */
    template <int dim>
    class ReferenceKernel
    {
    public:
      ReferenceKernel(LinearProblem<dim>            &problem,
                      const FiniteElementSpace<dim> &space,
                      const DistributedRule         &rule)
        : problem(problem)
        , space(space)
        , rule(rule)
        , exact(problem.exact_kernel())
        , slice(space.locally_owned_dofs(),
                space.locally_relevant_dofs(),
                space.communicator())
      {}

      void
      evaluate(const std::size_t node, std::vector<double> &values)
      {
        values.resize(rule.rule.n_points());
        if (exact)
          evaluate_exact(node, values);
        else
          evaluate_discrete(node, values);
      }

    private:
      LinearProblem<dim>                     &problem;
      const FiniteElementSpace<dim>          &space;
      const DistributedRule                  &rule;
      typename LinearProblem<dim>::Kernel     exact;
      typename LinearProblem<dim>::VectorType slice;

      void
      evaluate_exact(const std::size_t node, std::vector<double> &values) const
      {
        Point<dim> x;
        for (unsigned int d = 0; d < dim; ++d)
          x[d] = space.mesh_data().points[node * dim + d];
        tbb::parallel_for(std::size_t(0), values.size(), [&](const auto q) {
          Point<dim> y;
          for (unsigned int d = 0; d < dim; ++d)
            y[d] = rule.rule.points[q * dim + d];
          values[q] = exact(x, y);
        });
      }

      void
      evaluate_discrete(const std::size_t node, std::vector<double> &values)
      {
        typename LinearProblem<dim>::VectorType owned;
        problem.greens_function(node, owned);
        std::copy_n(owned.begin(), rule.n_owned, slice.begin());
        slice.update_ghost_values();
        for (std::size_t q = 0; q < values.size(); ++q)
          {
            // The columns of B are w_q phi_k(y_q), and the phi_k add up to 1.
            double value = 0, weight = 0;
            for (std::size_t k = rule.rule.column_starts[q];
                 k < rule.rule.column_starts[q + 1];
                 ++k)
              {
                const auto row = rule.rule.rows[k];
                value += rule.rule.values[k] *
                         slice(space.dof_of_node(rule.nodes[row]));
                weight += rule.rule.values[k];
              }
            values[q] = value / weight;
          }
        slice.zero_out_ghost_values();
      }
    };


    /** The weights w_q of the points of a finite element rule. */
    std::vector<double>
    point_weights(const QuadratureRule &rule)
    {
      std::vector<double> weights(rule.n_points(), 0.);
      for (std::size_t q = 0; q < weights.size(); ++q)
        for (std::size_t k = rule.column_starts[q];
             k < rule.column_starts[q + 1];
             ++k)
          weights[q] += rule.values[k];
      return weights;
    }


    /** Nodal weights of the response nodes, known on all ranks. */
    template <int dim>
    std::vector<double>
    response_weights(const FiniteElementSpace<dim>   &space,
                     const std::vector<std::int64_t> &response)
    {
      const auto          local = nodal_weights(space);
      std::vector<double> all(space.n_nodes(), 0.);
      for (std::size_t i = 0; i < local.size(); ++i)
        all[space.local_nodes()[i]] = local[i];
      MPI_Allreduce(MPI_IN_PLACE,
                    all.data(),
                    static_cast<int>(all.size()),
                    MPI_DOUBLE,
                    MPI_SUM,
                    space.communicator());
      std::vector<double> weights;
      for (const auto node : response)
        weights.push_back(all[node]);
      return weights;
    }


    /** The memory for the rows of all stages of some slices, in bytes. */
    constexpr std::size_t memory_of_rows = std::size_t(256) << 20;


    /** Evaluates all stages of single slices at the points of a rule. */
    class StageEvaluator
    {
    public:
      StageEvaluator(const KernelStages   &kernel_stages,
                     const QuadratureRule &quadrature_rule)
        : kernel(*kernel_stages.kernel)
        , stages(kernel_stages.stages)
        , rule(quadrature_rule)
        , coordinates(coordinates_of(rule))
        , inner(point_weights(rule))
        , table(kernel, rule)
      {}

      /** The squares of all stages' errors, added to @p squares. */
      void
      add_squares(const std::size_t s,
                  const double     *exact,
                  double           *squares) const
      {
        visit(s,
              staged(s),
              [&](const auto begin, const auto n, double *values) {
                add_squares(begin, n, values, exact, squares);
              });
      }

      /**
       * The integrals against the shape functions: entry k of stage l is
       * <tt>rows[k * stride() + l]</tt>. If @p exact is given, errors are
       * added to @p squares, too.
       */
      void
      add_rows(const std::size_t s,
               double           *rows,
               const double     *exact,
               double           *squares) const
      {
        const Staged slice = staged(s);
        visit(s, slice, [&](const auto begin, const auto n, double *values) {
          if (exact != nullptr)
            add_squares(begin, n, values, exact, squares);
          add_rows(begin, n, values, rows);
        });
        if (rule.near_field)
          add_near_field(slice, rows);
      }

      /** The number of stages, rounded up for vector instructions. */
      std::size_t
      stride() const
      {
        return Simd::padded(stages.size());
      }

    private:
      /** The atoms of a slice and the coefficients of all its stages. */
      struct Staged
      {
        AtomList                         atoms;
        std::vector<std::vector<double>> coefficients;
      };

      const LearnedKernel                    &kernel;
      const std::vector<KernelStages::Stage> &stages;
      const QuadratureRule                   &rule;
      std::vector<std::vector<double>>        coordinates;
      std::vector<double>                     inner;
      TableRows                               table;

      bool
      uses_table(const KernelStages::Stage &stage) const
      {
        return stage.uses_table && table.are_usable();
      }

      Staged
      staged(const std::size_t s) const
      {
        std::vector<double> factors;
        Staged              result{kernel.slice_atoms(s, factors), {}};
        for (const KernelStages::Stage &stage : stages)
          {
            result.coefficients.emplace_back();
            if (uses_table(stage))
              continue;
            auto &coefficients = result.coefficients.back();
            coefficients = stage.coefficients[kernel.is_pointwise() ? s : 0];
            for (std::size_t i = 0; i < coefficients.size(); ++i)
              coefficients[i] *= factors[i];
          }
        return result;
      }

      /** Visits the values of all stages, of tables, too. */
      void
      visit(const std::size_t         s,
            const Staged             &slice,
            const CombinationVisitor &use) const
      {
        visit_combinations(slice.atoms,
                           slice.coefficients,
                           rule.n_points(),
                           pointers_to(coordinates).data(),
                           [&](const auto begin, const auto n, double *values) {
                             for (std::size_t l = 0; l < stages.size(); ++l)
                               if (uses_table(stages[l]))
                                 table.evaluate(s, begin, n, values + l * n);
                             use(begin, n, values);
                           });
      }

      void
      add_squares(const std::size_t begin,
                  const std::size_t n,
                  const double     *values,
                  const double     *exact,
                  double           *squares) const
      {
        for (std::size_t l = 0; l < stages.size(); ++l)
          for (std::size_t q = 0; q < n; ++q)
            squares[l] += inner[begin + q] *
                          std::pow(exact[begin + q] - values[l * n + q], 2);
      }

      void
      add_rows(const std::size_t begin,
               const std::size_t n,
               const double     *values,
               double           *rows) const
      {
        std::vector<double> at_point(stride(), 0.);
        for (std::size_t q = 0; q < n; ++q)
          {
            for (std::size_t l = 0; l < stages.size(); ++l)
              at_point[l] = values[l * n + q];
            for (std::size_t k = rule.column_starts[begin + q];
                 k < rule.column_starts[begin + q + 1];
                 ++k)
              Simd::add(stride(),
                        rule.values[k],
                        at_point.data(),
                        rows + rule.rows[k] * stride());
          }
      }

      /** Better quadrature near the centres of radial atoms. */
      void
      add_near_field(const Staged &slice, double *rows) const
      {
        std::vector<double> correction(rule.n_rows);
        for (std::size_t i = 0; i < slice.atoms.size(); ++i)
          {
            if (atom_form(slice.atoms.kinds[i]) != AtomForm::centred)
              continue;
            std::fill(correction.begin(), correction.end(), 0.);
            rule.near_field->correct(rule,
                                     radial_function(slice.atoms.kinds[i]),
                                     slice.atoms.biases[i],
                                     &slice.atoms.weights[i * rule.dim],
                                     correction.data());
            for (std::size_t k = 0; k < rule.n_rows; ++k)
              if (correction[k] != 0)
                for (std::size_t l = 0; l < stages.size(); ++l)
                  if (i < slice.coefficients[l].size())
                    rows[k * stride() + l] +=
                      slice.coefficients[l][i] * correction[k];
          }
      }
    };


    /**
     * Goes through all slices in blocks. The squares of errors are relative to
     * the reference kernel; predictions are this rank's part.
     */
    template <int dim>
    class StagePass
    {
    public:
      StagePass(const KernelStages    &kernel_stages,
                const DistributedRule &distributed_rule)
        : evaluator(kernel_stages, distributed_rule.rule)
        , rule(distributed_rule)
        , response(kernel_stages.kernel->response)
        , n_stages(kernel_stages.stages.size())
      {}

      /** Asks for errors of the kernel. */
      void
      compare_with(LinearProblem<dim>            &problem,
                   const FiniteElementSpace<dim> &space)
      {
        reference =
          std::make_unique<ReferenceKernel<dim>>(problem, space, rule);
        outer = response_weights(space, response);
        squares.assign(n_stages + 1, 0.);
      }

      /** Asks for predictions of solutions, for columns of forcings. */
      void
      apply_to(const std::vector<double> &forcing_columns,
               const std::size_t          n_columns)
      {
        forcings   = &forcing_columns;
        n_forcings = n_columns;
        predictions.assign(n_stages,
                           std::vector<double>(n_forcings * response.size()));
      }

      void
      run()
      {
        const std::size_t n_rows = rule.rule.n_rows;
        const std::size_t block =
          std::clamp<std::size_t>(memory_of_rows / 8 / n_stages /
                                    std::max<std::size_t>(n_rows, 1),
                                  8,
                                  256);
        for (std::size_t first = 0; first < response.size(); first += block)
          work_on(first, std::min(block, response.size() - first));
      }

      /** eps_G of all stages; collective. */
      std::vector<double>
      kernel_errors(const MPI_Comm communicator)
      {
        Utilities::MPI::sum(squares, communicator, squares);
        std::vector<double> errors;
        for (std::size_t l = 0; l < n_stages; ++l)
          errors.push_back(std::sqrt(squares[l] / squares.back()));
        return errors;
      }

      /** This rank's part of a stage's predictions, a column a forcing. */
      std::vector<std::vector<double>> predictions;

    private:
      StageEvaluator                        evaluator;
      const DistributedRule                &rule;
      const std::vector<std::int64_t>      &response;
      std::size_t                           n_stages;
      std::unique_ptr<ReferenceKernel<dim>> reference;
      std::vector<double>                   outer;
      std::vector<double>                   squares;
      const std::vector<double>            *forcings   = nullptr;
      std::size_t                           n_forcings = 0;

      /** The slices first, ..., first + n - 1. */
      void
      work_on(const std::size_t first, const std::size_t n)
      {
        const std::size_t   n_q    = rule.rule.n_points();
        const std::size_t   n_rows = forcings ? rule.rule.n_rows : 0;
        std::vector<double> exact(reference ? n * n_q : 0), values;
        for (std::size_t s = 0; reference && s < n; ++s)
          {
            reference->evaluate(response[first + s], values);
            std::copy(values.begin(), values.end(), &exact[s * n_q]);
          }
        std::vector<double> rows(n_stages * n * n_rows);
        std::vector<double> slice_squares(n * n_stages);
        tbb::parallel_for(std::size_t(0), n, [&](const std::size_t s) {
          const double *const truth = reference ? &exact[s * n_q] : nullptr;
          double *const       sums  = &slice_squares[s * n_stages];
          if (!forcings)
            return evaluator.add_squares(first + s, truth, sums);
          std::vector<double> of_slice(n_rows * evaluator.stride());
          evaluator.add_rows(first + s, of_slice.data(), truth, sums);
          for (std::size_t l = 0; l < n_stages; ++l)
            for (std::size_t k = 0; k < n_rows; ++k)
              rows[(l * n + s) * n_rows + k] =
                of_slice[k * evaluator.stride() + l];
        });
        if (reference)
          sum_up(first, n, exact, slice_squares);
        if (n_rows > 0 && n_forcings > 0)
          predict(first, n, rows);
      }

      void
      sum_up(const std::size_t          first,
             const std::size_t          n,
             const std::vector<double> &exact,
             const std::vector<double> &slice_squares)
      {
        const std::vector<double> inner = point_weights(rule.rule);
        for (std::size_t s = 0; s < n; ++s)
          {
            const double weight = outer[first + s];
            for (std::size_t l = 0; l < n_stages; ++l)
              squares[l] += weight * slice_squares[s * n_stages + l];
            for (std::size_t q = 0; q < inner.size(); ++q)
              squares.back() +=
                weight * inner[q] * std::pow(exact[s * inner.size() + q], 2);
          }
      }

      void
      predict(const std::size_t          first,
              const std::size_t          n,
              const std::vector<double> &rows)
      {
        const int n_rows = static_cast<int>(rule.rule.n_rows);
        for (std::size_t l = 0; l < n_stages; ++l)
          Blas::gemm('T',
                     'N',
                     static_cast<int>(n),
                     static_cast<int>(n_forcings),
                     n_rows,
                     1.,
                     &rows[l * n * n_rows],
                     n_rows,
                     forcings->data(),
                     n_rows,
                     0.,
                     &predictions[l][first],
                     static_cast<int>(response.size()));
      }
    };
  } // namespace


  template <int dim>
  StageErrors
  stage_errors(const KernelStages            &stages,
               const FiniteElementSpace<dim> &space,
               const DistributedRule         &rule,
               const TestSet<dim>            *tests,
               LinearProblem<dim>            *problem)
  {
    // Errors of kernels are by finite element quadrature in any case.
    const bool separate =
      tests && problem && stages.kernel->quadrature == "monte-carlo";
    StageErrors         result;
    StagePass<dim>      pass(stages, rule);
    std::vector<double> forcings;
    if (tests)
      {
        forcings = tests->forcings(rule);
        pass.apply_to(forcings, tests->n_samples());
      }
    if (problem && !separate)
      pass.compare_with(*problem, space);
    pass.run();
    if (problem && !separate)
      result.eps_G = pass.kernel_errors(space.communicator());
    for (std::vector<double> &predictions : pass.predictions)
      {
        Collective::sum(space.communicator(),
                        predictions.data(),
                        predictions.size());
        result.eps_u.push_back(tests->mean_relative_error(predictions));
      }
    if (separate)
      result.eps_G = stage_errors<dim>(
                       stages, space, make_rule(space, false), nullptr, problem)
                       .eps_G;
    return result;
  }


  template StageErrors
  stage_errors(const KernelStages &,
               const FiniteElementSpace<1> &,
               const DistributedRule &,
               const TestSet<1> *,
               LinearProblem<1> *);
  template StageErrors
  stage_errors(const KernelStages &,
               const FiniteElementSpace<2> &,
               const DistributedRule &,
               const TestSet<2> *,
               LinearProblem<2> *);
  template StageErrors
  stage_errors(const KernelStages &,
               const FiniteElementSpace<3> &,
               const DistributedRule &,
               const TestSet<3> *,
               LinearProblem<3> *);
} // namespace Evergreen
