#include <evergreen/base/error.h>
#include <evergreen/base/random.h>
#include <evergreen/fem/formula.h>
#include <evergreen/fem/medium.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <numeric>

namespace Evergreen
{
  using namespace dealii;

  void
  MediumParameters::add_parameters(ParameterHandler &prm)
  {
    prm.enter_subsection("Medium");
    prm.add_parameter("Type",
                      type,
                      "For the problem 'elliptic': a medium that 'Diffusion' "
                      "is multiplied with, constant on the cells of a uniform "
                      "grid over the domain's bounding box. Random values "
                      "from 1 to 'Contrast', or those of a file.",
                      Patterns::Selection("none|independent cells|inclusions|"
                                          "channels|layers|log-normal|file"));
    prm.add_parameter("Cells",
                      cells,
                      "The grid's cells in each direction, as in '60, 220'; "
                      "one number is for all directions.");
    prm.add_parameter("Contrast",
                      contrast,
                      "The largest value of a random medium; the least is 1. "
                      "(Log-normal: four standard deviations.)",
                      Patterns::Double(0));
    prm.add_parameter("Width",
                      width,
                      "The diameter of inclusions, the width of channels, the "
                      "thickness of layers, the length over which a "
                      "log-normal medium changes; in cells of the grid.",
                      Patterns::Double(0));
    prm.add_parameter("Share",
                      share,
                      "The share of the box that inclusions or channels cover.",
                      Patterns::Double(0, 1));
    prm.add_parameter("Seed",
                      seed,
                      "The seed of the random numbers.",
                      Patterns::Integer(0));
    prm.add_parameter("File",
                      file,
                      "A text file of positive values, one for each cell of "
                      "the grid, x fastest, then y. Several files between "
                      "commas are the values in x, y (and z) direction.");
    prm.leave_subsection();
  }


  void
  MediumParameters::check() const
  {
    if (!is_present())
      return;
    const auto n = parse_numbers(cells, "'Cells' in section 'Medium'");
    if (n.empty() || n.size() > 3 || *std::min_element(n.begin(), n.end()) == 0)
      throw UsageError("'Cells' = '",
                       cells,
                       "' in section 'Medium' must be positive numbers, one "
                       "for each direction or for all.");
    if (type == "file" && file.empty())
      throw UsageError(
        "The medium 'file' needs values: set 'File' in section "
        "'Medium'.");
    if (type != "file" && !file.empty())
      throw UsageError(
        "'File' in section 'Medium' is used by the type 'file' "
        "only: set Type = file, not '",
        type,
        "'.");
    if (!(contrast >= 1))
      throw UsageError(
        "'Contrast' = ", contrast, " in section 'Medium' must be at least 1.");
    if (!(width >= 1))
      throw UsageError("'Width' = ",
                       width,
                       " in section 'Medium' is in cells of the grid: it must "
                       "be at least 1.");
    if (!(share > 0 && share < 1))
      throw UsageError(
        "'Share' = ", share, " in section 'Medium' must be between 0 and 1.");
  }


  namespace
  {
    /** What the random numbers of a medium are for. */
    enum Purpose : std::uint64_t
    {
      values_of_cells = 0,
      shapes          = 1
    };

    /** The random numbers of an inclusion or a channel. */
    constexpr std::uint64_t numbers_per_shape = 8;


    /** A grid of unit cells, x fastest. */
    template <int dim>
    struct Grid
    {
      std::array<unsigned int, dim> n;

      std::size_t
      size() const
      {
        return std::accumulate(n.begin(),
                               n.end(),
                               std::size_t(1),
                               std::multiplies<>());
      }

      Point<dim>
      centre(std::size_t cell) const
      {
        Point<dim> result;
        for (unsigned int d = 0; d < dim; ++d)
          {
            result[d] = cell % n[d] + 0.5;
            cell /= n[d];
          }
        return result;
      }
    };


    /** Random media on a grid. */
    template <int dim>
    class MediumMaker
    {
    public:
      MediumMaker(const MediumParameters &parameters, const Grid<dim> &grid)
        : parameters_(parameters), grid_(grid)
      {}

      std::vector<double>
      make() const
      {
        if (parameters_.type == "inclusions" || parameters_.type == "channels")
          return make_shapes(parameters_.type == "channels");
        if (parameters_.type == "log-normal")
          return make_log_normal();
        const bool          in_layers = parameters_.type == "layers";
        std::vector<double> values(grid_.size());
        for (std::size_t cell = 0; cell < values.size(); ++cell)
          values[cell] =
            std::pow(parameters_.contrast,
                     uniform(values_of_cells,
                             in_layers ? static_cast<std::size_t>(
                                           grid_.centre(cell)[dim - 1] /
                                           parameters_.width)
                                       : cell));
        return values;
      }

    private:
      const MediumParameters &parameters_;
      const Grid<dim>        &grid_;

      double
      uniform(const Purpose purpose, const std::uint64_t index) const
      {
        return Random::uniform(parameters_.seed,
                               Random::Stream::medium,
                               purpose,
                               index);
      }

      /**
       * Balls, or what is near a segment. They overlap: the n-th leaves the
       * share \f$(1-v/|\Omega|)^n\f$ uncovered.
       */
      std::vector<double>
      make_shapes(const bool are_channels) const
      {
        const double radius = parameters_.width / 2;
        const double length =
          are_channels ? *std::max_element(grid_.n.begin(), grid_.n.end()) / 2.
                       : 0.;
        // The measures of a ball and of a cross-section's.
        constexpr double unit_ball[] = {1., 2., M_PI, 4 * M_PI / 3};
        const double     measure =
          unit_ball[dim] * std::pow(radius, dim) +
          unit_ball[dim - 1] * std::pow(radius, dim - 1) * length;
        const auto n_shapes = static_cast<std::size_t>(
          std::ceil(-std::log1p(-parameters_.share) * grid_.size() / measure));

        std::vector<double> values(grid_.size(), 1.);
        for (std::size_t shape = 0; shape < n_shapes; ++shape)
          {
            const std::uint64_t first = shape * numbers_per_shape;
            Point<dim>          centre;
            for (unsigned int d = 0; d < dim; ++d)
              centre[d] = grid_.n[d] * uniform(shapes, first + d);
            const Tensor<1, dim> half =
              length / 2 * random_direction(first + dim);
            fill(centre - half, centre + half, radius, values);
          }
        return values;
      }

      /** A uniformly distributed unit vector. */
      Tensor<1, dim>
      random_direction(const std::uint64_t first) const
      {
        Tensor<1, dim> direction;
        direction[0] = 1;
        if constexpr (dim > 1)
          {
            const double angle = 2 * M_PI * uniform(shapes, first);
            const double z = dim == 3 ? 2 * uniform(shapes, first + 1) - 1 : 0.;
            const double radius = std::sqrt(1 - z * z);
            direction[0]        = radius * std::cos(angle);
            direction[1]        = radius * std::sin(angle);
            if constexpr (dim == 3)
              direction[2] = z;
          }
        return direction;
      }

      /** The contrast in the cells whose centres are near a segment. */
      void
      fill(const Point<dim>    &a,
           const Point<dim>    &b,
           const double         radius,
           std::vector<double> &values) const
      {
        // Only the cells of a box around the segment are looked at.
        std::array<std::size_t, dim> first, last;
        for (unsigned int d = 0; d < dim; ++d)
          {
            const double low  = std::min(a[d], b[d]) - radius;
            const double high = std::max(a[d], b[d]) + radius;
            first[d] =
              static_cast<std::size_t>(std::clamp(low, 0., double(grid_.n[d])));
            last[d] = static_cast<std::size_t>(
              std::clamp(std::ceil(high), 0., double(grid_.n[d])));
            if (first[d] >= last[d])
              return;
          }
        const Tensor<1, dim> side   = b - a;
        const double         square = side.norm_square();
        for (auto place = first;;)
          {
            std::size_t cell = 0;
            Point<dim>  centre;
            for (unsigned int d = dim; d-- > 0;)
              {
                cell      = cell * grid_.n[d] + place[d];
                centre[d] = place[d] + 0.5;
              }
            const double t =
              square > 0 ? std::clamp((centre - a) * side / square, 0., 1.)
                         : 0.;
            if ((centre - a - t * side).norm() <= radius)
              values[cell] = parameters_.contrast;

            unsigned int d = 0;
            while (d < dim && ++place[d] == last[d])
              {
                place[d] = first[d];
                ++d;
              }
            if (d == dim)
              return;
          }
      }

      /**
       * White noise on a larger grid, convolved in one direction after the
       * other.
       */
      std::vector<double>
      make_log_normal() const
      {
        const auto reach =
          static_cast<unsigned int>(std::ceil(3 * parameters_.width));
        std::vector<double> weights;
        double              squares = 0;
        for (unsigned int i = 0; i <= 2 * reach; ++i)
          {
            const double r = (double(i) - reach) / parameters_.width;
            weights.push_back(std::exp(-0.5 * r * r));
            squares += weights.back() * weights.back();
          }
        for (double &weight : weights)
          weight /= std::sqrt(squares);

        Grid<dim> grid = grid_;
        for (unsigned int &n : grid.n)
          n += 2 * reach;
        std::vector<double> field(grid.size());
        Random::normals(parameters_.seed,
                        Random::Stream::medium,
                        values_of_cells,
                        0,
                        field.size(),
                        field.data());
        for (unsigned int d = 0; d < dim; ++d)
          field = convolve(field, weights, d, grid);
        for (double &value : field)
          value = std::exp(std::log(parameters_.contrast) / 4 * value);
        return field;
      }

      /** Shortens the grid in the direction @p d by the reach of the weights.
       */
      static std::vector<double>
      convolve(const std::vector<double> &field,
               const std::vector<double> &weights,
               const unsigned int         d,
               Grid<dim>                 &grid)
      {
        std::size_t stride = 1;
        for (unsigned int e = 0; e < d; ++e)
          stride *= grid.n[e];
        const std::size_t n_before = grid.n[d];
        const std::size_t n_after  = n_before - (weights.size() - 1);
        grid.n[d]                  = n_after;
        std::vector<double> result(grid.size(), 0.);
        for (std::size_t to = 0; to < result.size(); ++to)
          {
            const std::size_t inner = to % stride;
            const std::size_t along = to / stride % n_after;
            const std::size_t outer = to / stride / n_after;
            const double     *from =
              &field[(outer * n_before + along) * stride + inner];
            for (std::size_t i = 0; i < weights.size(); ++i)
              result[to] += weights[i] * from[i * stride];
          }
        return result;
      }
    };


    template <int dim>
    std::vector<double>
    read_values(const std::string &path, const Grid<dim> &grid)
    {
      std::ifstream in(path);
      if (!in)
        throw Error("Cannot open '",
                    path,
                    "', the values of the medium: check 'File' in section "
                    "'Medium'.");
      const auto refuse = [&](const auto &...words) {
        throw Error("The medium '", path, "' ", words...);
      };
      std::vector<double> values;
      for (std::string line; std::getline(in, line);)
        {
          std::istringstream words(line.substr(0, line.find('#')));
          for (std::string word; words >> word;)
            {
              std::istringstream number(word);
              double             value = 0;
              if (!(number >> value) || !number.eof())
                refuse("has '", word, "', which is no number.");
              if (!(value > 0) || !std::isfinite(value))
                refuse("has the value ",
                       value,
                       " (number ",
                       values.size() + 1,
                       "): all must be positive.");
              values.push_back(value);
            }
        }
      std::string product;
      for (const unsigned int n : grid.n)
        product += (product.empty() ? "" : " x ") + std::to_string(n);
      if (values.size() != grid.size())
        refuse("has ",
               values.size(),
               " values; the grid of ",
               product,
               " cells needs ",
               grid.size(),
               ": check 'Cells' in section 'Medium'.");
      return values;
    }
  } // namespace


  template <int dim>
  BoundingBox<dim>
  bounding_box(const std::vector<double> &points)
  {
    Point<dim> low, high;
    for (std::size_t i = 0; i < points.size(); ++i)
      {
        const unsigned int d = i % dim;
        low[d]  = i < dim ? points[i] : std::min(low[d], points[i]);
        high[d] = i < dim ? points[i] : std::max(high[d], points[i]);
      }
    return BoundingBox<dim>({low, high});
  }


  template <int dim>
  Medium<dim>::Medium(const MediumParameters &parameters,
                      const BoundingBox<dim> &box)
    : type_(parameters.type), box_(box)
  {
    parameters.check();
    if (!parameters.is_present())
      throw UsageError("There is no medium: set 'Type' in section 'Medium'.");
    const auto n = parse_numbers(parameters.cells, "'Cells'");
    if (n.size() != 1 && n.size() != dim)
      throw UsageError("'Cells' in section 'Medium' has ",
                       n.size(),
                       " numbers; the domain has dimension ",
                       dim,
                       ".");
    for (unsigned int d = 0; d < dim; ++d)
      n_cells_[d] = n.size() == 1 ? n[0] : n[d];
    const Grid<dim> grid{n_cells_};
    if (type_ != "file")
      {
        values_.push_back(MediumMaker<dim>(parameters, grid).make());
        return;
      }
    const auto files = split_list(parameters.file, ',');
    if (files.size() != 1 && files.size() != dim)
      throw UsageError("'File' in section 'Medium' names ",
                       files.size(),
                       " files: give one, or one for each of the ",
                       dim,
                       " directions.");
    for (const std::string &file : files)
      values_.push_back(read_values(file, grid));
  }


  template <int dim>
  double
  Medium<dim>::value(const Point<dim>  &point,
                     const unsigned int direction) const
  {
    std::size_t cell = 0;
    for (unsigned int d = dim; d-- > 0;)
      {
        const auto  &corners = box_.get_boundary_points();
        const double place   = (point[d] - corners.first[d]) /
                             (corners.second[d] - corners.first[d]) *
                             n_cells_[d];
        cell = cell * n_cells_[d] + static_cast<std::size_t>(
                                      std::clamp(place, 0., n_cells_[d] - 1.));
      }
    return values(direction)[cell];
  }


  template <int dim>
  std::string
  Medium<dim>::description() const
  {
    std::string result = type_ == "file" ? "values of a file" : type_;
    result += " on ";
    for (unsigned int d = 0; d < dim; ++d)
      result += (d == 0 ? "" : " x ") + std::to_string(n_cells_[d]);
    result += " cells, ";
    for (std::size_t d = 0; d < values_.size(); ++d)
      {
        const auto [least, greatest] =
          std::minmax_element(values_[d].begin(), values_[d].end());
        result += text(d == 0 ? "from " : ", from ", *least, " to ", *greatest);
      }
    return result;
  }


#define INSTANTIATE(dim)                                                       \
  template decltype(bounding_box<dim>) bounding_box<dim>;                      \
  template class Medium<dim>;
  INSTANTIATE(1)
  INSTANTIATE(2)
  INSTANTIATE(3)
#undef INSTANTIATE
} // namespace Evergreen
