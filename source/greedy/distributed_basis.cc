#include <evergreen/base/blas.h>
#include <evergreen/greedy/distributed_basis.h>
#include <evergreen/greedy/reductions.h>

#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

namespace Evergreen
{
  namespace
  {
    // Few enough that a block is still in the cache when it is read for the
    // second time.
    constexpr std::size_t vectors_per_block = 8;

    // A projection that leaves less than this part of the norm has lost too
    // many digits of orthogonality, and is repeated.
    constexpr double cancellation = 1e-3;

    // Sums are made over ranges of this many entries and then in order, so
    // that they do not depend on the number of threads.
    constexpr std::size_t entries_per_task = 4096;


    void
    for_ranges(const std::size_t                                    n,
               const std::function<void(std::size_t, std::size_t)> &work)
    {
      tbb::parallel_for(std::size_t(0),
                        (n + entries_per_task - 1) / entries_per_task,
                        [&](const std::size_t i) {
                          work(i * entries_per_task,
                               std::min((i + 1) * entries_per_task, n));
                        });
    }
  } // namespace


  DistributedBasis::DistributedBasis(const std::size_t n_inner_entries,
                                     const std::size_t n_extra_entries,
                                     const MPI_Comm    communicator)
    : n_inner(n_inner_entries)
    , n_all(n_inner_entries + n_extra_entries)
    , comm(communicator)
  {}


  std::size_t
  DistributedBasis::size() const
  {
    return n_vectors;
  }


  std::vector<double>
  DistributedBasis::products(const std::size_t          block,
                             const std::vector<double> &h) const
  {
    const std::size_t n = blocks[block].size() / n_all;
    const std::size_t n_ranges =
      (n_inner + entries_per_task - 1) / entries_per_task;
    std::vector<double> partial(n_ranges * n), result(n);
    for_ranges(n_inner, [&](const std::size_t begin, const std::size_t end) {
      Blas::gemv('T',
                 int(end - begin),
                 int(n),
                 1.,
                 blocks[block].data() + begin,
                 int(n_all),
                 h.data() + begin,
                 0.,
                 partial.data() + begin / entries_per_task * n);
    });
    for (std::size_t i = 0; i < n_ranges; ++i)
      for (std::size_t j = 0; j < n; ++j)
        result[j] += partial[i * n + j];
    Collective::sum(comm, result.data(), n);
    return result;
  }


  void
  DistributedBasis::project_out(std::vector<double> &h,
                                std::vector<double> &coefficients) const
  {
    for (std::size_t block = 0; block < blocks.size(); ++block)
      {
        const auto c = products(block, h);
        for_ranges(n_all, [&](const std::size_t begin, const std::size_t end) {
          Blas::gemv('N',
                     int(end - begin),
                     int(c.size()),
                     -1.,
                     blocks[block].data() + begin,
                     int(n_all),
                     c.data(),
                     1.,
                     h.data() + begin);
        });
        for (std::size_t j = 0; j < c.size(); ++j)
          coefficients[block * vectors_per_block + j] += c[j];
      }
  }


  bool
  DistributedBasis::append(std::vector<double> &h,
                           const double         span_tolerance,
                           std::vector<double> &column)
  {
    column.assign(n_vectors + 1, 0.);
    const double norm   = std::sqrt(square_norm(h));
    double       before = norm, after = norm;
    do
      {
        before = after;
        project_out(h, column);
        after = std::sqrt(square_norm(h));
        if (!(after > span_tolerance * norm))
          return false;
    } while (after < cancellation * before);

    column[n_vectors] = after;
    if (n_vectors % vectors_per_block == 0)
      blocks.emplace_back();
    auto &block = blocks.back();
    block.reserve(n_all * vectors_per_block);
    for (const double value : h)
      block.push_back(value / after);
    ++n_vectors;
    return true;
  }


  double
  DistributedBasis::reduce(std::vector<double> &r) const
  {
    const double *const q = blocks.back().data() + blocks.back().size() - n_all;
    const double        c =
      Collective::sum(comm, std::inner_product(q, q + n_inner, r.data(), 0.));
    for (std::size_t i = 0; i < n_all; ++i)
      r[i] -= c * q[i];
    return c;
  }


  double
  DistributedBasis::square_norm(const std::vector<double> &h) const
  {
    return Collective::sum(
      comm, std::inner_product(h.begin(), h.begin() + n_inner, h.begin(), 0.));
  }
} // namespace Evergreen
