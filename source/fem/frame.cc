#include <evergreen/base/blas.h>
#include <evergreen/base/error.h>
#include <evergreen/fem/frame.h>

#include <cmath>

namespace Evergreen
{
  namespace
  {
    /** A matrix of dim x dim numbers times points. */
    std::vector<double>
    multiply(const unsigned int         dim,
             const std::vector<double> &matrix,
             const std::vector<double> &points)
    {
      std::vector<double> result(points.size(), 0.);
      for (std::size_t i = 0; i < points.size(); i += dim)
        for (unsigned int d = 0; d < dim; ++d)
          for (unsigned int e = 0; e < dim; ++e)
            result[i + d] += matrix[d * dim + e] * points[i + e];
      return result;
    }


    /**
     * The near field of a rule for functions of image points: the functions,
     * seen from the points themselves, are as singular as before.
     */
    class FramedNearField : public NearField
    {
    public:
      FramedNearField(const Frame &frame, const QuadratureRule &rule)
        : frame_(frame), rule_(rule)
      {}

      void
      correct(const QuadratureRule &,
              const SingularFunction &function,
              double                 *action,
              const std::size_t       stride) const override
      {
        const unsigned int  dim = rule_.dim;
        std::vector<double> centre(function.centre, function.centre + dim);
        if (!frame_.inverse.empty())
          centre = multiply(dim, frame_.inverse, centre);
        const auto evaluate = [&](const std::size_t    n,
                                  const double *const *coordinates,
                                  double              *values) {
          std::vector<double> image(dim * n, 0.);
          const double       *columns[3];
          for (unsigned int d = 0; d < dim; ++d)
            {
              columns[d] = frame_.map.empty() ? coordinates[d] : &image[d * n];
              for (unsigned int e = 0; e < dim && !frame_.map.empty(); ++e)
                for (std::size_t q = 0; q < n; ++q)
                  image[d * n + q] +=
                    frame_.map[d * dim + e] * coordinates[e][q];
            }
          function.evaluate(n, columns, values);
          for (std::size_t q = 0; q < n && !frame_.drift.empty(); ++q)
            {
              double y[3];
              for (unsigned int d = 0; d < dim; ++d)
                y[d] = coordinates[d][q];
              values[q] *= frame_.factor(y);
            }
        };
        rule_.near_field->correct(rule_,
                                  {centre.data(),
                                   function.wave_number,
                                   evaluate},
                                  action,
                                  stride);
      }

    private:
      const Frame          frame_;
      const QuadratureRule rule_;
    };
  } // namespace


  Frame
  Frame::of_tensor(const unsigned int dim, const std::vector<double> &a)
  {
    // a = Q diag(lambda) Q^T, with the eigenvectors as columns of Q.
    std::vector<double> copy = a, q, lambda, transposed;
    const int           n    = static_cast<int>(dim);
    Blas::singular_values(n, n, copy, lambda, &q, &transposed);
    Frame frame;
    if (lambda.front() - lambda.back() < 1e-9 * lambda.front())
      return frame;
    double mean = 0; // of the logarithms
    for (const double value : lambda)
      mean += std::log(value) / dim;
    frame.map.assign(dim * dim, 0.);
    frame.inverse = frame.map;
    for (unsigned int i = 0; i < dim; ++i)
      for (unsigned int d = 0; d < dim; ++d)
        for (unsigned int e = 0; e < dim; ++e)
          {
            const double product = q[i * dim + d] * q[i * dim + e];
            const double scale   = std::sqrt(lambda[i] / std::exp(mean));
            frame.map[d * dim + e] += product / scale;
            frame.inverse[d * dim + e] += product * scale;
          }
    return frame;
  }


  std::string
  Frame::description() const
  {
    std::string result = "y";
    const auto  list   = [&](const std::vector<double> &numbers,
                          const std::size_t          n_columns) {
      result += "(";
      for (std::size_t i = 0; i < numbers.size(); ++i)
        result += text(i == 0              ? ""
                       : i % n_columns > 0 ? ", "
                                           : "; ",
                       numbers[i]);
      result += ")";
    };
    if (!map.empty())
      {
        result = "T y, T = ";
        list(map, map.size() == 4 ? 2 : 3);
      }
    if (!drift.empty())
      {
        result += ", times exp(-";
        list(drift, drift.size());
        result += ".y)";
      }
    return result;
  }


  std::vector<double>
  Frame::images(const unsigned int dim, const std::vector<double> &points) const
  {
    return map.empty() ? points : multiply(dim, map, points);
  }


  double
  Frame::factor(const double *const y) const
  {
    double exponent = 0;
    for (std::size_t d = 0; d < drift.size(); ++d)
      exponent -= drift[d] * y[d];
    return std::exp(exponent);
  }


  MeshData
  Frame::image(const MeshData &mesh) const
  {
    MeshData result = mesh;
    result.points   = images(mesh.dim, mesh.points);
    return result;
  }


  std::vector<BoundaryFace>
  Frame::images(const unsigned int               dim,
                const std::vector<BoundaryFace> &faces) const
  {
    std::vector<BoundaryFace> result;
    for (const BoundaryFace &face : faces)
      result.push_back(
        {images(dim, face.corners), images(dim, face.cell_vertices)});
    return result;
  }


  QuadratureRule
  Frame::image(const QuadratureRule &rule) const
  {
    QuadratureRule result = rule;
    if (is_trivial())
      return result;
    result.points = images(rule.dim, rule.points);
    for (std::size_t q = 0; q < rule.n_points(); ++q)
      {
        const double scale = factor(&rule.points[q * rule.dim]);
        for (std::size_t k = rule.column_starts[q];
             k < rule.column_starts[q + 1];
             ++k)
          result.values[k] *= scale;
      }
    if (rule.near_field)
      result.near_field = std::make_shared<FramedNearField>(*this, rule);
    return result;
  }
} // namespace Evergreen
