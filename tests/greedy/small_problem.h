// Small learning problems with exact data for the tests of the learner: linear
// elements on tensor grids of the unit cube, smooth random forcings, and
// solutions made by a known kernel through the same quadrature.

#ifndef evergreen_tests_small_problem_h
#define evergreen_tests_small_problem_h

#include <evergreen/base/random.h>
#include <evergreen/dictionary/dictionary.h>
#include <evergreen/fem/quadrature_rule.h>
#include <evergreen/greedy/coordinates.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <numeric>
#include <vector>

namespace Evergreen
{
  struct SmallProblem
  {
    QuadratureRule           rule;
    std::vector<double>      nodes;
    std::size_t              n_samples = 0;
    std::size_t              n_owned   = 0;
    std::vector<double>      f, u;
    std::vector<std::size_t> response;

    std::size_t
    n_nodes() const
    {
      return rule.n_rows;
    }

    TrainingData
    data() const
    {
      TrainingData result;
      result.n_samples = n_samples;
      result.f         = f.data();
      result.u         = u.data();
      result.n_f_rows = result.n_u_rows = n_nodes();
      result.n_owned                    = n_owned;
      result.response                   = response;
      return result;
    }

    /** The response points, one after the other. */
    std::vector<double>
    response_points() const
    {
      std::vector<double> points;
      for (const std::size_t s : response)
        points.insert(points.end(),
                      nodes.begin() + s * rule.dim,
                      nodes.begin() + (s + 1) * rule.dim);
      return points;
    }

    Dictionary
    dictionary(const std::size_t  size,
               const unsigned int power   = 1,
               const bool         product = false) const
    {
      BoundingSphere sphere;
      sphere.centre.assign(rule.dim, 0.5);
      sphere.radius = 0.5 * std::sqrt(double(rule.dim));
      return Dictionary(std::make_shared<ReluFamily>(
                          power, product ? product_sphere(sphere) : sphere),
                        size,
                        7);
    }
  };


  /** Tensor grid of n_cells^dim cells with two Gauss points a direction. */
  inline void
  add_grid(const unsigned int dim,
           const unsigned int n_cells,
           SmallProblem      &problem)
  {
    const unsigned int n     = n_cells + 1;
    const auto         power = [&](const unsigned int base) {
      unsigned int result = 1;
      for (unsigned int d = 0; d < dim; ++d)
        result *= base;
      return result;
    };
    problem.rule.dim    = dim;
    problem.rule.n_rows = power(n);
    problem.n_owned     = power(n);
    for (unsigned int i = 0; i < power(n); ++i)
      for (unsigned int d = 0, rest = i; d < dim; ++d, rest /= n)
        problem.nodes.push_back(double(rest % n) / n_cells);

    for (unsigned int cell = 0; cell < power(n_cells); ++cell)
      for (unsigned int q = 0; q < power(2); ++q)
        {
          std::vector<double>       point(dim), values(power(2), 1.);
          std::vector<unsigned int> rows(power(2));
          unsigned int              rest = cell, stride = 1;
          for (unsigned int d = 0; d < dim; ++d)
            {
              const double at =
                0.5 + ((q >> d & 1) ? 0.5 : -0.5) / std::sqrt(3.);
              point[d] = (rest % n_cells + at) / n_cells;
              for (unsigned int v = 0; v < power(2); ++v)
                {
                  rows[v] += (rest % n_cells + (v >> d & 1)) * stride;
                  values[v] *= ((v >> d & 1) ? at : 1 - at) / (2. * n_cells);
                }
              rest /= n_cells;
              stride *= n;
            }
          problem.rule.add_point(point.data(),
                                 power(2),
                                 rows.data(),
                                 values.data());
        }
  }


  /**
   * Forcings that are random combinations of @p n_modes plane waves at the
   * nodes, so that their rank is min(n_modes, n_samples, n_nodes).
   */
  inline void
  add_forcings(const std::size_t n_samples,
               const std::size_t n_modes,
               SmallProblem     &problem)
  {
    const std::size_t  m   = problem.n_nodes();
    const unsigned int dim = problem.rule.dim;
    problem.n_samples      = n_samples;
    problem.f.assign(m * n_samples, 0.);
    std::vector<double> amplitudes(n_modes + 1), wave(dim + 2);
    for (std::size_t j = 0; j < n_samples; ++j)
      {
        Random::normals(
          3, Random::Stream::test, j, 0, n_modes, amplitudes.data());
        for (std::size_t k = 0; k < n_modes; ++k)
          {
            Random::normals(
              4, Random::Stream::test, k, 0, dim + 1, wave.data());
            for (std::size_t i = 0; i < m; ++i)
              {
                double phase = 3 * wave[dim];
                for (unsigned int d = 0; d < dim; ++d)
                  phase += 9 * wave[d] * problem.nodes[i * dim + d];
                problem.f[j * m + i] += amplitudes[k] * std::cos(phase);
              }
          }
      }
  }


  /** Solutions u_j(x_i) = integral of kernel(x_i, y) f_j(y). */
  inline void
  add_solutions(
    const std::function<double(const double *, const double *)> &kernel,
    SmallProblem                                                &problem)
  {
    const QuadratureRule &rule = problem.rule;
    const std::size_t     m    = problem.n_nodes();
    problem.u.assign(m * problem.n_samples, 0.);
    for (std::size_t i = 0; i < m; ++i)
      {
        std::vector<double> action(m);
        for (std::size_t q = 0; q < rule.n_points(); ++q)
          for (std::size_t k = rule.column_starts[q];
               k < rule.column_starts[q + 1];
               ++k)
            action[rule.rows[k]] +=
              rule.values[k] * kernel(problem.nodes.data() + i * rule.dim,
                                      rule.points.data() + q * rule.dim);
        for (std::size_t j = 0; j < problem.n_samples; ++j)
          problem.u[j * m + i] = std::inner_product(action.begin(),
                                                    action.end(),
                                                    problem.f.begin() + j * m,
                                                    0.);
        problem.response.push_back(i);
      }
  }


  /** A kernel with a kink at x = y, as that of a second-order equation. */
  inline double
  kinked_kernel(const unsigned int dim, const double *x, const double *y)
  {
    double square = 0;
    for (unsigned int d = 0; d < dim; ++d)
      square += (x[d] - y[d]) * (x[d] - y[d]);
    return std::exp(-2 * std::sqrt(square)) + 0.3 * x[0] * y[0];
  }


  inline SmallProblem
  make_small_problem(const unsigned int dim,
                     const unsigned int n_cells,
                     const std::size_t  n_samples,
                     const std::size_t  n_modes)
  {
    SmallProblem problem;
    add_grid(dim, n_cells, problem);
    add_forcings(n_samples, n_modes, problem);
    add_solutions([dim](const double *x,
                        const double *y) { return kinked_kernel(dim, x, y); },
                  problem);
    return problem;
  }


  /**
   * The action (g * f_j) of an atom on a sample, straight from the definition.
   */
  inline double
  direct_action(const SmallProblem &problem,
                const AtomList     &atoms,
                const std::size_t   atom,
                const std::size_t   sample)
  {
    const QuadratureRule &rule = problem.rule;
    double                sum  = 0;
    for (std::size_t q = 0; q < rule.n_points(); ++q)
      for (std::size_t k = rule.column_starts[q]; k < rule.column_starts[q + 1];
           ++k)
        sum += rule.values[k] *
               problem.f[sample * problem.n_nodes() + rule.rows[k]] *
               atoms.value(atom, rule.points.data() + q * rule.dim);
    return sum;
  }


  /** Draws only a few different atoms: dictionaries full of duplicates. */
  class FewAtoms : public AtomFamily
  {
  public:
    FewAtoms() : AtomFamily(1, 1)
    {}

    void
    draw(const double *uniforms, AtomList &atoms) const override
    {
      const double w = 1;
      atoms.push_back(AtomKind::relu_1, &w, -0.2 * std::floor(5 * uniforms[0]));
    }
  };
} // namespace Evergreen

#endif
