#include "slice_evaluator.h"

#include <evergreen/base/blas.h>
#include <evergreen/base/collective.h>
#include <evergreen/kernel/kernel_stages.h>

#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>

namespace Evergreen
{
  using namespace dealii;

  KernelStages::KernelStages(const LearnedKernel &the_kernel)
    : kernel(&the_kernel), stages(1)
  {
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
      ReferenceKernel(LinearProblem<dim>    &problem,
                      const Space<dim>      &space,
                      const DistributedRule &rule)
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
      const Space<dim>                       &space;
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


    /** Nodal weights of the response nodes, known on all ranks. */
    template <int dim>
    std::vector<double>
    response_weights(const Space<dim>                &space,
                     const std::vector<std::int64_t> &response)
    {
      const auto          all = all_nodal_weights(space);
      std::vector<double> weights;
      for (const auto node : response)
        weights.push_back(all[node]);
      return weights;
    }


    /** The memory for the rows of all stages of some slices, in bytes. */
    constexpr std::size_t memory_of_rows = std::size_t(256) << 20;


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
        , inner(point_weights(distributed_rule.rule))
      {}

      /** Asks for errors of the kernel. */
      void
      compare_with(LinearProblem<dim> &problem, const Space<dim> &space)
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
      SliceEvaluator                        evaluator;
      const DistributedRule                &rule;
      const std::vector<std::int64_t>      &response;
      std::size_t                           n_stages;
      std::vector<double>                   inner; // weights of points
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
        std::vector<double>      rows(n_stages * n * n_rows);
        std::vector<double>      slice_squares(n * n_stages);
        std::vector<std::size_t> slices(n);
        std::iota(slices.begin(), slices.end(), first);
        SliceEvaluator::Wanted wanted;
        wanted.rows    = forcings ? rows.data() : nullptr;
        wanted.exact   = reference ? exact.data() : nullptr;
        wanted.squares = slice_squares.data();
        evaluator.evaluate(slices, wanted);
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
  stage_errors(const KernelStages    &stages,
               const Space<dim>      &space,
               const DistributedRule &rule,
               const TestSet<dim>    *tests,
               LinearProblem<dim>    *problem)
  {
    // Errors of kernels are by finite element quadrature in any case.
    const bool separate =
      tests && problem &&
      quadrature_kind(stages.kernel->quadrature) == QuadratureKind::monte_carlo;
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
      result.eps_G =
        stage_errors<dim>(stages, space, make_rule(space), nullptr, problem)
          .eps_G;
    return result;
  }


  template StageErrors
  stage_errors(const KernelStages &,
               const Space<1> &,
               const DistributedRule &,
               const TestSet<1> *,
               LinearProblem<1> *);
  template StageErrors
  stage_errors(const KernelStages &,
               const Space<2> &,
               const DistributedRule &,
               const TestSet<2> *,
               LinearProblem<2> *);
  template StageErrors
  stage_errors(const KernelStages &,
               const Space<3> &,
               const DistributedRule &,
               const TestSet<3> *,
               LinearProblem<3> *);
} // namespace Evergreen
