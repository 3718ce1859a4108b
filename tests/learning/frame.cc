// Frames: the variables in which constant anisotropy and advection are those
// of the Laplacian, and kernels learned in them.

#include "learning/small_dataset.h"

#include <evergreen/dictionary/evaluator.h>
#include <evergreen/fem/elliptic.h>
#include <evergreen/fem/frame.h>
#include <evergreen/kernel/kernel_function.h>

#include <boost/math/special_functions/bessel.hpp>

using namespace Evergreen;
using namespace Evergreen::Testing;
using dealii::Point;

namespace
{
  const std::vector<double> a2 = {4, 1, 1, 1};

  /** That of a2 and an advection. */
  Frame
  frame_2()
  {
    Frame frame = Frame::of_tensor(2, a2);
    frame.drift = {5. / 6, -11. / 6};
    return frame;
  }

  /** An elliptic problem on the disk, with samples. */
  struct Disk
  {
    Elliptic<2>  problem;
    Mesh<2>      mesh;
    MeshSpace<2> space;
    Samples      training;

    explicit Disk(const EllipticParameters &parameters)
      : problem(parameters)
      , mesh(DomainParameters(), MPI_COMM_SELF)
      , space(mesh, 1, problem)
    {
      problem.set_up(space);
      training = generate_samples(problem, forcing(), Split::train, 100);
    }

    Frame
    frame()
    {
      return problem.frame(space);
    }

    static ForcingParameters
    forcing()
    {
      ForcingParameters forcing;
      forcing.wavelength = 0.4;
      return forcing;
    }

    KernelErrors
    errors(const LearnedKernel &kernel)
    {
      const TestSet<2> tests(
        space,
        generate_samples(problem, forcing(), Split::test, 20),
        kernel.response,
        "fe");
      return kernel_errors<2>(kernel, space, &tests, &problem);
    }
  };

  LearningParameters
  fundamental(const std::string &function, const double wave_number)
  {
    auto parameters        = quick_learning(24);
    parameters.size        = 64;
    parameters.sensors     = "0, 0; 0.5, 0.2; -0.3, 0.6; 0.1, -0.7; 0.8, -0.1";
    parameters.family      = "fundamental";
    parameters.function    = function;
    parameters.wave_number = wave_number;
    return parameters;
  }
} // namespace


TEST(Frame, MakesCoefficientsThoseOfTheLaplacian)
{
  const auto frame = frame_2();
  // T a T^T is a multiple of the unit matrix, and T keeps areas.
  const auto &t     = frame.map;
  const auto  entry = [&](const int i, const int j) {
    double sum = 0;
    for (int k = 0; k < 2; ++k)
      for (int l = 0; l < 2; ++l)
        sum += t[2 * i + k] * a2[2 * k + l] * t[2 * j + l];
    return sum;
  };
  EXPECT_NEAR(entry(0, 1), 0., 1e-12);
  EXPECT_NEAR(entry(0, 0), std::sqrt(3.), 1e-12);
  EXPECT_NEAR(entry(1, 1), std::sqrt(3.), 1e-12);
  EXPECT_NEAR(t[0] * t[3] - t[1] * t[2], 1., 1e-12);
  Frame back;
  back.map        = frame.inverse;
  const auto same = back.images(2, frame.images(2, {0.3, -0.7}));
  EXPECT_NEAR(same[0], 0.3, 1e-12);
  EXPECT_NEAR(same[1], -0.7, 1e-12);
  EXPECT_TRUE(Frame::of_tensor(2, {3, 0, 0, 3}).is_trivial());
  EXPECT_TRUE(Frame::of_tensor(1, {3}).is_trivial());
}

// 2 a beta = b; and beta is half the gradient of ln a.
TEST(Frame, KnowsTheDriftOfAProblem)
{
  EllipticParameters parameters;
  parameters.diffusion = "4, 1, 1";
  parameters.advection = "3, -2";
  Disk       constant(parameters);
  const auto frame = constant.frame();
  const auto same  = frame_2();
  ASSERT_EQ(frame.drift.size(), 2u);
  for (int d = 0; d < 2; ++d)
    EXPECT_NEAR(frame.drift[d], same.drift[d], 1e-8);
  for (int d = 0; d < 4; ++d)
    EXPECT_NEAR(frame.map[d], same.map[d], 1e-8);
  parameters.diffusion = "exp(x - 3*y)";
  parameters.advection = "";
  Disk varying(parameters);
  EXPECT_TRUE(varying.frame().map.empty());
  EXPECT_NEAR(varying.frame().drift[0], 0.5, 1e-8);
  EXPECT_NEAR(varying.frame().drift[1], -1.5, 1e-8);
}

// The free-space kernel of a constant operator is one atom: the action of its
// image on a mesh is that of the kernel itself, which a refined rule tells.
TEST(Frame, IntegratesItsAtomsNearTheirCentres)
{
  const Mesh<2>             mesh(DomainParameters(), MPI_COMM_SELF);
  const MeshSpace<2>        space(mesh, 1);
  const auto                frame  = frame_2();
  const auto                rule   = make_rule(space);
  const auto                image  = frame.image(rule.rule);
  const std::size_t         node   = space.n_nodes() / 2;
  const auto                x      = space.point(node);
  const std::vector<double> centre = frame.images(2, {x[0], x[1]});
  AtomList                  atoms(2);
  atoms.push_back(radial_kind(RadialFunction::macdonald, AtomForm::centred),
                  centre.data(),
                  1.5);
  const auto                evaluator = make_evaluator("reference");
  const std::vector<double> unit;
  evaluator->reinit(image, unit, image.n_rows);
  std::vector<double> action(image.n_rows);
  evaluator->coordinates(atoms, action.data());

  // The same integral over polar coordinates around the centre, where the
  // function is smooth but for a logarithm.
  double sum = 0;
  for (const double value : action)
    sum += value;
  const auto kernel = [&](const double px, const double py) {
    const auto   p   = frame.images(2, {px, py});
    const double r   = std::hypot(p[0] - centre[0], p[1] - centre[1]);
    const double y[] = {px, py};
    return frame.factor(y) * boost::math::cyl_bessel_k(0, 1.5 * r);
  };
  double      exact   = 0;
  std::size_t n_faces = 0;
  for (const auto &cell : mesh.triangulation().active_cell_iterators())
    for (const auto f : cell->face_indices())
      if (cell->at_boundary(f))
        {
          // The triangle of x and a face at the boundary: Duffy's rule, with
          // the third power of tau for the logarithm.
          const auto v = cell->face(f)->vertex(0), w = cell->face(f)->vertex(1);
          const double area2 = std::abs((v[0] - x[0]) * (w[1] - x[1]) -
                                        (v[1] - x[1]) * (w[0] - x[0]));
          const dealii::QGauss<1> gauss(20);
          for (unsigned int i = 0; i < gauss.size(); ++i)
            for (unsigned int j = 0; j < gauss.size(); ++j)
              {
                const double tau = gauss.point(i)[0], s = gauss.point(j)[0];
                const double rho = tau * tau * tau;
                const auto   p   = x + rho * ((v - x) + s * (w - v));
                exact += gauss.weight(i) * gauss.weight(j) * 3 * tau * tau *
                         rho * area2 * kernel(p[0], p[1]);
              }
          ++n_faces;
        }
  EXPECT_GT(n_faces, 90u);
  EXPECT_NEAR(sum, exact, 1e-4 * std::abs(exact));
}

TEST(Frame, MakesFundamentalSolutionsOfAnisotropyAndAdvection)
{
  EllipticParameters parameters;
  parameters.diffusion = "4, 1, 1";
  parameters.advection = "3, -2";
  Disk disk(parameters);
  // kappa^2 = beta.a beta over the scale sqrt(det a) of the frame
  const auto   frame  = disk.frame();
  const double beta[] = {frame.drift[0], frame.drift[1]};
  const double kappa  = std::sqrt(
    (4 * beta[0] * beta[0] + 2 * beta[0] * beta[1] + beta[1] * beta[1]) /
    std::sqrt(3.));
  auto       learning = fundamental("K0", kappa);
  const auto plain    = learn_kernel(disk.space, disk.training, learning);
  learning.frame      = frame;
  const auto framed   = learn_kernel(disk.space, disk.training, learning);
  const auto before   = disk.errors(plain.kernel),
             after    = disk.errors(framed.kernel);
  EXPECT_LT(after.eps_u.back(), before.eps_u.back() / 5);
  EXPECT_LT(after.eps_G.back(), before.eps_G.back() / 5);

  // A wrong drift is worse.
  learning.frame.drift[0] += 1;
  const auto wrong = learn_kernel(disk.space, disk.training, learning);
  EXPECT_GT(disk.errors(wrong.kernel).eps_u.back(), 2 * after.eps_u.back());
}

TEST(Frame, IsKeptInFiles)
{
  EllipticParameters parameters;
  parameters.diffusion = "4, 1, 1";
  parameters.advection = "3, -2";
  Disk disk(parameters);
  auto learning     = fundamental("log", 0);
  learning.frame    = disk.frame();
  learning.sensors  = "";
  const auto result = learn_kernel(disk.space, disk.training, learning);
  const TemporaryDirectory directory;
  result.kernel.save(directory / "kernel.h5");
  const auto kernel = LearnedKernel::load(directory / "kernel.h5");
  EXPECT_EQ(kernel.frame.map, learning.frame.map);
  EXPECT_EQ(kernel.frame.drift, learning.frame.drift);
  const KernelFunction<2> one(result.kernel), other(kernel);
  const Point<2>          x(0.1, 0.2), y(-0.3, 0.4);
  EXPECT_EQ(one.value(x, y), other.value(x, y));

  auto damaged           = kernel;
  damaged.frame.drift[0] = std::nan("");
  damaged.save(directory / "damaged.h5");
  expect_error([&]() { LearnedKernel::load(directory / "damaged.h5"); },
               "'/frame/drift' has a value that is not finite");

  // The function and the matrix are the same kernel: K 1 = int G(x_s, y) dy.
  const auto          rule = make_rule(disk.space);
  std::vector<double> ones(rule.rule.n_rows, 1.);
  const auto          u =
    KernelMatrix(kernel, rule).apply(ones, 1, MPI_COMM_SELF).back();
  const std::size_t s        = kernel.response.size() / 3;
  const auto        p        = disk.space.point(kernel.response[s]);
  double            integral = 0;
  for (std::size_t q = 0; q < rule.rule.n_points(); ++q)
    {
      double weight = 0;
      for (auto k = rule.rule.column_starts[q];
           k < rule.rule.column_starts[q + 1];
           ++k)
        weight += rule.rule.values[k];
      const Point<2> point(rule.rule.points[2 * q],
                           rule.rule.points[2 * q + 1]);
      integral += weight * one.value(p, point);
    }
  EXPECT_NEAR(integral, u[s], 0.02 * std::abs(u[s]));
}
