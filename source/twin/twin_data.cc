#include <evergreen/twin/twin_data.h>

#include <cmath>
#include <numeric>

namespace Evergreen
{
  TwinMesh
  TwinMesh::coarse(const MeshData &mesh)
  {
    RefinedMesh        refined = refine(mesh);
    const HatFunctions narrow(refined.mesh);
    TwinMesh           result;
    result.mesh  = mesh;
    result.graph = neighbours(mesh);
    result.families.push_back({MomentWidth::full,
                               result.graph,
                               mesh.points,
                               std::vector<double>(mesh.n_nodes()),
                               {}});
    result.families.push_back({MomentWidth::half,
                               neighbours(refined.mesh),
                               refined.mesh.points,
                               {},
                               {}});
    result.families.front().from_finest = std::move(refined.old_hats);
    result.set_integrals(narrow.integrals());
    return result;
  }


  // A wide hat is a sum of narrow ones, with its own values at their nodes.
  void
  TwinMesh::set_integrals(const std::vector<double> &finest)
  {
    const auto positive = [](const double integral) {
      return integral > 0 ? integral : 1.; // a hat outside of the domain
    };
    MomentFamily &last  = families.back();
    MomentFamily &first = families.front();
    CsrMatrix    &hats  = first.from_finest;
    for (std::size_t k = 0; k < hats.n_rows(); ++k)
      {
        double sum = 0;
        for (std::size_t e = hats.starts[k]; e < hats.starts[k + 1]; ++e)
          {
            const std::size_t l = hats.columns[e];
            // Undo the former integrals, if there were any.
            if (!last.integrals.empty())
              hats.values[e] *= first.integrals[k] / last.integrals[l];
            hats.values[e] *= positive(finest[l]);
            sum += hats.values[e];
          }
        for (std::size_t e = hats.starts[k]; e < hats.starts[k + 1]; ++e)
          hats.values[e] /= sum;
        first.integrals[k] = sum;
      }
    last.integrals.clear();
    for (const double integral : finest)
      last.integrals.push_back(positive(integral));
  }


  // Conjugate gradients with the diagonal: mass matrices are well-conditioned.
  double
  seen_square_norm(const CsrMatrix &mass, const std::vector<double> &moments)
  {
    const std::size_t   n = moments.size();
    std::vector<double> diagonal(n, 1.);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t k = mass.starts[i]; k < mass.starts[i + 1]; ++k)
        if (mass.columns[k] == i)
          diagonal[i] = mass.values[k];
    const auto dot = [](const std::vector<double> &x,
                        const std::vector<double> &y) {
      return std::inner_product(x.begin(), x.end(), y.begin(), 0.);
    };
    std::vector<double> residual    = moments, z(n), p(n, 0.), q(n);
    double              square_norm = 0, rho = 0, first = 0;
    for (unsigned int iteration = 0; iteration < 200; ++iteration)
      {
        for (std::size_t i = 0; i < n; ++i)
          z[i] = residual[i] / diagonal[i];
        const double rho_before = rho;
        rho                     = dot(residual, z);
        first                   = iteration == 0 ? rho : first;
        if (rho <= 1e-26 * first)
          break;
        for (std::size_t i = 0; i < n; ++i)
          p[i] = z[i] + (iteration == 0 ? 0. : rho / rho_before) * p[i];
        mass.multiply(p.data(), q.data(), 1);
        const double step = rho / dot(p, q);
        for (std::size_t i = 0; i < n; ++i)
          residual[i] -= step * q[i];
        // The square of the solution's energy norm, term by term.
        square_norm += step * rho;
      }
    return square_norm;
  }
} // namespace Evergreen
