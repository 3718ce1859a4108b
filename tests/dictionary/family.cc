// Atoms and their sampling: the hyperspherical map, uniformity, biases that
// let every kink meet the domain, and atoms that can be drawn again alone.

#include <evergreen/base/error.h>
#include <evergreen/base/random.h>
#include <evergreen/dictionary/dictionary.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

using namespace Evergreen;

namespace
{
  BoundingSphere
  sphere_in(const unsigned int dim)
  {
    BoundingSphere sphere;
    for (unsigned int d = 0; d < dim; ++d)
      sphere.centre.push_back(0.3 + d);
    sphere.radius = 0.8;
    return sphere;
  }


  // Kolmogorov's distance between samples and the uniform law on [0, 1].
  double
  distance_to_uniform(std::vector<double> samples)
  {
    std::sort(samples.begin(), samples.end());
    double distance = 0;
    for (std::size_t i = 0; i < samples.size(); ++i)
      distance =
        std::max({distance,
                  std::abs(samples[i] - double(i) / samples.size()),
                  std::abs(samples[i] - double(i + 1) / samples.size())});
    return distance;
  }
} // namespace


TEST(Family, HypersphericalMapGivesUnitVectors)
{
  for (unsigned int dim = 2; dim <= 6; ++dim)
    for (unsigned int i = 0; i < 50; ++i)
      {
        std::vector<double> angles(dim - 1), w(dim);
        for (unsigned int k = 0; k + 1 < dim; ++k)
          angles[k] = 7 * Random::uniform(1, Random::Stream::test, i, k);
        ReluFamily::unit_vector(dim, angles.data(), w.data());
        double square = 0;
        for (const double value : w)
          square += value * value;
        EXPECT_NEAR(square, 1., 1e-14);
      }
}


TEST(Family, HypersphericalMapInThreeDimensions)
{
  const double angles[] = {0.7, 4.1};
  double       w[3];
  ReluFamily::unit_vector(3, angles, w);
  EXPECT_DOUBLE_EQ(w[0], std::cos(0.7));
  EXPECT_DOUBLE_EQ(w[1], std::sin(0.7) * std::cos(4.1));
  EXPECT_DOUBLE_EQ(w[2], std::sin(0.7) * std::sin(4.1));
}


TEST(Family, AnglesAndBiasesAreUniformInTwoDimensions)
{
  const std::size_t   n = 4000;
  const Dictionary    dictionary(std::make_shared<ReluFamily>(1, sphere_in(2)),
                              n,
                              11);
  const AtomList      atoms = dictionary.draw(5);
  std::vector<double> angles, offsets;
  for (std::size_t j = 0; j < n; ++j)
    {
      const double *w = atoms.weights.data() + 2 * j;
      angles.push_back(std::atan2(w[1], w[0]) / (2 * M_PI) +
                       (w[1] < 0 ? 1 : 0));
      offsets.push_back((atoms.biases[j] + 0.3 * w[0] + 1.3 * w[1]) / 1.6 +
                        0.5);
    }
  // The 0.1 % quantile of Kolmogorov's law.
  const double bound = 1.95 / std::sqrt(double(n));
  EXPECT_LT(distance_to_uniform(angles), bound);
  EXPECT_LT(distance_to_uniform(offsets), bound);

  for (double &angle : angles)
    angle = std::pow(angle, 1.2);
  EXPECT_GT(distance_to_uniform(angles), bound);
}


TEST(Family, EveryKinkMeetsTheSphere)
{
  for (const unsigned int dim : {1u, 2u, 3u, 4u, 6u})
    {
      const auto       sphere = sphere_in(dim);
      const Dictionary dictionary(std::make_shared<ReluFamily>(2, sphere),
                                  300,
                                  1);
      const AtomList   atoms = dictionary.draw(0);
      for (std::size_t j = 0; j < atoms.size(); ++j)
        {
          double distance = atoms.biases[j];
          for (unsigned int d = 0; d < dim; ++d)
            distance += atoms.weights[j * dim + d] * sphere.centre[d];
          EXPECT_LE(std::abs(distance), sphere.radius);
          if (dim == 1)
            {
              EXPECT_EQ(std::abs(atoms.weights[j]), 1.);
            }
        }
    }
}


TEST(Family, AtomsAreDrawnAgainAlone)
{
  const Dictionary dictionary(std::make_shared<ReluFamily>(3, sphere_in(3)),
                              101,
                              42);
  const AtomList   atoms = dictionary.draw(17), next = dictionary.draw(18);
  AtomList         again(3);
  dictionary.draw(17, 63, again);
  EXPECT_EQ(again.biases[0], atoms.biases[63]);
  for (unsigned int d = 0; d < 3; ++d)
    EXPECT_EQ(again.weights[d], atoms.weights[63 * 3 + d]);
  EXPECT_NE(atoms.biases[63], next.biases[63]);
  const Dictionary other(std::make_shared<ReluFamily>(3, sphere_in(3)),
                         101,
                         43);
  EXPECT_NE(other.draw(17).biases[63], atoms.biases[63]);
}


TEST(Family, ValuesAndRestriction)
{
  AtomList     atoms(4);
  const double w[] = {0.5, -0.25, 1., 2.};
  for (const unsigned int power : {1u, 2u, 3u, 4u})
    atoms.push_back(relu_kind(power), w, 0.125);
  const double point[] = {0.3, 0.7, 0.2, 0.4}, far[] = {-9., 0., 0., 0.};
  const double z = 0.5 * 0.3 - 0.25 * 0.7 + 0.2 + 2 * 0.4 + 0.125;
  for (unsigned int k = 1; k <= 4; ++k)
    {
      EXPECT_NEAR(atoms.value(k - 1, point), std::pow(z, k), 1e-14);
      EXPECT_EQ(atoms.value(k - 1, far), 0.);
      std::vector<double> factor;
      const AtomList slice = restrict_to_points(atoms, k - 1, 1, point, factor);
      EXPECT_NEAR(slice.value(0, point + 2), std::pow(z, k), 1e-14);
      EXPECT_EQ(factor[0], 1.);
    }
}


TEST(Family, BoundingSpheres)
{
  const std::vector<double> points = {0, 0, 1, 0, 0, 1, 1, 1};
  const auto                sphere = bounding_sphere(2, 4, points.data());
  EXPECT_DOUBLE_EQ(sphere.centre[0], 0.5);
  EXPECT_DOUBLE_EQ(sphere.radius, std::sqrt(0.5));
  const auto product = product_sphere(sphere);
  EXPECT_EQ(product.centre.size(), 4u);
  EXPECT_DOUBLE_EQ(product.radius, 1.);
}


TEST(Family, BadInput)
{
  EXPECT_THROW(ReluFamily(5, sphere_in(2)), UsageError);
  EXPECT_THROW(ReluFamily(1, BoundingSphere()), Error);
  EXPECT_THROW(Dictionary(std::make_shared<ReluFamily>(1, sphere_in(2)), 0, 1),
               UsageError);
  EXPECT_THROW(bounding_sphere(2, 0, nullptr), Error);
}
