#include <evergreen/base/blas.h>
#include <evergreen/base/collective.h>
#include <evergreen/base/error.h>
#include <evergreen/data/samples.h>
#include <evergreen/kernel/errors.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace Evergreen
{
  using namespace dealii;

  template <int dim>
  TestSet<dim>::TestSet(const Space<dim>         &space,
                        std::vector<std::int64_t> response,
                        DistributedRule           rule,
                        std::vector<double>       forcings,
                        std::vector<double>       solutions)
    : space_(space)
    , slice_of_node_(space.n_nodes(), -1)
    , n_slices_(response.size())
    , rule_(std::move(rule))
    , forcings_(std::move(forcings))
    , solutions_(std::move(solutions))
    , n_samples_(
        Utilities::MPI::max(solutions_.size() /
                              std::max<std::size_t>(1, space.n_local_nodes()),
                            space.communicator()))
  {
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
  TestSet<dim>
  read_test_set(const Space<dim>                &space,
                const DatasetReader             &reader,
                const Split                      split,
                const std::vector<std::int64_t> &response,
                const std::string               &quadrature)
  {
    auto    rule     = make_rule(space, quadrature_kind(quadrature));
    Samples samples  = load_samples(reader, split, space);
    auto    forcings = space.values_at_nodes(rule.nodes,
                                          samples.forcings.data(),
                                          samples.n_samples);
    return TestSet<dim>(space,
                        response,
                        std::move(rule),
                        std::move(forcings),
                        std::move(samples.solutions));
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
                                  std::vector<std::size_t>(response.begin(),
                                                           response.end()));
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


#define INSTANTIATE(dim)                                                       \
  template class TestSet<dim>;                                                 \
  template TestSet<dim> read_test_set(const Space<dim> &,                      \
                                      const DatasetReader &,                   \
                                      const Split,                             \
                                      const std::vector<std::int64_t> &,       \
                                      const std::string &);
  INSTANTIATE(1)
  INSTANTIATE(2)
  INSTANTIATE(3)
#undef INSTANTIATE
} // namespace Evergreen
