#include <evergreen/base/error.h>
#include <evergreen/dictionary/fundamental.h>

#include <algorithm>

namespace Evergreen
{
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


  FundamentalFamily::FundamentalFamily(const AtomForm             atom_form,
                                       const unsigned int         dimension,
                                       const FundamentalSolution &fundamental,
                                       std::vector<double>        pool)
    : AtomFamily(atom_form == AtomForm::centred ? dimension : 2 * dimension,
                 atom_form == AtomForm::centred   ? 2
                 : atom_form == AtomForm::product ? 3
                                                  : 1)
    , form(atom_form)
    , space_dim(dimension)
    , solution(fundamental)
    , centres(std::move(pool))
  {
    solution.check();
    if (n_uniforms > 1 && (centres.empty() || centres.size() % space_dim != 0))
      throw Error("A pool of centres in ",
                  space_dim,
                  " dimensions cannot have ",
                  centres.size(),
                  " coordinates.");
  }


  void
  FundamentalFamily::draw(const double *uniforms, AtomList &atoms) const
  {
    const std::size_t   n = centres.size() / space_dim;
    std::vector<double> weights(dim);
    for (unsigned int c = 0; c + 1 < n_uniforms; ++c)
      {
        const auto i =
          std::min(n - 1, static_cast<std::size_t>(uniforms[c] * n));
        std::copy_n(&centres[i * space_dim],
                    space_dim,
                    &weights[c * space_dim]);
      }
    atoms.push_back(radial_kind(solution.function, form),
                    weights.data(),
                    solution.wave_number(uniforms[n_uniforms - 1]));
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
