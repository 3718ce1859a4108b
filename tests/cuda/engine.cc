// The device's engine and evaluator against the processor's: the same draws,
// the same atoms, the same numbers; with sizes that are no multiple of any
// block, for all families and dimensions.

#include "emulation.h"
#include "greedy/small_problem.h"

#include <evergreen/dictionary/evaluator.h>
#include <evergreen/dictionary/fundamental.h>
#include <evergreen/dictionary/simd.h>
#include <evergreen/fem/near_field.h>
#include <evergreen/greedy/kernel_greedy.h>
#include <evergreen/greedy/pointwise_greedy.h>

#include <deal.II/fe/fe_q.h>
#include <deal.II/fe/mapping_q.h>
#include <deal.II/grid/grid_generator.h>
#include <deal.II/grid/tria.h>

#include <gtest/gtest.h>

using namespace Evergreen;

namespace
{
  // The largest difference relative to the largest reference value.
  double
  difference(const std::vector<double> &a, const std::vector<double> &reference)
  {
    EXPECT_EQ(a.size(), reference.size());
    double error = 0, scale = 0;
    for (std::size_t i = 0; i < std::min(a.size(), reference.size()); ++i)
      {
        EXPECT_TRUE(std::isfinite(a[i]));
        error = std::max(error, std::abs(a[i] - reference[i]));
        scale = std::max(scale, std::abs(reference[i]));
      }
    return scale > 0 ? error / scale : error;
  }


  /** ReLU^2 atoms, and two families of radial ones. */
  Dictionary
  mixture(const unsigned int dim)
  {
    BoundingSphere sphere;
    for (unsigned int d = 0; d < dim; ++d)
      sphere.centre.push_back(0.5 + 0.1 * d);
    sphere.radius = 0.9;
    std::vector<double> outside(2 * dim, 1.3);
    for (unsigned int d = 0; d < dim; ++d)
      outside[d] = -0.2 - 0.1 * d;
    const RadialFunction first  = dim == 1   ? RadialFunction::modulus
                                  : dim == 2 ? RadialFunction::logarithm
                                             : RadialFunction::inverse;
    const RadialFunction second = dim == 1   ? RadialFunction::sine
                                  : dim == 2 ? RadialFunction::neumann
                                             : RadialFunction::cosine;
    return Dictionary(
      {{std::make_shared<FundamentalFamily>(
          AtomForm::centred, dim, FundamentalSolution{first, 1, 1}, outside),
        3},
       {std::make_shared<ReluFamily>(2, sphere), 29},
       {std::make_shared<FundamentalFamily>(
          AtomForm::centred, dim, FundamentalSolution{second, 2, 7}, outside),
        5}},
      11);
  }


  std::vector<Fit>
  learn(const SmallProblem &problem,
        const Coordinates  &coordinates,
        const Dictionary   &dictionary,
        GreedyParameters    parameters,
        const std::string  &backend,
        const SliceAtoms   *own = nullptr)
  {
    parameters.backend               = backend;
    const std::vector<double> points = problem.response_points();
    std::vector<Fit>          fits;
    EXPECT_TRUE(approximate_slices(
      {problem.rule, coordinates, dictionary, parameters, MPI_COMM_SELF},
      fits,
      {},
      {own, &points}));
    return fits;
  }


  /** The same atoms and, to rounding, the same numbers. */
  void
  expect_same(const std::vector<Fit> &ours, const std::vector<Fit> &theirs)
  {
    ASSERT_EQ(ours.size(), theirs.size());
    for (std::size_t s = 0; s < ours.size(); ++s)
      {
        EXPECT_EQ(ours[s].reason, theirs[s].reason);
        EXPECT_EQ(ours[s].chosen, theirs[s].chosen);
        EXPECT_LT(difference(ours[s].train_squares, theirs[s].train_squares),
                  1e-12);
        EXPECT_LT(difference(ours[s].validation_squares,
                             theirs[s].validation_squares),
                  1e-12);
        EXPECT_LT(difference(ours[s].projection, theirs[s].projection), 1e-12);
        EXPECT_LT(difference(ours[s].factor, theirs[s].factor), 1e-12);
      }
  }


  /** The near field of the grid that add_grid() makes. */
  template <int dim>
  std::shared_ptr<const NearField>
  near_field_of_grid(const unsigned int n_cells)
  {
    dealii::Triangulation<dim> triangulation;
    dealii::GridGenerator::subdivided_hyper_cube(triangulation, n_cells);
    dealii::DoFHandler<dim> dof_handler(triangulation);
    dof_handler.distribute_dofs(dealii::FE_Q<dim>(1));
    return make_near_field(dealii::MappingQ<dim>(1), dof_handler, 2, 1e-6);
  }
} // namespace


TEST(CudaEngine, DrawsAndProjectsAsTheReferenceDoes)
{
  for (const unsigned int dim : {1u, 2u, 3u})
    {
      const auto problem    = make_small_problem(dim, dim == 3 ? 3 : 9, 5, 9);
      const auto dictionary = mixture(dim);
      const std::vector<double> none;
      const GreedyParameters    parameters;
      PointwiseEngine::Problem  setting;
      setting.rule       = &problem.rule;
      setting.c          = &none;
      setting.dictionary = &dictionary;
      setting.parameters = &parameters;
      setting.n_rows = setting.n_dot = setting.n_data =
        Simd::padded(problem.n_nodes());
      setting.rank      = problem.n_nodes();
      const auto engine = make_pointwise_engine("cuda");
      engine->reinit(setting);
      engine->reserve({4, 1});
      engine->make_dictionaries(1, 5, 3);
      const double *const       numbers = engine->coordinates_on_host(1, 3);
      const std::vector<double> h(numbers,
                                  numbers +
                                    3 * dictionary.size() * setting.n_rows);

      AtomList atoms(dim);
      for (std::size_t i = 5; i < 8; ++i)
        for (std::size_t j = 0; j < dictionary.size(); ++j)
          dictionary.draw(i, j, atoms);
      const auto reference = make_evaluator("reference");
      reference->reinit(problem.rule, none, setting.n_rows);
      std::vector<double> exact(h.size());
      reference->coordinates(atoms, exact.data());
      EXPECT_LT(difference(h, exact), 1e-12);
      // Atom by atom, so that the small ones count, too.
      for (std::size_t j = 0; j < atoms.size(); ++j)
        {
          const auto column = [&](const std::vector<double> &all) {
            return std::vector<double>(all.begin() + j * setting.n_rows,
                                       all.begin() + (j + 1) * setting.n_rows);
          };
          EXPECT_LT(difference(column(h), column(exact)), 1e-12) << j;
        }
    }
}


TEST(CudaEngine, PicksTheAtomsOfTheProcessor)
{
  const unsigned int n_cells[] = {20, 5, 3};
  for (const unsigned int dim : {1u, 2u, 3u})
    {
      auto problem     = make_small_problem(dim, n_cells[dim - 1], 40, 90);
      problem.response = {0, 2, 3, 7, 11, 12, 15};
      const Coordinates coordinates(problem.data(), MPI_COMM_SELF);
      for (const std::size_t size : {37u, 131u})
        for (const auto selection : {Selection::plain, Selection::normalised})
          {
            const auto       dictionary = problem.dictionary(size, dim);
            GreedyParameters parameters;
            parameters.n_neurons = 11;
            parameters.selection = selection;
            const auto cpu =
              learn(problem, coordinates, dictionary, parameters, "cpu");
            for (const auto precision : {SearchPrecision::double_precision,
                                         SearchPrecision::single_precision,
                                         SearchPrecision::tensor_precision})
              {
                parameters.precision = precision;
                expect_same(
                  learn(problem, coordinates, dictionary, parameters, "cuda"),
                  cpu);
              }
          }
    }
}


TEST(CudaEngine, TakesTheFirstOfEquals)
{
  auto problem     = make_small_problem(1, 20, 30, 60);
  problem.response = {1, 5, 8, 19};
  const Coordinates coordinates(problem.data(), MPI_COMM_SELF);
  const Dictionary  dictionary(std::make_shared<FewAtoms>(), 200, 3);
  GreedyParameters  parameters;
  const auto cpu = learn(problem, coordinates, dictionary, parameters, "cpu");
  for (const auto precision :
       {SearchPrecision::double_precision, SearchPrecision::tensor_precision})
    {
      parameters.precision = precision;
      expect_same(learn(problem, coordinates, dictionary, parameters, "cuda"),
                  cpu);
    }
  for (const Fit &fit : cpu)
    for (const unsigned int index : fit.chosen)
      EXPECT_LT(index, 64u); // the first of some forty
}


TEST(CudaEngine, AgreesWithTheReference)
{
  for (const unsigned int dim : {1u, 2u, 3u})
    {
      auto problem    = make_small_problem(dim, dim == 3 ? 3 : 6, 30, 90);
      auto data       = problem.data();
      data.validation = validation_split(problem.n_samples, 0.2, 3);
      const Coordinates coordinates(data, MPI_COMM_SELF);
      GreedyParameters  parameters;
      parameters.n_neurons  = 9;
      parameters.patience   = 4;
      const auto dictionary = mixture(dim);
      expect_same(
        learn(problem, coordinates, dictionary, parameters, "cuda"),
        learn(problem, coordinates, dictionary, parameters, "reference"));
    }
}


TEST(CudaEngine, RowsBeyondABlock)
{
  // More rows than threads, and groups of slices and dictionaries.
  const auto problem = make_small_problem(2, 18, 300, 400);
  auto       some    = problem;
  some.response      = {0, 7, 100, 200, 331};
  auto data          = some.data();
  data.validation    = validation_split(problem.n_samples, 0.1, 3);
  const Coordinates coordinates(data, MPI_COMM_SELF);
  ASSERT_GT(coordinates.n_rows(), 256u);
  GreedyParameters parameters;
  parameters.n_neurons  = 10;
  const auto dictionary = problem.dictionary(70);
  const auto cpu = learn(some, coordinates, dictionary, parameters, "cpu");
  expect_same(learn(some, coordinates, dictionary, parameters, "cuda"), cpu);
  parameters.memory            = 900000;
  parameters.slices_per_report = 2;
  expect_same(learn(some, coordinates, dictionary, parameters, "cuda"), cpu);
}


TEST(CudaEngine, MemoryIsRespected)
{
  const auto        problem = make_small_problem(2, 9, 60, 200);
  const Coordinates coordinates(problem.data(), MPI_COMM_SELF);
  const auto        dictionary = problem.dictionary(50);
  GreedyParameters  parameters;
  parameters.n_neurons = 20;
  std::size_t largest  = 0;
  for (const std::size_t memory : {300000u, 1000000u, 100000000u})
    {
      parameters.memory = memory;
      Emulation::reset_counts();
      learn(problem, coordinates, dictionary, parameters, "cuda");
      // What does not depend on the memory: rule, matrix and actions.
      const std::size_t fixed =
        8 * (coordinates.matrix().size() + 5 * problem.rule.rows.size() +
             8 * dictionary.size() * (problem.n_nodes() + 8));
      EXPECT_LT(Emulation::counts().peak_bytes, memory + fixed);
      EXPECT_GT(Emulation::counts().peak_bytes, largest);
      largest = Emulation::counts().peak_bytes;
    }
  EXPECT_EQ(Emulation::allocated(), 0u);
}


TEST(CudaEngine, NearFieldsAreCorrected)
{
  for (const unsigned int dim : {1u, 2u, 3u})
    {
      const unsigned int n_cells = dim == 3 ? 3 : 6;
      auto               problem = make_small_problem(dim, n_cells, 30, 90);
      AtomList           atoms(dim);
      for (std::size_t s = 0; s < problem.n_nodes(); s += 3)
        atoms.push_back(radial_kind(dim == 3 ? RadialFunction::cosine
                                             : RadialFunction::logarithm,
                                    AtomForm::centred),
                        &problem.nodes[s * dim],
                        3.);
      const std::vector<double> none;
      const std::size_t         n_rows = problem.n_nodes();
      std::vector<double> ours(n_rows * atoms.size()), exact(ours), plain(ours);
      const auto          coordinates = [&](const std::string   &backend,
                                   std::vector<double> &h) {
        const auto evaluator = make_evaluator(backend);
        evaluator->reinit(problem.rule, none, n_rows);
        evaluator->coordinates(atoms, h.data());
      };
      coordinates("cuda", plain);
      problem.rule.near_field = dim == 1   ? near_field_of_grid<1>(n_cells)
                                : dim == 2 ? near_field_of_grid<2>(n_cells)
                                           : near_field_of_grid<3>(n_cells);
      coordinates("cuda", ours);
      coordinates("reference", exact);
      EXPECT_LT(difference(ours, exact), 1e-12);
      EXPECT_GT(difference(plain, exact), 1e-6);
    }
}


TEST(CudaEngine, ProfilesOutsideOfTheirTables)
{
  // Points at tiny and at large distances from the origin.
  std::vector<double> points;
  for (const double r :
       {1e-31, 1e-20, 1e-9, 1e-7, 0.9, 40., 127.9, 128.1, 300.})
    points.push_back(r);
  const auto rule =
    diagonal_rule(1, points, std::vector<double>(points.size(), 1.));
  const std::vector<double> none;
  const double              origin = 0;
  for (const RadialFunction function : all_radial_functions())
    for (const double kappa : {0.7, 1., 2.3})
      {
        AtomList atoms(1);
        atoms.push_back(radial_kind(function, AtomForm::centred),
                        &origin,
                        kappa);
        std::vector<double> h(points.size());
        const auto          evaluator = make_evaluator("cuda");
        evaluator->reinit(rule, none, points.size());
        evaluator->coordinates(atoms, h.data());
        for (std::size_t i = 0; i < points.size(); ++i)
          {
            const double exact = radial_value(function, kappa, points[i]);
            // Oscillating functions are as large as their envelope.
            const double z = kappa * points[i];
            const double scale =
              function == RadialFunction::neumann && z > 1 ? std::sqrt(0.64 / z)
              : function == RadialFunction::cosine && z > 1 ? kappa / z
              : function == RadialFunction::sine && z > 1   ? 1.
                                                            : std::abs(exact);
            EXPECT_NEAR(h[i], exact, 2e-12 * scale)
              << radial_name(function) << " " << kappa << " " << points[i];
          }
      }
}


TEST(CudaEngine, ApproximatesFunctions)
{
  const std::size_t   n = 131;
  std::vector<double> points, values, weights(n, 1. / n);
  for (std::size_t i = 0; i < n; ++i)
    {
      points.push_back((i + 0.5) / n);
      values.push_back(std::sin(5 * points.back()));
    }
  BoundingSphere sphere;
  sphere.centre.assign(1, 0.5);
  sphere.radius = 0.5;
  const Dictionary dictionary(std::make_shared<ReluFamily>(1, sphere), 45, 3);
  GreedyParameters parameters;
  parameters.n_neurons = 14;
  const Fit cpu =
    approximate_function(points, weights, values, dictionary, parameters);
  parameters.backend = "cuda";
  const Fit cuda =
    approximate_function(points, weights, values, dictionary, parameters);
  expect_same({cuda}, {cpu});
}


TEST(CudaEngine, FullKernelsInThreeDimensions)
{
  auto problem = make_small_problem(3, 2, 20, 60);
  problem.response.resize(13);
  const Coordinates         coordinates(problem.data(), MPI_COMM_SELF);
  const std::vector<double> points = problem.response_points();
  const std::vector<double> weights(problem.response.size(), 0.3);
  const auto                dictionary = problem.dictionary(43, 2, true);
  GreedyParameters          parameters;
  parameters.n_neurons  = 7;
  const auto learn_with = [&](const std::string &backend) {
    parameters.backend = backend;
    Fit fit;
    approximate_kernel(
      {problem.rule, coordinates, dictionary, parameters, MPI_COMM_SELF},
      points,
      weights,
      fit);
    return fit;
  };
  const Fit reference = learn_with("reference");
  expect_same({learn_with("cuda")}, {reference});
  expect_same({learn_with("cuda")}, {learn_with("cpu")});
}


TEST(CudaEngine, AnIterationIsOneProductAndOneKernel)
{
  const auto        problem = make_small_problem(2, 7, 60, 200);
  const Coordinates coordinates(problem.data(), MPI_COMM_SELF);
  const auto        dictionary = problem.dictionary(50);
  GreedyParameters  parameters;
  std::size_t       launches[2], products[2], copies[2], uploads[2];
  double            flops[2];
  for (const unsigned int i : {0u, 1u})
    {
      parameters.n_neurons = i == 0 ? 8 : 16;
      Emulation::reset_counts();
      learn(problem, coordinates, dictionary, parameters, "cuda");
      launches[i] = Emulation::counts().launches;
      products[i] = Emulation::counts().products;
      copies[i]   = Emulation::counts().copies_from;
      uploads[i]  = Emulation::counts().copies_to;
      flops[i]    = Emulation::counts().product_flops;
    }
  // Eight iterations more: their own, and a batch of eight dictionaries that is
  // uploaded (kinds, weights and scalars), evaluated, projected and finished.
  // The host looks once.
  EXPECT_EQ(launches[1] - launches[0], 8u + 2u);
  EXPECT_EQ(products[1] - products[0], 8u + 1u);
  EXPECT_EQ(copies[1] - copies[0], 1u);
  EXPECT_EQ(uploads[1] - uploads[0], 3u);
  EXPECT_EQ(flops[1] - flops[0],
            8. * 50 * 2 * coordinates.n_rows() * problem.n_nodes() +
              8. * 50 * 2 * coordinates.n_dot() * coordinates.n_slices());
}
