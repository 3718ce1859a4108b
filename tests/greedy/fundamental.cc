// Fundamental-solution atoms in the greedy algorithms: kernels that are sums
// of such atoms are found exactly, and the slices' own atoms depend on nothing
// but the data. The penalty is what it says.

#include "backends.h"
#include "dictionary/mesh_boundary.h"
#include "small_problem.h"

#include <evergreen/base/error.h>
#include <evergreen/dictionary/evaluator.h>
#include <evergreen/dictionary/fundamental.h>
#include <evergreen/greedy/kernel_greedy.h>
#include <evergreen/greedy/pointwise_greedy.h>

#include <gtest/gtest.h>
#include <tbb/global_control.h>

using namespace Evergreen;

namespace
{
  class FundamentalTest : public Testing::BackendTest
  {};

  class PenaltyTest : public Testing::BackendTest
  {};


  /** The boundary of the unit interval or square as one cell. */
  std::shared_ptr<const Boundary>
  unit_boundary(const unsigned int dim)
  {
    MeshData mesh;
    mesh.dim       = dim;
    mesh.cell_type = dim == 1 ? "line" : "quadrilateral";
    mesh.points    = dim == 1 ? std::vector<double>{0, 1}
                              : std::vector<double>{0, 0, 1, 0, 1, 1, 0, 1};
    mesh.cells     = dim == 1 ? std::vector<std::size_t>{0, 1}
                              : std::vector<std::size_t>{0, 1, 2, 3};
    return std::make_shared<const Boundary>(dim, Testing::boundary_faces(mesh));
  }


  double
  distance(const unsigned int dim, const double *a, const double *b)
  {
    double square = 0;
    for (unsigned int d = 0; d < dim; ++d)
      square += std::pow(a[d] - b[d], 2);
    return std::sqrt(square);
  }


  const double far_centre[] = {1.7, -0.4};


  /** -log|x - y|, an image charge, and one more outside. */
  double
  logarithmic_kernel(const double *x, const double *y)
  {
    double     image[2];
    const auto boundary  = unit_boundary(2);
    const bool has_image = boundary->mirror(x, 0.01, image);
    return -std::log(std::max(distance(2, x, y), 1e-30)) +
           (has_image ? std::log(distance(2, image, y)) : 0.) -
           0.3 * std::log(distance(2, far_centre, y));
  }


  SmallProblem
  logarithmic_problem()
  {
    SmallProblem problem;
    add_grid(2, 7, problem);
    add_forcings(60, 200, problem);
    add_solutions(logarithmic_kernel, problem);
    return problem;
  }


  /** ReLU atoms and one centre outside. */
  Dictionary
  mixed_dictionary(const SmallProblem &problem, const std::size_t n_relu)
  {
    std::vector<Dictionary::Part> parts;
    BoundingSphere                sphere;
    sphere.centre.assign(2, 0.5);
    sphere.radius = std::sqrt(0.5);
    if (n_relu > 0)
      parts.push_back({std::make_shared<ReluFamily>(1, sphere), n_relu});
    parts.push_back({std::make_shared<FundamentalFamily>(
                       AtomForm::centred,
                       problem.rule.dim,
                       FundamentalSolution(),
                       std::vector<double>(far_centre, far_centre + 2)),
                     1});
    return Dictionary(parts, 5);
  }


  std::vector<Fit>
  learn(const SmallProblem     &problem,
        const Dictionary       &dictionary,
        const GreedyParameters &parameters,
        const SliceAtoms       &own)
  {
    const Coordinates         coordinates(problem.data(), MPI_COMM_SELF);
    const std::vector<double> points = problem.response_points();
    std::vector<Fit>          fits;
    EXPECT_TRUE(approximate_slices(
      {problem.rule, coordinates, dictionary, parameters, MPI_COMM_SELF},
      fits,
      {},
      {&own, &points}));
    return fits;
  }
} // namespace


TEST_P(FundamentalTest, FindsKernelsThatAreMadeOfItsAtoms)
{
  const auto       problem = logarithmic_problem();
  const SliceAtoms own(FundamentalSolution(), unit_boundary(2), 0.01);
  auto             parameters = with_neurons(6);
  parameters.tolerance        = 1e-10;
  const auto dictionary       = mixed_dictionary(problem, 0);
  const auto fits             = learn(problem, dictionary, parameters, own);
  for (std::size_t s = 0; s < fits.size(); ++s)
    {
      const double *const x = problem.nodes.data() + 2 * s;
      EXPECT_EQ(fits[s].reason, StopReason::tolerance);
      EXPECT_LE(fits[s].n_kept(), 3u);

      // The expansion is the kernel itself, away from the data, too.
      const AtomList atoms =
        fits[s].atoms(dictionary, fits[s].n_kept(), own.at(x));
      const double y[] = {0.31, 0.77};
      double       sum = 0;
      for (std::size_t i = 0; i < atoms.size(); ++i)
        sum += fits[s].coefficients[i] * atoms.value(i, y);
      EXPECT_NEAR(sum, logarithmic_kernel(x, y), 1e-7);
    }
}


TEST_P(FundamentalTest, OwnAtomsDoNotDependOnThreadsMemoryOrBlocks)
{
  const auto       problem    = make_small_problem(2, 7, 60, 200);
  const auto       dictionary = mixed_dictionary(problem, 40);
  const SliceAtoms own({RadialFunction::macdonald, 1., 4.},
                       unit_boundary(2),
                       0.05);
  for (const auto precision :
       {SearchPrecision::double_precision, SearchPrecision::single_precision})
    {
      auto parameters      = with_neurons(20);
      parameters.precision = precision;
      const auto  fits     = learn(problem, dictionary, parameters, own);
      std::size_t n_own    = 0;
      for (const Fit &fit : fits)
        n_own += std::count_if(fit.chosen.begin(),
                               fit.chosen.end(),
                               [&](const unsigned int index) {
                                 return index >= dictionary.size();
                               });
      EXPECT_GE(n_own, fits.size()); // they are worth their place

      const auto expect_same = [&](const GreedyParameters &other) {
        const auto again = learn(problem, dictionary, other, own);
        ASSERT_EQ(again.size(), fits.size());
        for (std::size_t s = 0; s < fits.size(); ++s)
          {
            EXPECT_EQ(again[s].chosen, fits[s].chosen);
            // Matrix products round by the position in a block.
            for (std::size_t i = 0; i < fits[s].coefficients.size(); ++i)
              EXPECT_NEAR(again[s].coefficients[i],
                          fits[s].coefficients[i],
                          1e-9);
          }
      };
      auto other              = parameters;
      other.slices_per_task   = 5;
      other.slices_per_report = 7;
      expect_same(other);
      other.memory = 400000;
      expect_same(other);
      const tbb::global_control one_thread(
        tbb::global_control::max_allowed_parallelism, 1);
      expect_same(parameters);
    }
}


TEST_P(FundamentalTest, FullKernelsAreFound)
{
  // Poisson's kernel on the interval is a difference and products of lines.
  SmallProblem problem;
  add_grid(1, 30, problem);
  add_forcings(40, 200, problem);
  const auto green = [](const double *x, const double *y) {
    return std::min(*x, *y) * (1 - std::max(*x, *y));
  };
  add_solutions(green, problem);
  const FundamentalSolution modulus = {RadialFunction::modulus, 1, 1};
  const Dictionary          dictionary(
    {{std::make_shared<FundamentalFamily>(AtomForm::difference, 1, modulus), 1},
              {std::make_shared<FundamentalFamily>(
        AtomForm::product,
        1,
        modulus,
        std::vector<double>{-0.5, -0.1, 1.2, 1.9}),
               40}},
    3);
  const Coordinates         coordinates(problem.data(), MPI_COMM_SELF);
  const auto                points = problem.response_points();
  const std::vector<double> weights(points.size(), 1.);
  auto                      parameters = with_neurons(8);
  parameters.tolerance                 = 1e-9;
  for (const auto precision :
       {SearchPrecision::double_precision, SearchPrecision::single_precision})
    {
      parameters.precision = precision;
      Fit fit;
      EXPECT_TRUE(approximate_kernel(
        {problem.rule, coordinates, dictionary, parameters, MPI_COMM_SELF},
        points,
        weights,
        fit));
      EXPECT_EQ(fit.reason, StopReason::tolerance);
      const AtomList atoms = fit.atoms(dictionary, fit.n_kept());
      for (const double x : {0.2, 0.45})
        for (const double y : {0.13, 0.86})
          {
            const double point[] = {x, y};
            double       sum     = 0;
            for (std::size_t i = 0; i < atoms.size(); ++i)
              sum += fit.coefficients[i] * atoms.value(i, point);
            EXPECT_NEAR(sum, green(&x, &y), 1e-6);
          }
    }
}


TEST(Penalty, IsTheNormInTheInnerProduct)
{
  const auto problem  = make_small_problem(2, 7, 50, 200);
  auto       data     = problem.data();
  data.penalty.weight = 0.3;
  data.penalty.node_weights.assign(problem.n_nodes(), 0.);
  for (std::size_t k = 0; k < problem.rule.rows.size(); ++k)
    data.penalty.node_weights[problem.rule.rows[k]] += problem.rule.values[k];
  data.penalty.nodes.resize(problem.n_nodes());
  std::iota(data.penalty.nodes.begin(), data.penalty.nodes.end(), 0);

  const Coordinates plain(problem.data(), MPI_COMM_SELF);
  const Coordinates with(data, MPI_COMM_SELF);
  EXPECT_EQ(with.n_data(), plain.n_dot());
  EXPECT_EQ(with.rank(), plain.rank());

  double energy = 0;
  for (std::size_t i = 0; i < problem.f.size(); ++i)
    energy += data.penalty.node_weights[i % problem.n_nodes()] * problem.f[i] *
              problem.f[i] / 50;
  const AtomList atoms     = problem.dictionary(2).draw(0);
  const auto     evaluator = make_evaluator("reference");
  evaluator->reinit(problem.rule, with.matrix(), with.n_rows());
  std::vector<double> h(2 * with.n_rows());
  evaluator->coordinates(atoms, h.data());
  const std::vector<double> none;
  evaluator->reinit(problem.rule, none, problem.n_nodes());
  std::vector<double> g(2 * problem.n_nodes());
  evaluator->coordinates(atoms, g.data());

  double penalty = 0, expected = 0;
  for (std::size_t i = with.n_data(); i < with.n_dot(); ++i)
    penalty += h[i] * h[with.n_rows() + i];
  for (std::size_t k = 0; k < problem.n_nodes(); ++k)
    expected += g[k] * g[problem.n_nodes() + k] / data.penalty.node_weights[k];
  expected *= 0.3 * 0.3 * energy / with.rank();
  EXPECT_NEAR(penalty, expected, 1e-12 * std::abs(expected));
}


TEST(Penalty, SketchKeepsNorms)
{
  Penalty penalty;
  penalty.weight = 1;
  penalty.node_weights.assign(2000, 0.5);
  EXPECT_EQ(penalty.n_rows(), Penalty::n_sketch_rows);
  std::vector<double> v(2000);
  double              norm = 0;
  for (std::size_t k = 0; k < v.size(); ++k)
    {
      v[k] = std::sin(0.01 * k);
      norm += v[k] * v[k] / 0.5;
    }
  double sketched = 0;
  for (std::size_t i = 0; i < penalty.n_rows(); ++i)
    {
      double sum = 0;
      for (std::size_t k = 0; k < v.size(); ++k)
        sum += penalty.entry(i, k) * v[k];
      sketched += sum * sum;
    }
  // The standard deviation of the ratio is sqrt(2 / 1024).
  EXPECT_NEAR(sketched / norm, 1., 4 * std::sqrt(2. / 1024));
}


TEST_P(PenaltyTest, ConstraintsAreObeyed)
{
  // With a large weight the integral of every slice is zero, without it is not.
  const auto problem = make_small_problem(1, 30, 40, 200);
  auto       data    = problem.data();
  data.penalty.node_weights.assign(problem.n_nodes(), 1. / 30);
  data.penalty.nodes.resize(problem.n_nodes());
  std::iota(data.penalty.nodes.begin(), data.penalty.nodes.end(), 0);
  const auto integral = [&]() {
    const Coordinates coordinates(data, MPI_COMM_SELF);
    const auto        parameters = with_neurons(10);
    const auto        dictionary = problem.dictionary(64);
    std::vector<Fit>  fits;
    approximate_slices(
      {problem.rule, coordinates, dictionary, parameters, MPI_COMM_SELF}, fits);
    const AtomList atoms = fits[11].atoms(dictionary, fits[11].n_kept());
    double         sum   = 0;
    for (std::size_t q = 0; q < problem.rule.n_points(); ++q)
      {
        double weight = 0;
        for (std::size_t k = problem.rule.column_starts[q];
             k < problem.rule.column_starts[q + 1];
             ++k)
          weight += problem.rule.values[k];
        for (std::size_t i = 0; i < atoms.size(); ++i)
          sum += weight * fits[11].coefficients[i] *
                 atoms.value(i, &problem.rule.points[q]);
      }
    return sum;
  };
  const double free = integral();
  data.penalty.constraints.assign(problem.n_nodes(), 1e3);
  EXPECT_LT(std::abs(integral()), 1e-3 * std::abs(free));
}


TEST(Fundamental, BadInput)
{
  EXPECT_THROW(FundamentalFamily(AtomForm::centred,
                                 2,
                                 {RadialFunction::neumann, 0., 1.},
                                 {2., 2.}),
               UsageError);
  EXPECT_THROW(FundamentalFamily(AtomForm::centred,
                                 2,
                                 {RadialFunction::neumann, 2., 1.},
                                 {2., 2.}),
               UsageError);
  EXPECT_THROW(
    FundamentalFamily(AtomForm::centred, 2, FundamentalSolution(), {}), Error);
  EXPECT_THROW(
    FundamentalFamily(AtomForm::product, 2, FundamentalSolution(), {1.}),
    Error);
}


EVERGREEN_TEST_BACKENDS(FundamentalTest);
EVERGREEN_TEST_BACKENDS(PenaltyTest);
