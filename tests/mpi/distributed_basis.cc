// An orthonormal basis over the ranks, of which the last one has no entries.
// The coefficients R of vectors H = Q R tell whether Q is orthonormal: then,
// and only then, R^T R = H^T H.

#include <evergreen/base/collective.h>
#include <evergreen/base/random.h>
#include <evergreen/greedy/distributed_basis.h>

#include <gtest/gtest.h>
#include <mpi.h>

#include <cmath>
#include <numeric>

using namespace Evergreen;

namespace
{
  constexpr std::size_t n_inner = 5008, n_extra = 16, n_vectors = 19;


  // Random vectors; every third is almost in the span of the one before.
  std::vector<std::vector<double>>
  make_vectors(const bool empty)
  {
    std::vector<std::vector<double>> result;
    for (std::size_t j = 0; j <= n_vectors; ++j)
      {
        std::vector<double> h(n_inner + n_extra);
        for (std::size_t i = 0; i < h.size(); ++i)
          {
            h[i] = 2 * Random::uniform(3, Random::Stream::test, j, i) - 1;
            if (j % 3 == 2)
              h[i] = result.back()[i] + 1e-4 * h[i];
          }
        result.push_back(h);
      }
    if (empty)
      result.assign(n_vectors + 1, {});
    return result;
  }


  double
  global_dot(const std::vector<double> &a, const std::vector<double> &b)
  {
    return Collective::sum(
      MPI_COMM_WORLD,
      a.empty()
        ? 0.
        : std::inner_product(a.begin(), a.begin() + n_inner, b.begin(), 0.));
  }


  void
  check(const bool single, const double tolerance)
  {
    int rank, n_ranks;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &n_ranks);
    const bool empty   = rank > 0 && rank == n_ranks - 1;
    const auto vectors = make_vectors(empty);
    const auto basis   = make_distributed_basis(empty ? 0 : n_inner,
                                              empty ? 0 : n_extra,
                                              single,
                                              MPI_COMM_WORLD);

    std::vector<double>              r = vectors[n_vectors], column;
    std::vector<std::vector<double>> factors;
    for (std::size_t j = 0; j < n_vectors; ++j)
      {
        auto h = vectors[j];
        ASSERT_TRUE(basis->append(h, 1e-10, column));
        factors.push_back(column);
        basis->reduce(r);
      }
    const double norm =
      std::sqrt(global_dot(vectors[n_vectors], vectors[n_vectors]));
    for (std::size_t j = 0; j < n_vectors; ++j)
      {
        const double length = std::sqrt(global_dot(vectors[j], vectors[j]));
        EXPECT_LT(std::abs(global_dot(vectors[j], r)),
                  tolerance * length * norm);
        for (std::size_t i = 0; i <= j; ++i)
          {
            const double product = std::inner_product(factors[i].begin(),
                                                      factors[i].end(),
                                                      factors[j].begin(),
                                                      0.);
            const double exact   = global_dot(vectors[i], vectors[j]);
            EXPECT_NEAR(product, exact, tolerance * length * length);
            EXPECT_GT(std::abs(product * (1 + 10 * tolerance) - exact),
                      i == j ? tolerance * length * length : -1.);
          }
      }

    // What is in the span is refused.
    auto inside = vectors[4];
    EXPECT_FALSE(basis->append(inside, 1e-10, column));
  }
} // namespace


TEST(DistributedBasis, IsOrthonormal)
{
  // A projection may lose five digits before it is repeated.
  check(false, 1e-11);
  check(true, 1e-8);
}
