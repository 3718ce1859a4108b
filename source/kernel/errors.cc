#include <evergreen/base/blas.h>
#include <evergreen/base/collective.h>
#include <evergreen/base/error.h>
#include <evergreen/kernel/errors.h>
#include <evergreen/kernel/kernel_stages.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace Evergreen
{
  using namespace dealii;

  namespace
  {
    /** Position of every node among the response nodes, or -1. */
    std::vector<std::int64_t>
    response_positions(const std::vector<std::int64_t> &response,
                       const std::size_t                n_nodes)
    {
      std::vector<std::int64_t> position(n_nodes, -1);
      for (std::size_t s = 0; s < response.size(); ++s)
        position[response[s]] = s;
      return position;
    }


    std::vector<std::size_t>
    as_sizes(const std::vector<std::int64_t> &nodes)
    {
      return std::vector<std::size_t>(nodes.begin(), nodes.end());
    }
  } // namespace


  template <int dim>
  TestSet<dim>::TestSet(const Space<dim>                &space,
                        const DatasetReader             &reader,
                        const Split                      split,
                        const std::vector<std::int64_t> &response)
    : space_(space)
    , reader_(reader)
    , split_(split)
    , response_(response)
    , n_samples_(reader.valid_samples(split).size())
    , covers_all_(response == free_nodes(reader.mesh()))
  {
    collectively(space.communicator(), [&]() {
      solutions_ =
        read_columns(reader, split, Quantity::solution, space.local_nodes());
    });
    if (covers_all_)
      return;
    weights_            = nodal_weights(space);
    const auto position = response_positions(response, space.n_nodes());
    for (std::size_t i = 0; i < weights_.size(); ++i)
      if (position[space.local_nodes()[i]] < 0)
        weights_[i] = 0;
  }


  template <int dim>
  std::vector<double>
  TestSet<dim>::forcings(const DistributedRule &rule) const
  {
    std::vector<double> columns;
    collectively(space_.communicator(), [&]() {
      columns = read_columns(reader_, split_, Quantity::forcing, rule.nodes);
    });
    return columns;
  }


  template <int dim>
  std::vector<double>
  TestSet<dim>::square_norms(const std::vector<double> &columns) const
  {
    if (covers_all_)
      return space_.square_norms(columns, n_samples_);

    const std::size_t   n = space_.n_local_nodes();
    std::vector<double> squares(n_samples_, 0.);
    for (std::size_t j = 0; j < n_samples_; ++j)
      for (std::size_t i = 0; i < n; ++i)
        squares[j] += weights_[i] * std::pow(columns[j * n + i], 2);
    MPI_Allreduce(MPI_IN_PLACE,
                  squares.data(),
                  static_cast<int>(n_samples_),
                  MPI_DOUBLE,
                  MPI_SUM,
                  space_.communicator());
    return squares;
  }


  template <int dim>
  double
  TestSet<dim>::mean_relative_error(
    const std::vector<double> &predictions) const
  {
    const std::size_t n = space_.n_local_nodes();
    const auto position = response_positions(response_, space_.n_nodes());
    std::vector<double> difference = solutions_;
    for (std::size_t i = 0; i < n; ++i)
      {
        const auto s = position[space_.local_nodes()[i]];
        if (s >= 0)
          for (std::size_t j = 0; j < n_samples_; ++j)
            difference[j * n + i] -= predictions[j * response_.size() + s];
      }
    const auto  errors = square_norms(difference);
    const auto  norms  = square_norms(solutions_);
    double      sum    = 0;
    std::size_t count  = 0;
    for (std::size_t j = 0; j < n_samples_; ++j)
      if (norms[j] > 0)
        {
          sum += std::sqrt(errors[j] / norms[j]);
          ++count;
        }
    return count > 0 ? sum / count : std::numeric_limits<double>::quiet_NaN();
  }


  template <int dim>
  std::vector<double>
  TestSet<dim>::errors_of(const std::vector<LearnedKernel> &kernels,
                          const DistributedRule            &rule) const
  {
    std::vector<double> errors;
    for (const LearnedKernel &kernel : kernels)
      errors.push_back(
        stage_errors<dim>(KernelStages(kernel), space_, rule, this, nullptr)
          .eps_u.front());
    return errors;
  }


  template <int dim>
  std::vector<double>
  kernel_errors(const std::vector<LearnedKernel> &kernels,
                LinearProblem<dim>               &problem)
  {
    const DistributedRule rule = make_rule(problem.space());
    std::vector<double>   errors;
    for (const LearnedKernel &kernel : kernels)
      errors.push_back(
        stage_errors<dim>(
          KernelStages(kernel), problem.space(), rule, nullptr, &problem)
          .eps_G.front());
    return errors;
  }


  namespace
  {
    /** F^+ F_test: how test forcings combine from training forcings. */
    std::vector<double>
    combination_of_training_forcings(const DatasetReader &training,
                                     const DatasetReader &tests)
    {
      const std::size_t        m = training.mesh().n_nodes();
      std::vector<std::size_t> all(m);
      std::iota(all.begin(), all.end(), 0);
      auto f = read_columns(training, Split::train, Quantity::forcing, all);
      const auto test =
        read_columns(tests, Split::test, Quantity::forcing, all);
      const int n_train = static_cast<int>(f.size() / m);
      const int n_test  = static_cast<int>(test.size() / m);
      const int rows    = static_cast<int>(m);
      const int k       = std::min(rows, n_train);

      std::vector<double> s, u, vt;
      Blas::singular_values(rows, n_train, f, s, &u, &vt);
      std::vector<double> projections(static_cast<std::size_t>(k) * n_test);
      Blas::gemm('T',
                 'N',
                 k,
                 n_test,
                 rows,
                 1.,
                 u.data(),
                 rows,
                 test.data(),
                 rows,
                 0.,
                 projections.data(),
                 k);
      const double threshold = std::max(rows, n_train) * s.front() *
                               std::numeric_limits<double>::epsilon();
      for (int j = 0; j < n_test; ++j)
        for (int i = 0; i < k; ++i)
          projections[static_cast<std::size_t>(j) * k + i] *=
            s[i] > threshold ? 1. / s[i] : 0.;
      std::vector<double> result(static_cast<std::size_t>(n_train) * n_test);
      Blas::gemm('T',
                 'N',
                 n_train,
                 n_test,
                 k,
                 1.,
                 vt.data(),
                 k,
                 projections.data(),
                 k,
                 0.,
                 result.data(),
                 n_train);
      return result;
    }
  } // namespace


  std::vector<double>
  least_squares_predictions(const DatasetReader             &training,
                            const DatasetReader             &tests,
                            const std::vector<std::int64_t> &response,
                            const MPI_Comm                   communicator)
  {
    std::vector<double> predictions;
    collectively(communicator, [&]() {
      if (Utilities::MPI::this_mpi_process(communicator) != 0)
        return;
      const auto combination =
        combination_of_training_forcings(training, tests);
      const auto u          = read_columns(training,
                                  Split::train,
                                  Quantity::solution,
                                  as_sizes(response));
      const int  n_response = static_cast<int>(response.size());
      const int  n_train    = static_cast<int>(u.size() / n_response);
      const int  n_test     = static_cast<int>(combination.size() / n_train);
      predictions.resize(static_cast<std::size_t>(n_response) * n_test);
      Blas::gemm('N',
                 'N',
                 n_response,
                 n_test,
                 n_train,
                 1.,
                 u.data(),
                 n_response,
                 combination.data(),
                 n_train,
                 0.,
                 predictions.data(),
                 n_response);
    });
    return Utilities::MPI::broadcast(communicator, predictions);
  }


  std::vector<double>
  least_squares_predictions(const DatasetReader             &reader,
                            const std::vector<std::int64_t> &response,
                            const MPI_Comm                   communicator)
  {
    return least_squares_predictions(reader, reader, response, communicator);
  }


  template class TestSet<1>;
  template class TestSet<2>;
  template class TestSet<3>;
  template std::vector<double>
  kernel_errors(const std::vector<LearnedKernel> &, LinearProblem<1> &);
  template std::vector<double>
  kernel_errors(const std::vector<LearnedKernel> &, LinearProblem<2> &);
  template std::vector<double>
  kernel_errors(const std::vector<LearnedKernel> &, LinearProblem<3> &);
} // namespace Evergreen
