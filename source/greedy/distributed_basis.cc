#include <evergreen/base/collective.h>
#include <evergreen/dictionary/simd.h>
#include <evergreen/greedy/distributed_basis.h>

#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>
#include <type_traits>

namespace Evergreen
{
  namespace
  {
    // Few enough that a block is still in the cache when it is read for the
    // second time.
    constexpr std::size_t vectors_per_block = 8;

    // A projection that leaves less than this part of the norm has lost too
    // many digits of orthogonality, and is repeated: vectors in single
    // precision have fewer to lose.
    template <typename Number>
    constexpr double cancellation =
      std::is_same<Number, float>::value ? 1e-3 : 1e-5;

    // Vectors in single precision span only so much of what they stand for:
    // what is left of a vector in their span is not smaller.
    constexpr double single_span_tolerance = 1e-6;

    // Sums are made over ranges of this many entries and then in order, so
    // that they do not depend on the number of threads.
    constexpr std::size_t entries_per_task = 4096;


    template <typename Number>
    class Basis : public DistributedBasis
    {
    public:
      Basis(const std::size_t n_inner_entries,
            const std::size_t n_extra_entries,
            const MPI_Comm    communicator)
        : n_inner(n_inner_entries)
        , n_all(n_inner_entries + n_extra_entries)
        , comm(communicator)
      {}

      bool
      append(std::vector<double> &h,
             double               span_tolerance,
             std::vector<double> &column) override
      {
        if (std::is_same<Number, float>::value)
          span_tolerance = std::max(span_tolerance, single_span_tolerance);
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
        } while (after < cancellation<Number> * before);

        column[n_vectors] = after;
        if (n_vectors % vectors_per_block == 0)
          blocks.emplace_back();
        auto &block = blocks.back();
        block.reserve(n_all * vectors_per_block);
        for (const double value : h)
          block.push_back(static_cast<Number>(value / after));
        ++n_vectors;
        return true;
      }

      double
      reduce(std::vector<double> &r) const override
      {
        const Number *const q =
          blocks.back().data() + blocks.back().size() - n_all;
        double c = 0;
        Simd::loops<Number>().dots(n_inner, q, n_all, 1, r.data(), &c);
        c = Collective::sum(comm, c);
        Simd::loops<Number>().subtract(n_all, q, n_all, 1, &c, r.data());
        return c;
      }

      double
      square_norm(const std::vector<double> &h) const override
      {
        return Collective::sum(comm,
                               Simd::loops().dot(n_inner, h.data(), h.data()));
      }

    private:
      /** Removes the basis from h, and adds what was removed to the column. */
      void
      project_out(std::vector<double> &h, std::vector<double> &column) const
      {
        std::vector<double> c;
        for (std::size_t block = 0; block <= blocks.size(); ++block)
          c = subtract_and_dot(block, c, h, column);
      }

      /**
       * Removes the previous block of vectors, whose coefficients are c, from
       * h, and returns those of the next block: both in one sweep over h.
       */
      std::vector<double>
      subtract_and_dot(const std::size_t          block,
                       const std::vector<double> &c,
                       std::vector<double>       &h,
                       std::vector<double>       &column) const
      {
        // Not from the size of the block: a rank may have no entries.
        const std::size_t n =
          std::min(n_vectors, (block + 1) * vectors_per_block) -
          std::min(n_vectors, block * vectors_per_block);
        const std::size_t n_ranges =
          (n_all + entries_per_task - 1) / entries_per_task;
        std::vector<double> partial(n_ranges * n), result(n);
        const auto          work = [&](const std::size_t range) {
          const std::size_t begin = range * entries_per_task;
          const std::size_t end = std::min(begin + entries_per_task, n_all);
          if (block > 0)
            Simd::loops<Number>().subtract(end - begin,
                                           blocks[block - 1].data() + begin,
                                           n_all,
                                           c.size(),
                                           c.data(),
                                           h.data() + begin);
          if (n > 0 && begin < n_inner)
            Simd::loops<Number>().dots(std::min(end, n_inner) - begin,
                                       blocks[block].data() + begin,
                                       n_all,
                                       n,
                                       h.data() + begin,
                                       partial.data() + range * n);
        };
        tbb::parallel_for(std::size_t(0),
                          n_ranges,
                          work,
                          tbb::static_partitioner());
        for (std::size_t i = 0; i < n_ranges; ++i)
          for (std::size_t j = 0; j < n; ++j)
            result[j] += partial[i * n + j];
        Collective::sum(comm, result);
        for (std::size_t j = 0; j < n; ++j)
          column[block * vectors_per_block + j] += result[j];
        return result;
      }

      std::size_t n_inner;
      std::size_t n_all;
      MPI_Comm    comm;
      std::size_t n_vectors = 0;

      /** Vectors in blocks, so that growing does not copy them. */
      std::vector<std::vector<Number>> blocks;
    };
  } // namespace


  std::unique_ptr<DistributedBasis>
  make_distributed_basis(const std::size_t n_inner,
                         const std::size_t n_extra,
                         const bool        single,
                         const MPI_Comm    comm)
  {
    if (single)
      return std::make_unique<Basis<float>>(n_inner, n_extra, comm);
    return std::make_unique<Basis<double>>(n_inner, n_extra, comm);
  }
} // namespace Evergreen
