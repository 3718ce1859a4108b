#include <evergreen/base/error.h>
#include <evergreen/twin/twin_operator.h>

#include <algorithm>
#include <cmath>

namespace Evergreen
{
  MeshData
  mesh_of_hats(const LearnedTwin &twin)
  {
    return twin.choice.width == MomentWidth::half ? refine(twin.mesh).mesh
                                                  : twin.mesh;
  }


  TwinOperator::TwinOperator(const LearnedTwin       &twin,
                             const CoarseSolver::Form form)
    : twin_(twin), solver_(twin.a, form)
  {
    if (twin_.is_own)
      return;
    hats_         = std::make_unique<HatFunctions>(mesh_of_hats(twin_));
    integrals_    = hats_->integrals();
    divided_mass_ = hats_->mass_matrix();
    for (std::size_t k = 0; k < integrals_.size(); ++k)
      for (auto e = divided_mass_.starts[k]; e < divided_mass_.starts[k + 1];
           ++e)
        divided_mass_.values[e] /= integrals_[k];
  }


  const HatFunctions &
  TwinOperator::hats() const
  {
    if (hats_ == nullptr)
      throw Error(
        "This twin is one on the mesh of its solver: give it forcings "
        "by their nodal values there.");
    return *hats_;
  }


  void
  TwinOperator::apply(const double     *moments,
                      double           *values,
                      const std::size_t n) const
  {
    const std::size_t   n_free = twin_.free.size();
    std::vector<double> columns(n_free * n);
    twin_.b.multiply(moments, columns.data(), n);
    solver_.solve(columns.data(), n);
    std::fill_n(values, n * n_nodes(), 0.);
    for (std::size_t j = 0; j < n; ++j)
      for (std::size_t s = 0; s < n_free; ++s)
        values[j * n_nodes() + twin_.free[s]] = columns[j * n_free + s];
  }


  std::vector<double>
  TwinOperator::moments_of(const Function    &forcing,
                           const unsigned int n_points) const
  {
    std::vector<double> moments(hats().mesh().n_nodes(), 0.);
    hats_->integrate(n_points,
                     [&](const double                *point,
                         const double                 weight,
                         const HatFunctions::Weights &values) {
                       const double f = forcing(point) * weight;
                       for (const auto &[k, value] : values)
                         moments[k] += f * value;
                     });
    for (std::size_t k = 0; k < moments.size(); ++k)
      {
        moments[k] /= integrals_[k];
        if (!std::isfinite(moments[k]))
          throw Error("The forcing is not finite everywhere in the domain.");
      }
    return moments;
  }


  double
  TwinOperator::unseen_share(const Function    &forcing,
                             const unsigned int n_points) const
  {
    hats();
    const HatFunctions  narrow(refine(twin_.mesh).mesh);
    std::vector<double> moments(narrow.mesh().n_nodes(), 0.);
    double              square = 0;
    narrow.integrate(n_points,
                     [&](const double                *point,
                         const double                 weight,
                         const HatFunctions::Weights &values) {
                       const double f = forcing(point);
                       square += f * f * weight;
                       for (const auto &[k, value] : values)
                         moments[k] += f * weight * value;
                     });
    if (!(square > 0))
      return 0;
    const double seen = seen_square_norm(narrow.mass_matrix(), moments);
    return std::sqrt(std::max(0., 1 - seen / square));
  }


  std::vector<double>
  TwinOperator::moments_of_values(const double     *values,
                                  const std::size_t n) const
  {
    std::vector<double> moments(hats().mesh().n_nodes() * n);
    divided_mass_.multiply(values, moments.data(), n);
    return moments;
  }
} // namespace Evergreen
