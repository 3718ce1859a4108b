#include <evergreen/base/collective.h>
#include <evergreen/kernel/errors.h>
#include <evergreen/kernel/kernel_matrix.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace Evergreen
{
  using namespace dealii;

  namespace
  {
    // The memory for the nodal values of the reference slices that are worked
    // on at once.
    constexpr std::size_t memory_of_slices = std::size_t(256) << 20;


    /** Slices of the kernel to compare with. */
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
      {}

      /** Computes what is needed of some slices. Collective. */
      void
      prepare(std::vector<std::int64_t> some_nodes)
      {
        nodes = std::move(some_nodes);
        if (exact)
          return;
        slices.resize(nodes.size());
        typename LinearProblem<dim>::VectorType owned,
          slice = space.make_vector(true);
        for (std::size_t s = 0; s < nodes.size(); ++s)
          {
            problem.greens_function(nodes[s], owned);
            std::copy_n(owned.begin(), rule.n_owned, slice.begin());
            slice.update_ghost_values();
            slices[s].clear();
            for (const auto node : rule.nodes)
              slices[s].push_back(slice(space.dof_of_node(node)));
            slice.zero_out_ghost_values();
          }
      }

      /** The value of a prepared slice at a point of the rule. */
      double
      value(const std::size_t s, const std::size_t q) const
      {
        if (exact)
          {
            Point<dim> y;
            std::copy_n(&rule.rule.points[q * dim], dim, y.begin_raw());
            return exact(space.point(nodes[s]), y);
          }
        // The columns of B are w_q phi_k(y_q), and the phi_k add up to one.
        double sum = 0, weight = 0;
        for (std::size_t k = rule.rule.column_starts[q];
             k < rule.rule.column_starts[q + 1];
             ++k)
          {
            sum += rule.rule.values[k] * slices[s][rule.rule.rows[k]];
            weight += rule.rule.values[k];
          }
        return sum / weight;
      }

    private:
      LinearProblem<dim>                 &problem;
      const Space<dim>                   &space;
      const DistributedRule              &rule;
      typename LinearProblem<dim>::Kernel exact;
      std::vector<std::int64_t>           nodes;
      std::vector<std::vector<double>>    slices; // at the rows of the rule
    };


    /** Weights of all nodes, those of constrained ones given to others. */
    template <int dim>
    std::vector<double>
    response_weights(const Space<dim> &space)
    {
      auto local = nodal_weights(space);
      space.condense(local.data(), 1);
      std::vector<double> all(space.n_nodes(), 0.);
      for (std::size_t i = 0; i < local.size(); ++i)
        all[space.local_nodes()[i]] = local[i];
      Collective::sum(space.communicator(), all.data(), all.size());
      return all;
    }


    /** Squares of differences of all levels, and of the reference itself. */
    template <int dim>
    class KernelComparison
    {
    public:
      KernelComparison(const LearnedKernel &kernel,
                       const Space<dim>    &space,
                       LinearProblem<dim>  &problem)
        : kernel(kernel)
        , rule(make_rule(space))
        , shapes(shape_values(kernel, rule))
        , reference(problem, space, rule)
        , n_levels(kernel.expansions.levels.size())
        , outer(response_weights(space))
        , inner(rule.rule.n_points())
        , squares(n_levels + 1, 0.)
      {
        for (std::size_t q = 0; q < inner.size(); ++q)
          inner[q] =
            std::accumulate(&rule.rule.values[0] + rule.rule.column_starts[q],
                            &rule.rule.values[0] +
                              rule.rule.column_starts[q + 1],
                            0.);
      }

      /** The errors of all levels. Collective. */
      std::vector<double>
      errors(const MPI_Comm communicator)
      {
        const std::size_t n_slices = kernel.response.size();
        const std::size_t n =
          Utilities::MPI::min(std::max<std::size_t>(8,
                                                    memory_of_slices /
                                                      sizeof(double) /
                                                      (rule.rule.n_rows + 1)),
                              communicator);
        for (std::size_t first = 0; first < n_slices; first += n)
          compare(first, std::min(first + n, n_slices));
        Collective::sum(communicator, squares.data(), squares.size());
        std::vector<double> result;
        for (std::size_t l = 0; l < n_levels; ++l)
          result.push_back(std::sqrt(squares[l] / squares.back()));
        return result;
      }

    private:
      const LearnedKernel  &kernel;
      const DistributedRule rule;
      const ShapeValues     shapes;
      ReferenceKernel<dim>  reference;
      const std::size_t     n_levels;
      std::vector<double>   outer, inner; // weights of nodes and of points
      std::vector<double>   squares;

      /** The slices [first, last). */
      void
      compare(const std::size_t first, const std::size_t last)
      {
        std::vector<std::size_t> wanted(last - first);
        std::iota(wanted.begin(), wanted.end(), first);
        reference.prepare(
          {kernel.response.begin() + first, kernel.response.begin() + last});
        Expansions expansions = kernel.slices(wanted);
        if (kernel.table)
          expansions.levels.pop_back();
        std::vector<double> sums(wanted.size() * squares.size(), 0.);
        visit_values(
          expansions,
          rule.rule,
          [&](const auto s, const auto q, const auto n, const double *values) {
            add_squares(s,
                        first + s,
                        expansions.levels.size(),
                        q,
                        n,
                        values,
                        &sums[s * squares.size()]);
          });
        for (std::size_t s = first; s < last; ++s)
          for (std::size_t l = 0; l < squares.size(); ++l)
            squares[l] += outer[kernel.response[s]] *
                          sums[(s - first) * squares.size() + l];
      }

      /** Slice @p i of a block, @p s of the kernel, at some points. */
      void
      add_squares(const std::size_t i,
                  const std::size_t s,
                  const std::size_t n_expanded,
                  const std::size_t first,
                  const std::size_t n,
                  const double     *values,
                  double           *sums) const
      {
        for (std::size_t q = 0; q < n; ++q)
          {
            const double weight = inner[first + q];
            const double exact  = reference.value(i, first + q);
            sums[n_levels] += weight * exact * exact;
            for (std::size_t l = 0; l < n_expanded; ++l)
              sums[l] += weight * std::pow(exact - values[l * n + q], 2);
            if (kernel.table)
              sums[n_expanded] +=
                weight * std::pow(exact - table_value(s, first + q), 2);
          }
      }

      double
      table_value(const std::size_t s, const std::size_t q) const
      {
        double result = 0;
        for (std::size_t k = shapes.starts[q]; k < shapes.starts[q + 1]; ++k)
          result += shapes.values[k] * (*kernel.table)(s, shapes.slices[k]);
        return result;
      }
    };
  } // namespace


  template <int dim>
  KernelErrors
  kernel_errors(const LearnedKernel &kernel,
                const Space<dim>    &space,
                const TestSet<dim>  *tests,
                LinearProblem<dim>  *problem)
  {
    KernelErrors result;
    if (tests != nullptr)
      for (const auto &predictions : KernelMatrix(kernel, tests->rule())
                                       .apply(tests->forcings(),
                                              tests->n_samples(),
                                              space.communicator()))
        result.eps_u.push_back(tests->mean_relative_error(predictions));
    if (problem != nullptr)
      result.eps_G = KernelComparison<dim>(kernel, space, *problem)
                       .errors(space.communicator());
    return result;
  }


  template KernelErrors
  kernel_errors(const LearnedKernel &,
                const Space<1> &,
                const TestSet<1> *,
                LinearProblem<1> *);
  template KernelErrors
  kernel_errors(const LearnedKernel &,
                const Space<2> &,
                const TestSet<2> *,
                LinearProblem<2> *);
  template KernelErrors
  kernel_errors(const LearnedKernel &,
                const Space<3> &,
                const TestSet<3> *,
                LinearProblem<3> *);
} // namespace Evergreen
