#include <evergreen/base/blas.h>
#include <evergreen/base/collective.h>
#include <evergreen/base/error.h>
#include <evergreen/kernel/errors.h>
#include <evergreen/kernel/kernel_matrix.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>

namespace Evergreen
{
  using namespace dealii;

  double
  mean_of_ratios(const std::vector<double> &error_squares,
                 const std::vector<double> &squares)
  {
    double      sum   = 0;
    std::size_t count = 0;
    for (std::size_t j = 0; j < squares.size(); ++j)
      if (squares[j] > 0)
        {
          sum += std::sqrt(error_squares[j] / squares[j]);
          ++count;
        }
    return count > 0 ? sum / count : std::numeric_limits<double>::quiet_NaN();
  }


  template <int dim>
  TestSet<dim>::TestSet(const Space<dim>               &space,
                        const Samples                  &samples,
                        const std::vector<std::size_t> &response,
                        const std::string              &quadrature)
    : space_(space)
    , slice_of_node_(space.n_nodes(), -1)
    , n_slices_(response.size())
    , rule_(make_rule(space, quadrature_kind(quadrature)))
    , n_samples_(samples.n_samples)
    , forcings_(
        space.values_at_nodes(rule_.nodes, samples.forcings.data(), n_samples_))
    , solutions_(samples.solutions)
  {
    if (samples.input != input_of(quadrature_kind(quadrature)))
      throw Error("The kernel was learned for ",
                  input_words(input_of(quadrature_kind(quadrature))),
                  ", but the samples have ",
                  input_words(samples.input),
                  ".");
    for (std::size_t s = 0; s < n_slices_; ++s)
      slice_of_node_[response[s]] = s;
    if (response == space.free_nodes())
      return;
    weights_ = nodal_weights(space);
    space.condense(weights_.data(), 1);
    for (std::size_t i = 0; i < weights_.size(); ++i)
      if (slice_of_node_[space.local_nodes()[i]] < 0)
        weights_[i] = 0;
  }


  template <int dim>
  std::vector<double>
  TestSet<dim>::square_norms(const std::vector<double> &columns) const
  {
    if (weights_.empty())
      return space_.square_norms(columns, n_samples_);

    const std::size_t   n = space_.n_local_nodes();
    std::vector<double> squares(n_samples_, 0.);
    for (std::size_t j = 0; j < n_samples_; ++j)
      for (std::size_t i = 0; i < n; ++i)
        squares[j] += weights_[i] * std::pow(columns[j * n + i], 2);
    Collective::sum(space_.communicator(), squares.data(), n_samples_);
    return squares;
  }


  template <int dim>
  double
  TestSet<dim>::mean_relative_error(
    const std::vector<double> &predictions) const
  {
    const std::size_t   n          = space_.n_local_nodes();
    std::vector<double> difference = solutions_;
    for (std::size_t i = 0; i < n; ++i)
      if (const auto s = slice_of_node_[space_.local_nodes()[i]]; s >= 0)
        for (std::size_t j = 0; j < n_samples_; ++j)
          difference[j * n + i] -= predictions[j * n_slices_ + s];
    // Elsewhere values are given, or depend on the others.
    space_.distribute(difference.data(), n_samples_);
    return mean_of_ratios(square_norms(difference), square_norms(solutions_));
  }


  template <int dim>
  TestSet<dim>
  read_test_set(const Space<dim>               &space,
                const DatasetReader            &reader,
                const Split                     split,
                const std::vector<std::size_t> &response,
                const std::string              &quadrature)
  {
    return TestSet<dim>(space,
                        load_samples(reader, split, space),
                        response,
                        quadrature);
  }


  namespace
  {
    /** F^+ F_test: how test forcings combine from training forcings. */
    std::vector<double>
    combination_of_training_forcings(const DatasetReader &training,
                                     const DatasetReader &tests)
    {
      auto       f    = read_columns(training, Split::train, Quantity::forcing);
      const auto test = read_columns(tests, Split::test, Quantity::forcing);
      const std::size_t   m       = training.mesh().n_nodes();
      const std::size_t   n_train = f.size() / m;
      const std::size_t   n_test  = test.size() / m;
      const std::size_t   k       = std::min(m, n_train);
      std::vector<double> s, u, vt;
      Blas::singular_values(
        static_cast<int>(m), static_cast<int>(n_train), f, s, &u, &vt);
      std::vector<double> projections(k * n_test), result(n_train * n_test);
      Blas::gemm('T',
                 'N',
                 1.,
                 {u.data(), m, k},
                 {test.data(), m, n_test},
                 0.,
                 {projections.data(), k, n_test});
      const double threshold = std::max(m, n_train) * s.front() *
                               std::numeric_limits<double>::epsilon();
      for (std::size_t j = 0; j < n_test; ++j)
        for (std::size_t i = 0; i < k; ++i)
          projections[j * k + i] *= s[i] > threshold ? 1. / s[i] : 0.;
      Blas::gemm('T',
                 'N',
                 1.,
                 {vt.data(), k, n_train},
                 {projections.data(), k, n_test},
                 0.,
                 {result.data(), n_train, n_test});
      return result;
    }
  } // namespace


  std::vector<double>
  least_squares_predictions(const DatasetReader            &training,
                            const DatasetReader            &tests,
                            const std::vector<std::size_t> &response,
                            const MPI_Comm                  communicator)
  {
    std::vector<double> predictions;
    collectively(communicator, [&]() {
      if (Utilities::MPI::this_mpi_process(communicator) != 0)
        return;
      const auto combination =
        combination_of_training_forcings(training, tests);
      const auto u = read_columns(training, Split::train, Quantity::solution);
      const std::size_t   m       = training.mesh().n_nodes();
      const std::size_t   n       = response.size();
      const std::size_t   n_train = u.size() / m;
      const std::size_t   n_test  = combination.size() / n_train;
      std::vector<double> at_response;
      for (std::size_t j = 0; j < n_train; ++j)
        for (const auto node : response)
          at_response.push_back(u[j * m + node]);
      predictions.resize(n * n_test);
      Blas::gemm('N',
                 'N',
                 1.,
                 {at_response.data(), n, n_train},
                 {combination.data(), n_train, n_test},
                 0.,
                 {predictions.data(), n, n_test});
    });
    return Utilities::MPI::broadcast(communicator, predictions);
  }


  namespace
  {
    // The memory for the nodal values of the reference slices that are worked
    // on at once.
    constexpr std::size_t memory_of_slices = std::size_t(256) << 20;


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
      Collective::sum(space.communicator(), all);
      return all;
    }


    /** By finite elements, in the domain or on the boundary. */
    template <int dim>
    QuadratureKind
    comparison_rule(const LearnedKernel      &kernel,
                    const LinearProblem<dim> &problem)
    {
      const auto kind = quadrature_kind(kernel.quadrature);
      if (input_of(kind) != problem.input())
        throw Error("The kernel was learned for ",
                    input_words(input_of(kind)),
                    ", but the problem '",
                    problem.name(),
                    "' maps ",
                    input_words(problem.input()),
                    " to solutions.");
      return problem.input() == Input::forcing ? QuadratureKind::finite_element
                                               : kind;
    }


    /** Squares of differences of all levels, and of the reference itself. */
    template <int dim>
    class KernelComparison : public SliceObserver
    {
    public:
      KernelComparison(const LearnedKernel &kernel,
                       const Space<dim>    &space,
                       LinearProblem<dim>  &problem)
        : kernel(kernel)
        , space(space)
        , problem(problem)
        , exact(problem.exact_kernel())
        , distributed(make_rule(space, comparison_rule(kernel, problem)))
        , rule(distributed.rule)
        , image(kernel.frame.image(rule))
        , shapes(shape_values(kernel, rule, distributed.nodes))
        , n_levels(kernel.expansions.levels.size())
        , n_expanded(n_levels - (kernel.table ? 1 : 0))
        , outer(response_weights(space))
        , squares(n_levels + 1, 0.)
      {
        // The columns of B are w_q phi_k(y_q), and the phi_k add up to one.
        for (std::size_t q = 0; q < rule.n_points(); ++q)
          inner.push_back(
            std::accumulate(rule.values.begin() + rule.column_starts[q],
                            rule.values.begin() + rule.column_starts[q + 1],
                            0.));
      }

      /** Goes through all slices. Collective. */
      void
      compare_all()
      {
        const std::size_t n_slices = kernel.response.size();
        const std::size_t n =
          Utilities::MPI::min(std::max<std::size_t>(8,
                                                    memory_of_slices /
                                                      sizeof(double) /
                                                      (rule.n_rows + 1)),
                              space.communicator());
        for (std::size_t first = 0; first < n_slices; first += n)
          {
            begin(first, std::min(first + n, n_slices));
            std::vector<std::size_t> wanted(block_end - block_begin);
            std::iota(wanted.begin(), wanted.end(), block_begin);
            Expansions expansions = kernel.slices(wanted);
            expansions.levels.resize(n_expanded);
            visit_values(expansions,
                         image,
                         [this](const auto s,
                                const auto q,
                                const auto n_points,
                                const auto values) {
                           visit(s, q, n_points, values);
                         });
            end();
          }
      }

      void
      begin(const std::size_t first, const std::size_t last) override
      {
        block_begin = first;
        block_end   = last;
        sums.assign((last - first) * squares.size(), 0.);
        if (!exact)
          greens = greens_functions(first, last);
      }

      void
      visit(const std::size_t s,
            const std::size_t first,
            const std::size_t n,
            const double     *values) override
      {
        for (std::size_t i = 0; i < n; ++i)
          add_squares(block_begin + s,
                      first + i,
                      exact ? exact_value(block_begin + s, first + i)
                            : fe_value(greens[s], first + i),
                      n,
                      values + i,
                      &sums[s * squares.size()]);
      }

      void
      end() override
      {
        for (std::size_t s = block_begin; s < block_end; ++s)
          for (std::size_t l = 0; l < squares.size(); ++l)
            squares[l] += outer[kernel.response[s]] *
                          sums[(s - block_begin) * squares.size() + l];
      }

      /** Whether another rule has the same points on all ranks. Collective. */
      bool
      has_points_of(const QuadratureRule &other) const
      {
        return Utilities::MPI::min(rule.points == other.points ? 1 : 0,
                                   space.communicator()) == 1;
      }

      /** The errors of all levels, after all slices. Collective. */
      std::vector<double>
      errors()
      {
        Collective::sum(space.communicator(), squares);
        std::vector<double> result;
        for (std::size_t l = 0; l < n_levels; ++l)
          result.push_back(std::sqrt(squares[l] / squares.back()));
        return result;
      }

    private:
      const LearnedKernel                      &kernel;
      const Space<dim>                         &space;
      LinearProblem<dim>                       &problem;
      const typename LinearProblem<dim>::Kernel exact;
      const DistributedRule                     distributed;
      const QuadratureRule                     &rule;
      const QuadratureRule                      image; // in the kernel's frame
      const ShapeValues                         shapes;
      const std::size_t                         n_levels, n_expanded;
      std::vector<double> outer, inner; // weights of nodes and of points
      std::vector<double> squares;

      // Of the present block of slices.
      std::size_t                      block_begin = 0, block_end = 0;
      std::vector<double>              sums;
      std::vector<std::vector<double>> greens;

      /** Discrete Green's functions at the rows of the rule. Collective. */
      std::vector<std::vector<double>>
      greens_functions(const std::size_t first, const std::size_t last)
      {
        std::vector<std::vector<double>>        result(last - first);
        typename LinearProblem<dim>::VectorType owned,
          slice = space.make_vector(true);
        for (std::size_t s = first; s < last; ++s)
          {
            problem.greens_function(kernel.response[s], owned);
            std::copy_n(owned.begin(), space.n_local_nodes(), slice.begin());
            slice.update_ghost_values();
            for (const auto node : distributed.nodes)
              result[s - first].push_back(slice(space.dof_of_node(node)));
            slice.zero_out_ghost_values();
          }
        return result;
      }

      /** Slice @p s at point @p q; values of the levels are @p stride apart. */
      void
      add_squares(const std::size_t s,
                  const std::size_t q,
                  const double      reference,
                  const std::size_t stride,
                  const double     *values,
                  double           *sums) const
      {
        sums[n_levels] += inner[q] * reference * reference;
        const double factor = kernel.frame.factor(&rule.points[q * dim]);
        for (std::size_t l = 0; l < n_expanded; ++l)
          sums[l] +=
            inner[q] * std::pow(reference - factor * values[l * stride], 2);
        if (kernel.table)
          sums[n_expanded] +=
            inner[q] * std::pow(reference - table_value(s, q), 2);
      }

      double
      exact_value(const std::size_t s, const std::size_t q) const
      {
        Point<dim> y;
        std::copy_n(&rule.points[q * dim], dim, y.begin_raw());
        return exact(space.point(kernel.response[s]), y);
      }

      double
      fe_value(const std::vector<double> &slice, const std::size_t q) const
      {
        double sum = 0;
        for (std::size_t k = rule.column_starts[q];
             k < rule.column_starts[q + 1];
             ++k)
          sum += rule.values[k] * slice[rule.rows[k]];
        return sum / inner[q];
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
    KernelErrors                           result;
    std::unique_ptr<KernelComparison<dim>> comparison;
    if (problem != nullptr)
      comparison =
        std::make_unique<KernelComparison<dim>>(kernel, space, *problem);
    const bool in_one_pass = tests != nullptr && comparison != nullptr &&
                             comparison->has_points_of(tests->rule().rule);
    if (tests != nullptr)
      for (const auto &predictions :
           KernelMatrix(kernel, tests->rule())
             .apply(tests->forcings(),
                    tests->n_samples(),
                    space.communicator(),
                    in_one_pass ? comparison.get() : nullptr))
        result.eps_u.push_back(tests->mean_relative_error(predictions));
    if (comparison && !in_one_pass)
      comparison->compare_all();
    if (comparison)
      result.eps_G = comparison->errors();
    return result;
  }


#define INSTANTIATE(dim)                                                       \
  template class TestSet<dim>;                                                 \
  template TestSet<dim> read_test_set(const Space<dim> &,                      \
                                      const DatasetReader &,                   \
                                      const Split,                             \
                                      const std::vector<std::size_t> &,        \
                                      const std::string &);                    \
  template KernelErrors kernel_errors(const LearnedKernel &,                   \
                                      const Space<dim> &,                      \
                                      const TestSet<dim> *,                    \
                                      LinearProblem<dim> *);
  INSTANTIATE(1)
  INSTANTIATE(2)
  INSTANTIATE(3)
#undef INSTANTIATE
} // namespace Evergreen
