#include <evergreen/base/blas.h>
#include <evergreen/base/collective.h>
#include <evergreen/base/error.h>
#include <evergreen/base/random.h>
#include <evergreen/dictionary/simd.h>
#include <evergreen/greedy/coordinates.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace Evergreen
{
  namespace
  {
    // The chosen rows and columns of a matrix with ld rows.
    std::vector<double>
    submatrix(const double                   *matrix,
              const std::size_t               ld,
              const std::vector<std::size_t> &rows,
              const std::vector<std::size_t> &columns)
    {
      std::vector<double> result;
      result.reserve(rows.size() * columns.size());
      for (const std::size_t j : columns)
        for (const std::size_t i : rows)
          result.push_back(matrix[j * ld + i]);
      return result;
    }


    std::vector<std::size_t>
    all_indices(const std::size_t n)
    {
      std::vector<std::size_t> indices(n);
      std::iota(indices.begin(), indices.end(), 0);
      return indices;
    }


    std::vector<std::size_t>
    complement(const std::vector<std::size_t> &subset, const std::size_t n)
    {
      const auto               all = all_indices(n);
      std::vector<std::size_t> rest;
      std::set_difference(all.begin(),
                          all.end(),
                          subset.begin(),
                          subset.end(),
                          std::back_inserter(rest));
      return rest;
    }


    void
    check_finite(const char       *name,
                 const double     *values,
                 const std::size_t n_rows,
                 const std::size_t n_columns)
    {
      for (std::size_t i = 0; i < n_rows * n_columns; ++i)
        if (!std::isfinite(values[i]))
          throw Error("Sample ",
                      i / n_rows,
                      " of the ",
                      name,
                      " contains ",
                      values[i],
                      " at node ",
                      i % n_rows,
                      ": remove it from the dataset.");
    }
  } // namespace


  std::size_t
  Penalty::n_constraints() const
  {
    return constraints.empty() ? 0 : constraints.size() / node_weights.size();
  }


  std::size_t
  Penalty::n_rows() const
  {
    return weight > 0 ? std::min(n_sketch_rows, node_weights.size()) : 0;
  }


  double
  Penalty::entry(const std::size_t i, const std::size_t k) const
  {
    const double root = 1. / std::sqrt(node_weights[k]);
    if (n_rows() == node_weights.size())
      return i == k ? root : 0.;
    return root * Random::normal(seed, Random::Stream::penalty, k, i) /
           std::sqrt(n_rows());
  }


  std::vector<std::size_t>
  validation_split(const std::size_t   n_samples,
                   const double        share,
                   const std::uint64_t seed)
  {
    if (!(share >= 0 && share < 1))
      throw UsageError("The validation share is ",
                       share,
                       ": choose at least 0 and less than 1.");
    if (share == 0)
      return {};
    if (n_samples < 2)
      throw UsageError("Validation needs at least two samples, there is ",
                       n_samples,
                       ".");
    std::vector<std::pair<double, std::size_t>> order(n_samples);
    for (std::size_t i = 0; i < n_samples; ++i)
      order[i] = {Random::uniform(seed, Random::Stream::validation, 0, i), i};
    std::sort(order.begin(), order.end());
    const std::size_t count =
      std::clamp<std::size_t>(std::lround(share * n_samples), 1, n_samples - 1);
    std::vector<std::size_t> held_out(count);
    for (std::size_t i = 0; i < count; ++i)
      held_out[i] = order[i].second;
    std::sort(held_out.begin(), held_out.end());
    return held_out;
  }


  Coordinates::Coordinates(const TrainingData &data, const MPI_Comm comm)
    : n_penalty(data.penalty.n_rows() + data.penalty.n_constraints())
    , n_validation(data.validation.size())
    , n_response(data.response.size())
  {
    collectively(comm, [&]() { check(data); });
    const Blas::SingleThread one_thread;

    const std::size_t n_nodes  = data.n_f_rows;
    const auto        training = complement(data.validation, data.n_samples);
    const std::size_t n        = training.size();
    const auto        nodes    = all_indices(n_nodes);
    const auto        f        = submatrix(data.f, n_nodes, nodes, training);
    const auto        v        = row_space(f, n_nodes, data.n_owned, n, comm);
    r                          = v.size() / n;

    // C, with the forcings of the held-out samples below it.
    c.resize(n_rows() * n_nodes);
    parallel_gemm('T',
                  'T',
                  1. / std::sqrt(n),
                  {v.data(), n, r},
                  {f.data(), n_nodes, n},
                  0.,
                  {c.data(), r, n_nodes, n_rows()});
    for (std::size_t i = 0; i < n_validation; ++i)
      for (std::size_t k = 0; k < n_nodes; ++k)
        c[k * n_rows() + n_dot() + i] =
          data.f[data.validation[i] * n_nodes + k] / std::sqrt(n_validation);

    compute_targets(
      submatrix(data.u, data.n_u_rows, data.response, training),
      submatrix(data.u, data.n_u_rows, data.response, data.validation),
      v,
      n,
      comm);
    if (n_penalty > 0)
      add_penalty(data, comm);
  }


  void
  Coordinates::add_penalty(const TrainingData &data, const MPI_Comm comm)
  {
    const Penalty    &penalty = data.penalty;
    const std::size_t n_nodes = penalty.node_weights.size();

    double energy = 0;
    for (std::size_t j = 0; j < data.n_samples; ++j)
      for (std::size_t k = 0; k < data.n_owned; ++k)
        energy += penalty.node_weights[penalty.nodes[k]] *
                  std::pow(data.f[j * data.n_f_rows + k], 2);
    const double scale =
      std::sqrt(Collective::sum(comm, energy) / (data.n_samples * double(r)));

    const std::size_t n_tikhonov = penalty.n_rows();
    for (std::size_t k = 0; k < data.n_f_rows; ++k)
      {
        const std::size_t node   = penalty.nodes[k];
        double *const     column = &c[k * n_rows() + n_data()];
        for (std::size_t i = 0; i < n_tikhonov; ++i)
          column[i] = scale * penalty.weight * penalty.entry(i, node);
        for (std::size_t i = 0; i < penalty.n_constraints(); ++i)
          column[n_tikhonov + i] =
            scale * penalty.constraints[i * n_nodes + node];
      }
  }


  Coordinates::Coordinates(const std::vector<double> &target)
    : r(target.size())
    , n_response(1)
    , targets(target)
    , square_norms(1)
    , misfits(1)
  {
    check_finite("target", target.data(), r, 1);
    targets.resize(n_rows());
    square_norms[0] =
      std::inner_product(target.begin(), target.end(), target.begin(), 0.);
    if (square_norms[0] == 0)
      throw Error(
        "The target is zero at all quadrature points: there is "
        "nothing to approximate.");
  }


  void
  Coordinates::check(const TrainingData &data) const
  {
    if (data.n_samples <= data.validation.size())
      throw Error("There are ",
                  data.n_samples,
                  " samples, of which ",
                  data.validation.size(),
                  " are held out: at least one is needed to learn from.");
    if (data.n_owned > data.n_f_rows)
      throw Error("The rank owns ",
                  data.n_owned,
                  " of ",
                  data.n_f_rows,
                  " rows of forcings.");
    for (const std::size_t row : data.response)
      if (row >= data.n_u_rows)
        throw Error("Response point ",
                    row,
                    " does not exist: the solutions have ",
                    data.n_u_rows,
                    " nodes.");
    for (const std::size_t sample : data.validation)
      if (sample >= data.n_samples)
        throw Error("The held-out sample ", sample, " does not exist.");
    if (n_penalty > 0 &&
        (data.penalty.nodes.size() != data.n_f_rows ||
         data.penalty.constraints.size() !=
           data.penalty.n_constraints() * data.penalty.node_weights.size()))
      throw Error("The penalty does not fit the data: it has ",
                  data.penalty.nodes.size(),
                  " rows and constraints of ",
                  data.penalty.constraints.size(),
                  " numbers.");
    check_finite("forcings", data.f, data.n_f_rows, data.n_samples);
    check_finite("solutions", data.u, data.n_u_rows, data.n_samples);
  }


  void
  Coordinates::compute_targets(const std::vector<double> &u,
                               const std::vector<double> &u_validation,
                               const std::vector<double> &v,
                               const std::size_t          n_samples,
                               const MPI_Comm             comm)
  {
    const double factor = 1. / std::sqrt(n_samples);
    targets.resize(n_rows() * n_response);
    square_norms.resize(n_response);
    misfits.resize(n_response);

    const MatrixView<const double> v_view(v.data(), n_samples, r);
    const MatrixView<double>       t(targets.data(), r, n_response, n_rows());
    parallel_gemm(
      'T', 'T', factor, v_view, {u.data(), n_response, n_samples}, 0., t);

    // What is left of U, so that a tiny misfit is not lost to cancellation.
    std::vector<double> rest(n_samples * n_response);
    for (std::size_t j = 0; j < n_samples; ++j)
      for (std::size_t s = 0; s < n_response; ++s)
        rest[s * n_samples + j] = factor * u[j * n_response + s];
    for (std::size_t s = 0; s < n_response; ++s)
      for (std::size_t j = 0; j < n_samples; ++j)
        square_norms[s] += std::pow(rest[s * n_samples + j], 2);
    parallel_gemm(
      'N', 'N', -1., v_view, t, 1., {rest.data(), n_samples, n_response});
    for (std::size_t s = 0; s < n_response; ++s)
      for (std::size_t j = 0; j < n_samples; ++j)
        misfits[s] += std::pow(rest[s * n_samples + j], 2);

    for (std::size_t i = 0; i < n_validation; ++i)
      for (std::size_t s = 0; s < n_response; ++s)
        targets[s * n_rows() + n_dot() + i] =
          u_validation[i * n_response + s] / std::sqrt(n_validation);

    const double total = Collective::sum(
      comm, std::accumulate(square_norms.begin(), square_norms.end(), 0.));
    if (total == 0)
      throw Error(
        "All solutions are zero at the response points: there is "
        "nothing to learn.");
    total_misfit = std::sqrt(
      Collective::sum(comm,
                      std::accumulate(misfits.begin(), misfits.end(), 0.)) /
      total);
  }


  std::size_t
  Coordinates::n_data() const
  {
    return Simd::padded(r);
  }


  std::size_t
  Coordinates::n_dot() const
  {
    return n_data() + Simd::padded(n_penalty);
  }


  std::size_t
  Coordinates::n_rows() const
  {
    return n_dot() + Simd::padded(n_validation);
  }

} // namespace Evergreen
