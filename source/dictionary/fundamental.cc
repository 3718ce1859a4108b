#include <evergreen/base/error.h>
#include <evergreen/dictionary/fundamental.h>

#include <algorithm>

namespace Evergreen
{
  namespace
  {
    /** The point of a pool that belongs to a number in (0, 1). */
    const double *
    choose(const std::vector<double> &points,
           const unsigned int         dim,
           const double               uniform)
    {
      const std::size_t n = points.size() / dim;
      return points.data() +
             dim * std::min(n - 1, static_cast<std::size_t>(uniform * n));
    }


    void
    check_pool(const std::vector<double> &points, const unsigned int dim)
    {
      if (points.empty() || points.size() % dim != 0)
        throw Error("A pool of centres in ",
                    dim,
                    " dimensions cannot have ",
                    points.size(),
                    " coordinates.");
    }
  } // namespace


  double
  FundamentalSolution::wave_number(const double uniform) const
  {
    return has_wave_number(function) ? low + (high - low) * uniform : 1.;
  }


  void
  FundamentalSolution::check() const
  {
    if (has_wave_number(function) && !(low > 0 && high >= low))
      throw UsageError("The wave numbers of ",
                       radial_name(function),
                       " range from ",
                       low,
                       " to ",
                       high,
                       ": they must be positive and increase.");
  }


  OutsideFamily::OutsideFamily(const unsigned int         dimension,
                               const FundamentalSolution &fundamental,
                               std::vector<double>        pool)
    : space_dim(dimension), solution(fundamental), centres(std::move(pool))
  {
    solution.check();
    check_pool(centres, space_dim);
  }


  unsigned int
  OutsideFamily::dim() const
  {
    return space_dim;
  }


  unsigned int
  OutsideFamily::n_uniforms() const
  {
    return 2;
  }


  void
  OutsideFamily::draw(const double *uniforms, AtomList &atoms) const
  {
    atoms.push_back(radial_kind(solution.function, AtomForm::centred),
                    choose(centres, space_dim, uniforms[0]),
                    solution.wave_number(uniforms[1]));
  }


  DifferenceFamily::DifferenceFamily(const unsigned int         dimension,
                                     const FundamentalSolution &fundamental)
    : space_dim(dimension), solution(fundamental)
  {
    solution.check();
  }


  unsigned int
  DifferenceFamily::dim() const
  {
    return 2 * space_dim;
  }


  unsigned int
  DifferenceFamily::n_uniforms() const
  {
    return 1;
  }


  void
  DifferenceFamily::draw(const double *uniforms, AtomList &atoms) const
  {
    const std::vector<double> no_weights(2 * space_dim, 0.);
    atoms.push_back(radial_kind(solution.function, AtomForm::difference),
                    no_weights.data(),
                    solution.wave_number(uniforms[0]));
  }


  ProductFamily::ProductFamily(const unsigned int         dimension,
                               const FundamentalSolution &fundamental,
                               std::vector<double>        pool)
    : space_dim(dimension), solution(fundamental), centres(std::move(pool))
  {
    solution.check();
    check_pool(centres, space_dim);
  }


  unsigned int
  ProductFamily::dim() const
  {
    return 2 * space_dim;
  }


  unsigned int
  ProductFamily::n_uniforms() const
  {
    return 3;
  }


  void
  ProductFamily::draw(const double *uniforms, AtomList &atoms) const
  {
    std::vector<double> weights;
    for (const double uniform : {uniforms[0], uniforms[1]})
      {
        const double *const centre = choose(centres, space_dim, uniform);
        weights.insert(weights.end(), centre, centre + space_dim);
      }
    atoms.push_back(radial_kind(solution.function, AtomForm::product),
                    weights.data(),
                    solution.wave_number(uniforms[2]));
  }


  SliceAtoms::SliceAtoms(const FundamentalSolution      &fundamental,
                         std::shared_ptr<const Boundary> mesh_boundary,
                         const double                    distance,
                         const double                    cell)
    : solution(fundamental)
    , boundary(std::move(mesh_boundary))
    , min_distance(distance)
    , cell_size(cell)
  {
    solution.check();
  }


  AtomList
  SliceAtoms::at(const double *x) const
  {
    const AtomKind kind = radial_kind(solution.function, AtomForm::centred);
    const bool     is_interval =
      has_wave_number(solution.function) && solution.high > solution.low;
    const unsigned int n = is_interval ? n_wave_numbers : 1;

    AtomList atoms(boundary->dim());
    for (unsigned int i = 0; i < n; ++i)
      atoms.push_back(kind, x, solution.wave_number((i + 0.5) / n));
    std::vector<double> image(boundary->dim());
    if (boundary->mirror(x, min_distance, image.data()))
      atoms.push_back(kind, image.data(), solution.wave_number(0.5));
    if (cell_size > 0 && boundary->dim() > 1)
      for (const double length : decay_lengths)
        atoms.push_back(radial_kind(boundary->dim() == 2
                                      ? RadialFunction::macdonald
                                      : RadialFunction::exponential,
                                    AtomForm::centred),
                        x,
                        1. / (length * cell_size));
    return atoms;
  }
} // namespace Evergreen
