// The problems of the learner's benchmark: Poisson's equation with P1 elements
// on a disk, and an integral operator with trilinear elements on a cube.

#ifndef evergreen_benchmarks_learner_problem_h
#define evergreen_benchmarks_learner_problem_h

#include <evergreen/base/blas.h>
#include <evergreen/base/random.h>
#include <evergreen/fem/quadrature_rule.h>
#include <evergreen/greedy/coordinates.h>

#include <tbb/parallel_for.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace Evergreen
{
  struct Problem
  {
    QuadratureRule           rule;
    std::vector<double>      nodes;
    std::vector<std::size_t> response;
    std::size_t              n_samples = 0;
    std::vector<double>      f, u;

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
      result.n_f_rows = result.n_owned = result.n_u_rows = n_nodes();
      result.response                                    = response;
      return result;
    }
  };


  using Triangle = std::array<unsigned int, 3>;


  // A disk of rings: about 2 pi i nodes on ring i, the last one on the circle.
  inline std::vector<Triangle>
  disk_mesh(const unsigned int   n_rings,
            std::vector<double> &nodes,
            unsigned int        &n_interior)
  {
    std::vector<Triangle> triangles;
    nodes                    = {0, 0};
    unsigned int inner_start = 0, inner_count = 1;
    for (unsigned int ring = 1; ring <= n_rings; ++ring)
      {
        const unsigned int start = nodes.size() / 2;
        const unsigned int count = (ring == n_rings)
                                     ? std::lround(5.63 * ring)
                                     : std::lround(6.184 * ring);
        n_interior               = start;
        for (unsigned int i = 0; i < count; ++i)
          {
            const double angle = 2 * M_PI * (i + 0.37 * ring) / count;
            nodes.push_back(std::cos(angle) * ring / n_rings);
            nodes.push_back(std::sin(angle) * ring / n_rings);
          }
        // March around both rings, always advancing the one that is behind.
        unsigned int i = 0, j = 0;
        while (j < count || (inner_count > 1 && i < inner_count))
          {
            const unsigned int a     = inner_start + i % inner_count;
            const unsigned int b     = start + j % count;
            const bool         outer = inner_count == 1 || i == inner_count ||
                               (j < count && j * inner_count <= i * count);
            triangles.push_back(
              {{a,
                b,
                outer ? start + (j + 1) % count
                      : inner_start + (i + 1) % inner_count}});
            ++(outer ? j : i);
          }
        inner_start = start;
        inner_count = count;
      }
    return triangles;
  }


  // Quadrature with three points a triangle, and the dense stiffness matrix.
  inline std::vector<double>
  assemble(const std::vector<Triangle> &triangles, Problem &problem)
  {
    const std::size_t   m = problem.nodes.size() / 2;
    std::vector<double> stiffness(m * m);
    problem.rule.dim    = 2;
    problem.rule.n_rows = m;
    for (const Triangle &t : triangles)
      {
        const double *p[3];
        for (int i = 0; i < 3; ++i)
          p[i] = problem.nodes.data() + 2 * t[i];
        const double det = (p[1][0] - p[0][0]) * (p[2][1] - p[0][1]) -
                           (p[2][0] - p[0][0]) * (p[1][1] - p[0][1]);
        const double area = std::abs(det) / 2;
        double       gradient[3][2];
        for (int i = 0; i < 3; ++i)
          {
            const double *a = p[(i + 1) % 3], *b = p[(i + 2) % 3];
            gradient[i][0] = (a[1] - b[1]) / det;
            gradient[i][1] = (b[0] - a[0]) / det;
          }
        for (int i = 0; i < 3; ++i)
          for (int j = 0; j < 3; ++j)
            stiffness[t[i] * m + t[j]] +=
              area * (gradient[i][0] * gradient[j][0] +
                      gradient[i][1] * gradient[j][1]);
        for (int q = 0; q < 3; ++q)
          {
            double shape[3], point[2] = {0, 0}, values[3];
            for (int i = 0; i < 3; ++i)
              {
                shape[i]  = (i == q) ? 2. / 3 : 1. / 6;
                values[i] = area / 3 * shape[i];
                for (int d = 0; d < 2; ++d)
                  point[d] += shape[i] * p[i][d];
              }
            problem.rule.add_point(point, 3, t.data(), values);
          }
      }
    return stiffness;
  }


  // The load vectors M f by the quadrature of the rule.
  inline std::vector<double>
  loads(const QuadratureRule &rule, const std::vector<double> &f)
  {
    const std::size_t   m = rule.n_rows;
    std::vector<double> result(f.size());
    tbb::parallel_for(std::size_t(0), f.size() / m, [&](std::size_t j) {
      for (std::size_t q = 0; q < rule.n_points(); ++q)
        {
          const std::size_t begin  = rule.column_starts[q];
          const std::size_t end    = rule.column_starts[q + 1];
          double            weight = 0, value = 0;
          for (std::size_t k = begin; k < end; ++k)
            weight += rule.values[k];
          for (std::size_t k = begin; k < end; ++k)
            value += rule.values[k] / weight * f[j * m + rule.rows[k]];
          for (std::size_t k = begin; k < end; ++k)
            result[j * m + rule.rows[k]] += rule.values[k] * value;
        }
    });
    return result;
  }


  // Random Fourier series with wavelengths of at least 0.2 in a box around the
  // disk.
  inline std::vector<double>
  band_limited(const std::vector<double> &nodes, const std::size_t n_samples)
  {
    const double                       period = 2.2, wavelength = 0.2;
    const int                          k_max = int(period / wavelength);
    std::vector<std::array<double, 2>> modes;
    for (int k = -k_max; k <= k_max; ++k)
      for (int l = 0; l <= k_max; ++l)
        if ((l > 0 || k >= 0) && k * k + l * l <= k_max * k_max)
          modes.push_back({{2 * M_PI * k / period, 2 * M_PI * l / period}});

    const std::size_t   m = nodes.size() / 2, n = 2 * modes.size();
    std::vector<double> waves(m * n), amplitudes(n * n_samples);
    for (std::size_t k = 0; k < modes.size(); ++k)
      for (std::size_t i = 0; i < m; ++i)
        {
          const double phase =
            modes[k][0] * nodes[2 * i] + modes[k][1] * nodes[2 * i + 1];
          waves[2 * k * m + i]       = std::cos(phase);
          waves[(2 * k + 1) * m + i] = std::sin(phase);
        }
    for (std::size_t j = 0; j < n_samples; ++j)
      Random::normals(1,
                      Random::Stream::training_forcing,
                      j,
                      0,
                      n,
                      amplitudes.data() + j * n);
    std::vector<double> f(m * n_samples);
    Blas::gemm('N',
               'N',
               int(m),
               int(n_samples),
               int(n),
               1.,
               waves.data(),
               int(m),
               amplitudes.data(),
               int(n),
               0.,
               f.data(),
               int(m));
    return f;
  }


  // Solves for all loads by a dense Cholesky factorisation of the leading n x n
  // block; the other nodes are on the boundary.
  inline std::vector<double>
  solve(const std::vector<double> &matrix,
        const std::size_t          m,
        const std::size_t          n,
        std::vector<double>        u)
  {
    std::vector<double> l(n * n);
    for (std::size_t j = 0; j < n; ++j)
      for (std::size_t i = j; i < n; ++i)
        {
          double sum = matrix[i * m + j];
          for (std::size_t k = 0; k < j; ++k)
            sum -= l[i * n + k] * l[j * n + k];
          l[i * n + j] = (i == j) ? std::sqrt(sum) : sum / l[j * n + j];
        }
    tbb::parallel_for(std::size_t(0), u.size() / m, [&](std::size_t sample) {
      double *const x = u.data() + sample * m;
      for (std::size_t i = 0; i < n; ++i)
        {
          for (std::size_t k = 0; k < i; ++k)
            x[i] -= l[i * n + k] * x[k];
          x[i] /= l[i * n + i];
        }
      for (std::size_t i = n; i-- > 0;)
        {
          x[i] /= l[i * n + i];
          for (std::size_t k = 0; k < i; ++k)
            x[k] -= l[i * n + k] * x[i];
        }
      std::fill(x + n, x + m, 0.);
    });
    return u;
  }


  inline Problem
  make_disk(const unsigned int n_rings, const std::size_t n_samples)
  {
    Problem      problem;
    unsigned int n_interior = 0;
    const auto   triangles  = disk_mesh(n_rings, problem.nodes, n_interior);
    const auto   stiffness  = assemble(triangles, problem);
    problem.n_samples       = n_samples;
    problem.f               = band_limited(problem.nodes, n_samples);
    problem.u               = solve(stiffness,
                      problem.n_nodes(),
                      n_interior,
                      loads(problem.rule, problem.f));
    for (std::size_t s = 0; s < n_interior; ++s)
      problem.response.push_back(s);
    return problem;
  }


  // The columns of L, A = L L^T to rounding, for a matrix with unit diagonal.
  inline std::vector<double>
  pivoted_cholesky(const std::size_t n, const std::vector<double> &a)
  {
    std::vector<double> l, rest(n, 1.);
    for (;;)
      {
        // Of equals the first, whatever the rounding.
        const auto largest =
          std::max_element(rest.begin(), rest.end(), [](double a, double b) {
            return a * (1 + 1e-10) < b;
          });
        const std::size_t p = largest - rest.begin(), k = l.size() / n;
        const double      root = std::sqrt(*largest);
        if (!(*largest > 1e-14))
          return l;
        for (std::size_t i = 0; i < n; ++i)
          {
            double sum = a[p * n + i];
            for (std::size_t j = 0; j < k; ++j)
              sum -= l[j * n + i] * l[j * n + p];
            l.push_back(sum / root);
            rest[i] -= l.back() * l.back();
          }
        rest[p] = 0;
      }
  }


  // Gaussian random fields of correlation length 0.2 on a tensor grid: the
  // factor of the covariance applied along each direction.
  inline std::vector<double>
  gaussian_fields(const unsigned int n, const std::size_t n_samples)
  {
    std::vector<double> covariance(n * n);
    for (unsigned int i = 0; i < n; ++i)
      for (unsigned int j = 0; j < n; ++j)
        covariance[i * n + j] =
          std::exp(-std::pow((double(i) - j) / (n - 1) / 0.2, 2) / 2);
    const auto          l    = pivoted_cholesky(n, covariance);
    const std::size_t   rank = l.size() / n, m = n * n * n;
    std::vector<double> f(m * n_samples);
    tbb::parallel_for(std::size_t(0), n_samples, [&](const std::size_t s) {
      std::vector<double> field(rank * rank * rank);
      Random::normals(
        1, Random::Stream::training_forcing, s, 0, field.size(), field.data());
      // One direction at a time; the new index becomes the last.
      for (int direction = 0; direction < 3; ++direction)
        {
          const std::size_t   rest = field.size() / rank;
          std::vector<double> next(rest * n);
          for (std::size_t i = 0; i < n; ++i)
            for (std::size_t k = 0; k < rest; ++k)
              for (std::size_t a = 0; a < rank; ++a)
                next[i * rest + k] += l[a * n + i] * field[k * rank + a];
          field = next;
        }
      std::copy(field.begin(), field.end(), f.begin() + s * m);
    });
    return f;
  }


  // The Gauss points of trilinear elements on n_cells^3 cubes.
  inline void
  add_cube_rule(const unsigned int n_cells, QuadratureRule &rule)
  {
    const unsigned int n = n_cells + 1;
    const double       h = 1. / n_cells, gauss = 0.5 / std::sqrt(3.);
    rule.dim    = 3;
    rule.n_rows = n * n * n;
    for (unsigned int cell = 0; cell < n_cells * n_cells * n_cells; ++cell)
      for (unsigned int q = 0; q < 8; ++q)
        {
          const unsigned int corner[3] = {cell % n_cells,
                                          cell / n_cells % n_cells,
                                          cell / n_cells / n_cells};
          double             at[3], point[3], values[8];
          unsigned int       rows[8];
          for (unsigned int d = 0; d < 3; ++d)
            {
              at[d]    = 0.5 + ((q >> d & 1) ? gauss : -gauss);
              point[d] = (corner[d] + at[d]) * h;
            }
          for (unsigned int v = 0; v < 8; ++v)
            {
              rows[v]   = 0;
              values[v] = h * h * h / 8;
              for (unsigned int d = 3; d-- > 0;)
                {
                  rows[v] = rows[v] * n + corner[d] + (v >> d & 1);
                  values[v] *= (v >> d & 1) ? at[d] : 1 - at[d];
                }
            }
          rule.add_point(point, 8, rows, values);
        }
  }


  // u = integral of cos(2 pi r) f, a block of response points at a time.
  inline void
  integrate_cosine(Problem &problem)
  {
    const std::size_t m     = problem.n_nodes();
    const auto        rhs   = loads(problem.rule, problem.f);
    const std::size_t block = 512;
    problem.u.resize(m * problem.n_samples);
    for (std::size_t first = 0; first < m; first += block)
      {
        const std::size_t   rows = std::min(block, m - first);
        std::vector<double> kernel(rows * m);
        for (std::size_t j = 0; j < m; ++j)
          for (std::size_t i = 0; i < rows; ++i)
            {
              double square = 0;
              for (unsigned int d = 0; d < 3; ++d)
                square += std::pow(problem.nodes[3 * (first + i) + d] -
                                     problem.nodes[3 * j + d],
                                   2);
              kernel[j * rows + i] = std::cos(2 * M_PI * std::sqrt(square));
            }
        Blas::gemm('N',
                   'N',
                   int(rows),
                   int(problem.n_samples),
                   int(m),
                   1.,
                   kernel.data(),
                   int(rows),
                   rhs.data(),
                   int(m),
                   0.,
                   problem.u.data() + first,
                   int(m));
      }
  }


  inline Problem
  make_cube(const unsigned int n_cells, const std::size_t n_samples)
  {
    const unsigned int n = n_cells + 1;
    Problem            problem;
    add_cube_rule(n_cells, problem.rule);
    for (unsigned int i = 0; i < n * n * n; ++i)
      {
        for (const unsigned int k : {i % n, i / n % n, i / n / n})
          problem.nodes.push_back(k / double(n_cells));
        problem.response.push_back(i);
      }
    problem.n_samples = n_samples;
    problem.f         = gaussian_fields(n, n_samples);
    integrate_cosine(problem);
    return problem;
  }
} // namespace Evergreen

#endif
