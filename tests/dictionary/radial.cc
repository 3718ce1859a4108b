// The tables of radial functions against the standard library and known
// identities, near the singularity, far away and outside of the tables.

#include "dictionary/instructions.h"

#include <evergreen/base/random.h>
#include <evergreen/dictionary/atoms.h>
#include <evergreen/dictionary/radial.h>

#include <gtest/gtest.h>

#include <cmath>

using namespace Evergreen;

namespace
{
  // By other implementations than those that the tables were made with.
  double
  expected(const RadialFunction function, const double kappa, const double r)
  {
    switch (function)
      {
        case RadialFunction::logarithm:
          return -std::log(r);
        case RadialFunction::neumann:
          return ::y0(kappa * r);
        case RadialFunction::macdonald:
          return std::cyl_bessel_k(0., kappa * r);
        case RadialFunction::poisson_2d:
          return std::pow(r, -2);
        case RadialFunction::inverse:
          return 1 / r;
        case RadialFunction::cosine:
          return std::cos(kappa * r) / r;
        case RadialFunction::exponential:
          return std::exp(-kappa * r) / r;
        case RadialFunction::poisson_3d:
          return std::pow(r, -3);
        case RadialFunction::modulus:
          return r;
        case RadialFunction::sine:
          return std::sin(kappa * r);
      }
    return NAN;
  }


  // What errors are measured against where the function has zeros.
  double
  envelope(const RadialFunction function, const double kappa, const double r)
  {
    const double value = std::abs(expected(function, kappa, r));
    switch (function)
      {
        case RadialFunction::logarithm:
          return std::max(value, 1.);
        case RadialFunction::neumann:
          return std::max(value, std::sqrt(2 / (M_PI * kappa * r)));
        case RadialFunction::cosine:
          return 1 / r;
        case RadialFunction::sine:
          return std::min(1., kappa * r);
        default:
          return value;
      }
  }


  void
  compare(const RadialFunction function,
          const double         kappa,
          const double         smallest,
          const double         largest,
          const double         tolerance)
  {
    for (const unsigned int dim : {1u, 2u, 3u})
      for (const std::size_t n : {1ul, 4ul, 7ul, 256ul, 601ul})
        {
          // Points at distances between the two, evenly in the logarithm.
          const double                     centre[3] = {0.3, -0.2, 0.1};
          std::vector<std::vector<double>> y(dim, std::vector<double>(n));
          std::vector<double>              r(n), values(n, NAN);
          for (std::size_t q = 0; q < n; ++q)
            {
              const double length =
                smallest *
                std::pow(largest / smallest,
                         Random::uniform(3, Random::Stream::test, n, q));
              double square = 0;
              for (unsigned int d = 0; d < dim; ++d)
                {
                  y[d][q] = centre[d] + (d % 2 == 0 ? 1 : -1) * length /
                                          std::sqrt(double(dim));
                  square += std::pow(y[d][q] - centre[d], 2);
                }
              r[q] = std::sqrt(square);
            }
          const double *pointers[3] = {};
          for (unsigned int d = 0; d < dim; ++d)
            pointers[d] = y[d].data();
          radial_values(
            function, kappa, dim, centre, n, pointers, values.data());
          for (std::size_t q = 0; q < n; ++q)
            EXPECT_NEAR(values[q],
                        expected(function, kappa, r[q]),
                        tolerance * envelope(function, kappa, r[q]))
              << radial_name(function) << " with kappa " << kappa << " at "
              << r[q];
        }
  }
} // namespace


TEST(Radial, TablesAgreeWithTheStandardLibrary)
{
  Testing::for_all_instructions([] {
    for (const RadialFunction function : all_radial_functions())
      for (const double kappa : {1., 10.})
        compare(function, kappa, 1e-4, 6., 1e-12);
  });
}


TEST(Radial, OutsideOfTheTables)
{
  // Very near and very far, where the values are computed one by one.
  Testing::for_all_instructions([] {
    for (const RadialFunction function : all_radial_functions())
      {
        compare(function, 10., 1e-9, 1e-8, 1e-11);
        if (function != RadialFunction::macdonald)
          compare(function, 10., 20., 60., 1e-11);
      }
  });
}


TEST(Radial, ValuesAtTheCentreAreFinite)
{
  const double        centre[2] = {0.5, 0.25};
  const double *const y[2]      = {centre, centre + 1};
  for (const RadialFunction function : all_radial_functions())
    {
      double value = NAN;
      radial_values(function, 7., 2, centre, 1, y, &value);
      EXPECT_TRUE(std::isfinite(value)) << radial_name(function);
    }
}


// Fundamental solutions: applying the operator gives zero off the centre. The
// Laplacian of a radial function in d dimensions is psi'' + (d - 1) psi' / r.
TEST(Radial, SolveTheirEquations)
{
  struct Equation
  {
    RadialFunction function;
    unsigned int   dim;
    double         sign; // of kappa^2 in (Laplace + sign kappa^2) psi = 0
  };
  const double kappa = 3;
  for (const Equation &e : {Equation{RadialFunction::logarithm, 2, 0},
                            Equation{RadialFunction::neumann, 2, 1},
                            Equation{RadialFunction::macdonald, 2, -1},
                            Equation{RadialFunction::inverse, 3, 0},
                            Equation{RadialFunction::cosine, 3, 1},
                            Equation{RadialFunction::exponential, 3, -1},
                            Equation{RadialFunction::modulus, 1, 0},
                            Equation{RadialFunction::sine, 1, 1}})
    for (const double r : {0.4, 0.9, 1.7})
      {
        const double h   = 1e-3;
        const auto   psi = [&](const double x) {
          return radial_value(e.function, kappa, x);
        };
        const double first =
          (psi(r - 2 * h) - 8 * psi(r - h) + 8 * psi(r + h) - psi(r + 2 * h)) /
          (12 * h);
        const double second = (-psi(r - 2 * h) + 16 * psi(r - h) - 30 * psi(r) +
                               16 * psi(r + h) - psi(r + 2 * h)) /
                              (12 * h * h);
        const double result =
          second + (e.dim - 1) * first / r + e.sign * kappa * kappa * psi(r);
        EXPECT_NEAR(result, 0., 1e-7 * (1 + std::abs(second)))
          << radial_name(e.function) << " at " << r;
      }
}


TEST(Radial, KindsAndForms)
{
  for (const int number :
       {1, 4, 11, 12, 13, 14, 21, 24, 32, 111, 132, 211, 223})
    EXPECT_TRUE(is_atom_kind(number)) << number;
  for (const int number : {-89, 0, 5, 10, 15, 99, 101, 104, 311, 1011})
    EXPECT_FALSE(is_atom_kind(number)) << number;
  for (const RadialFunction function : all_radial_functions())
    for (const AtomForm form :
         {AtomForm::centred, AtomForm::difference, AtomForm::product})
      {
        const AtomKind kind = radial_kind(function, form);
        EXPECT_EQ(radial_function(kind), function);
        EXPECT_EQ(atom_form(kind), form);
        EXPECT_TRUE(is_atom_kind(static_cast<int>(kind)));
      }
  EXPECT_EQ(atom_form(AtomKind::relu_3), AtomForm::ridge);
}


TEST(Radial, FormsInTwoVariables)
{
  const double point[] = {0.3, 0.7, -0.2, 0.4}; // x, then y
  const double w[]     = {1.5, 0.1, -0.9, 1.2};
  const auto   r       = [](const double *a, const double *b) {
    return std::hypot(a[0] - b[0], a[1] - b[1]);
  };
  const auto psi = [](const double distance) { return ::y0(5. * distance); };
  AtomList   atoms(4);
  atoms.push_back(radial_kind(RadialFunction::neumann, AtomForm::difference),
                  w,
                  5.);
  atoms.push_back(radial_kind(RadialFunction::neumann, AtomForm::product),
                  w,
                  5.);
  EXPECT_NEAR(atoms.value(0, point), psi(r(point, point + 2)), 1e-13);
  EXPECT_NEAR(atoms.value(1, point),
              psi(r(point, w)) * psi(r(point + 2, w + 2)),
              1e-13);
  for (std::size_t i = 0; i < 2; ++i)
    {
      std::vector<double> factor;
      const AtomList slice = restrict_to_points(atoms, i, 1, point, factor);
      EXPECT_NEAR(factor[0] * slice.value(0, point + 2),
                  atoms.value(i, point),
                  1e-13);
    }
}
