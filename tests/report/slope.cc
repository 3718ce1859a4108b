// Slopes of convergence: power laws in closed form.

#include <evergreen/report/slope.h>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace Evergreen
{
  namespace
  {
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();

    /** n = 1, 2, 4, ..., 512. */
    std::vector<double>
    powers_of_two()
    {
      std::vector<double> n;
      for (double value = 1; value <= 512; value *= 2)
        n.push_back(value);
      return n;
    }
  } // namespace


  TEST(Slope, PowerLawsAreFoundExactly)
  {
    for (const double exponent : {-2., -1.25, -0.5, 0., 0.75})
      {
        std::vector<double> errors;
        for (const double n : powers_of_two())
          errors.push_back(3e-4 * std::pow(n, exponent));
        EXPECT_NEAR(fitted_slope(powers_of_two(), errors), exponent, 1e-12);

        // One point that is off by ten percent is seen.
        errors[1] *= 1.1;
        EXPECT_GT(std::abs(fitted_slope(powers_of_two(), errors) - exponent),
                  1e-3);
      }
  }


  TEST(Slope, OnlyTheRangeCounts)
  {
    std::vector<double> errors;
    for (const double n : powers_of_two())
      errors.push_back(n < 32 ? 1 / n : 32 / (n * n));
    EXPECT_NEAR(fitted_slope(powers_of_two(), errors, 1, 32), -1, 1e-12);
    EXPECT_NEAR(fitted_slope(powers_of_two(), errors, 32), -2, 1e-12);
    const double all = fitted_slope(powers_of_two(), errors);
    EXPECT_LT(all, -1.1);
    EXPECT_GT(all, -1.9);
  }


  TEST(Slope, LeastSquaresOfThreePoints)
  {
    // Logarithms 0, 1, 2 and 0, 3, 0: by hand, the line is flat; with 0, 0, 3
    // it has the slope 3/2.
    const double              e = std::exp(1.);
    const std::vector<double> n = {1, e, e * e};
    EXPECT_NEAR(fitted_slope(n, {1, std::exp(3.), 1}), 0, 1e-12);
    EXPECT_NEAR(fitted_slope(n, {1, 1, std::exp(3.)}), 1.5, 1e-12);
  }


  TEST(Slope, UnknownErrorsAreLeftOut)
  {
    const double infinite = std::numeric_limits<double>::infinity();
    EXPECT_NEAR(fitted_slope({1, 2, 3, 4, 5, 8},
                             {1, nan, 0, 0.25, infinite, -1}),
                -1,
                1e-12);
    EXPECT_TRUE(std::isnan(fitted_slope({}, {})));
    EXPECT_TRUE(std::isnan(fitted_slope({4}, {1e-3})));
    EXPECT_TRUE(std::isnan(fitted_slope({4, 4}, {1e-3, 1e-4})));
    EXPECT_TRUE(std::isnan(fitted_slope({1, 2, 4}, {1, nan, nan})));
  }


  TEST(Slope, TheoryOfThePaper)
  {
    // ReLU: n^-1.25 for slices in two dimensions, n^-1 in three; a kernel on
    // the interval is a function of two variables.
    EXPECT_DOUBLE_EQ(theoretical_slope(1, 1), -2);
    EXPECT_DOUBLE_EQ(theoretical_slope(1, 2), -1.25);
    EXPECT_DOUBLE_EQ(theoretical_slope(1, 3), -1);
    EXPECT_DOUBLE_EQ(theoretical_slope(2, 2), -1.75);
  }
} // namespace Evergreen
