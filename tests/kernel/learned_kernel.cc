// The kernel file: what is saved is loaded, and damage is noticed.

#include "learning/small_dataset.h"

#include <evergreen/data/hdf5.h>
#include <evergreen/kernel/kernel_function.h>

#include <fstream>

using namespace Evergreen;
using namespace Evergreen::Testing;

namespace
{
  LearnedKernel
  make_kernel(const TemporaryDirectory &directory, const std::string &method)
  {
    const SmallDataset<1> data(small_interval(), directory / "data.h5");
    auto                  parameters = quick_learning(4);
    parameters.method                = method;
    LearningOptions options;
    options.parameter_text = "subsection Greedy\nend\n";
    return learn_kernel(data.space, data.samples, parameters, options).kernel;
  }
} // namespace


TEST(LearnedKernel, IsLoadedAsItWasSaved)
{
  for (const std::string method : {"pw-oga", "oga"})
    {
      const TemporaryDirectory directory;
      auto                     kernel = make_kernel(directory, method);
      kernel.expansions.levels.back().coefficients.back() = 1. / 3.;
      kernel.save(directory / "kernel.h5");
      const auto loaded = LearnedKernel::load(directory / "kernel.h5");
      EXPECT_EQ(loaded.is_pointwise(), method == "pw-oga");
      EXPECT_EQ(loaded.quadrature, "fe");
      EXPECT_EQ(loaded.parameters, kernel.parameters);
      EXPECT_EQ(loaded.mesh.points, kernel.mesh.points);
      EXPECT_EQ(loaded.mesh.cells, kernel.mesh.cells);
      EXPECT_EQ(loaded.response, kernel.response);
      EXPECT_EQ(loaded.history.neurons, kernel.history.neurons);
      EXPECT_EQ(loaded.history.train_error, kernel.history.train_error);
      EXPECT_EQ(loaded.expansions.pool.kinds, kernel.expansions.pool.kinds);
      EXPECT_EQ(loaded.expansions.starts, kernel.expansions.starts);
      ASSERT_EQ(loaded.expansions.levels.size(), 1u);
      for (std::size_t s = 0; s < kernel.expansions.size(); ++s)
        for (const double y : {0.1, 0.7})
          {
            const double both[2] = {0.3, y};
            EXPECT_EQ(loaded.expansions[s].value(both),
                      kernel.expansions[s].value(both));
          }
    }
}

// A file of version 1, with all atoms of every slice, padded.
TEST(LearnedKernel, OldFilesAreRead)
{
  const TemporaryDirectory directory;
  const std::string        path = directory / "kernel.h5";
  make_kernel(directory, "pw-oga").save(directory / "new.h5");
  const auto kernel = LearnedKernel::load(directory / "new.h5");
  const auto n      = kernel.response.size();
  {
    std::vector<std::int32_t> family;
    std::vector<std::int64_t> count;
    std::vector<double>       weights, bias, coefficient, table(n * n);
    for (std::size_t s = 0; s < n; ++s)
      {
        const Expansion   slice = kernel.slice(s);
        const std::size_t used  = s == 7 ? 3 : 4;
        count.push_back(used);
        for (std::size_t i = 0; i < 4; ++i)
          {
            const bool is_used = i < used;
            family.push_back(is_used ? int(slice.atoms.kinds[i]) : 0);
            weights.push_back(is_used ? slice.atoms.weights[i] : 0);
            bias.push_back(is_used ? slice.atoms.biases[i] : 0);
            coefficient.push_back(is_used ? slice.coefficients[i] : 0);
            table[s * n + 3 * i % n] = table[3 * i % n * n + s] = i + 1.;
          }
      }
    auto file = Hdf5::File::create(path);
    file.write_attribute("/", "format", "evergreen-kernel");
    file.write_attribute("/", "version", 1);
    file.write_attribute("/", "dim", 1);
    file.write_attribute("/", "method", "pw-oga");
    file.write_attribute("/", "quadrature", "fe");
    file.write_attribute("/", "parameters", "");
    DatasetFormat::write_mesh(file, kernel.mesh);
    for (const char *const group :
         {"/response", "/atoms", "/symmetrised", "/history"})
      file.create_group(group);
    file.write("/response/nodes", {n}, kernel.response.data());
    file.write("/atoms/family", {n, 4}, family.data());
    file.write("/atoms/weights", {n, 4, 1}, weights.data());
    file.write("/atoms/bias", {n, 4}, bias.data());
    file.write("/atoms/coefficient", {n, 4}, coefficient.data());
    file.write("/atoms/count", {n}, count.data());
    file.write("/symmetrised/values", {n, n}, table.data());
    file.write("/history/neurons", {n}, count.data());
    for (const char *const name : {"train_error",
                                   "validation_error",
                                   "test_error",
                                   "kernel_error",
                                   "seconds"})
      file.write(std::string("/history/") + name, {n}, table.data());
    file.close();
  }
  const auto old = LearnedKernel::load(path);
  // Atoms are recognised.
  EXPECT_LE(old.expansions.pool.size(), kernel.expansions.pool.size());
  ASSERT_EQ(old.response, kernel.response);
  for (std::size_t s = 0; s < n; ++s)
    {
      Expansion expected = kernel.slice(s);
      expected.coefficients.resize(s == 7 ? 3 : 4);
      for (const double y : {0.1, 0.7})
        EXPECT_EQ(old.slice(s).value(&y), expected.value(&y));
    }
  EXPECT_EQ((*old.table)(5, 3), 2.);
  EXPECT_EQ((*old.table)(9, 5), 4.);
  EXPECT_EQ((*old.table)(7, 5), 0.);
}

TEST(LearnedKernel, SlicesOfAFullKernelAreItsRestrictions)
{
  const TemporaryDirectory directory;
  const auto               kernel = make_kernel(directory, "oga");
  for (const std::size_t s : {0u, 17u})
    {
      const auto   slice = kernel.slice(s);
      const double x     = kernel.mesh.points[kernel.response[s]];
      for (const double y : {0.05, 0.5, 0.93})
        for (std::size_t i = 0; i < 4; ++i)
          {
            const double both[2] = {x, y};
            EXPECT_NEAR(slice.atoms.value(i, &y),
                        kernel.expansions.pool.value(i, both),
                        1e-15);
          }
    }
}

TEST(LearnedKernel, DamageIsNoticed)
{
  const TemporaryDirectory directory;
  const std::string        path = directory / "kernel.h5";
  make_kernel(directory, "pw-oga").save(path);
  expect_error([&]() { LearnedKernel::load(directory / "data.h5"); },
               "not a kernel file");
  expect_error([&]() { LearnedKernel::load(directory / "no.h5"); }, "no.h5");

  const auto spoil = [&](const std::function<void(Hdf5::File &)> &action) {
    const std::string copy = directory / "copy.h5";
    std::filesystem::copy_file(
      path, copy, std::filesystem::copy_options::overwrite_existing);
    auto file = Hdf5::File::open(copy, Hdf5::Access::read_write);
    action(file);
    file.close();
    return copy;
  };
  const double       not_a_number = std::nan("");
  const std::int32_t family       = 77;
  const std::int64_t many         = 1000;
  const auto expect = [&](const std::function<void(Hdf5::File &)> &action,
                          const std::string                       &words) {
    const auto copy = spoil(action);
    expect_error([&]() { LearnedKernel::load(copy); }, words);
  };
  expect(
    [&](Hdf5::File &f) {
      f.write_rows("/expansions/coefficients", 3, 1, &not_a_number);
    },
    "not finite");
  expect([&](Hdf5::File &f) { f.write_rows("/atoms/family", 0, 1, &family); },
         "77");
  expect([&](Hdf5::File &f) { f.write_rows("/expansions/atoms", 0, 1, &many); },
         "1000");
  expect([&](
           Hdf5::File &f) { f.write_rows("/expansions/starts", 2, 1, &many); },
         "/expansions");
  expect([&](Hdf5::File &f) { f.write_rows("/response/nodes", 0, 1, &many); },
         "/response/nodes");

  std::filesystem::resize_file(path, std::filesystem::file_size(path) / 2);
  EXPECT_THROW(LearnedKernel::load(path), Error);
  expect_error([&]() { LearnedKernel().save(directory / "no/such/kernel.h5"); },
               "no/such");
}

// At a node the value is its slice, between nodes the interpolation of slices,
// at the boundary zero.
TEST(KernelFunction, InterpolatesSlices)
{
  const TemporaryDirectory directory;
  DomainParameters         domain;
  domain.name = "disk";
  const SmallDataset<2> data(domain, directory / "data.h5");
  auto                  parameters = quick_learning(5);
  const auto kernel = learn_kernel(data.space, data.samples, parameters).kernel;
  const KernelFunction<2> function(kernel);
  const auto              node_point = [&](const std::size_t node) {
    return dealii::Point<2>(kernel.mesh.points[2 * node],
                            kernel.mesh.points[2 * node + 1]);
  };
  const dealii::Point<2> y(0.2, -0.3);
  const auto             slice_value = [&](const std::size_t node) {
    const auto place =
      std::lower_bound(kernel.response.begin(), kernel.response.end(), node);
    if (place == kernel.response.end() || *place != node)
      return 0.; // a boundary node
    return kernel.slice(place - kernel.response.begin()).value(y.begin_raw());
  };

  for (const std::size_t cell : {0u, 700u, 1500u})
    {
      const std::size_t *const nodes = &kernel.mesh.cells[3 * cell];
      dealii::Point<2>         x;
      double                   expected   = 0;
      const double             weights[3] = {0.5, 0.3, 0.2};
      for (unsigned int v = 0; v < 3; ++v)
        {
          x += weights[v] * dealii::Tensor<1, 2>(node_point(nodes[v]));
          expected += weights[v] * slice_value(nodes[v]);
          EXPECT_NEAR(function.value(node_point(nodes[v]), y),
                      slice_value(nodes[v]),
                      1e-9);
        }
      EXPECT_NEAR(function.value(x, y), expected, 1e-9);
    }
  expect_error([&]() { function.value(dealii::Point<2>(1.5, 0.), y); },
               "outside");

  parameters.sensors = "0, 0";
  const auto sensor = learn_kernel(data.space, data.samples, parameters).kernel;
  const KernelFunction<2> at_sensor(sensor);
  const auto              x = node_point(sensor.response.front());
  EXPECT_NEAR(at_sensor.value(x, y), function.value(x, y), 1e-9);
  expect_error([&]() { at_sensor.value(dealii::Point<2>(0.5, 0.5), y); },
               "not learned");
}

TEST(KernelFunction, EvaluatesFullKernels)
{
  const TemporaryDirectory directory;
  const auto               kernel = make_kernel(directory, "oga");
  const KernelFunction<1>  function(kernel);
  const auto               slice = kernel.slice(10);
  const double             y     = 0.37;
  EXPECT_NEAR(function.value(dealii::Point<1>(
                               kernel.mesh.points[kernel.response[10]]),
                             dealii::Point<1>(y)),
              slice.value(&y),
              1e-14);
}
