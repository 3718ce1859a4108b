#include <evergreen/base/error.h>
#include <evergreen/base/random.h>
#include <evergreen/fem/elliptic.h>
#include <evergreen/fem/integral_operator.h>
#include <evergreen/fem/problems.h>

#include <cmath>

namespace Evergreen
{
  using namespace dealii;

  template <int dim>
  void
  Poisson<dim>::assemble_cell(const FEValues<dim> &values,
                              FullMatrix<double>  &cell_matrix) const
  {
    for (const auto q : values.quadrature_point_indices())
      for (const auto i : values.dof_indices())
        for (const auto j : values.dof_indices())
          cell_matrix(i, j) +=
            values.shape_grad(i, q) * values.shape_grad(j, q) * values.JxW(q);
  }


  template <int dim>
  typename GalerkinProblem<dim>::Kernel
  Poisson<dim>::exact_boundary_kernel() const
  {
    return make_poisson_kernel(this->space());
  }


  namespace
  {
    // Nodes that are so near a sphere, relative to its radius, are on it.
    constexpr double on_sphere = 1e-6;


    /** Centre and radius with |p|^2 = 2 c.p + (R^2 - |c|^2) at most points. */
    template <int dim>
    std::pair<Point<dim>, double>
    fit_sphere(const std::vector<Point<dim>> &points)
    {
      FullMatrix<double> normal(dim + 1, dim + 1);
      Vector<double>     rhs(dim + 1), solution(dim + 1);
      for (const auto &p : points)
        {
          double row[dim + 1];
          for (unsigned int d = 0; d < dim; ++d)
            row[d] = 2 * p[d];
          row[dim] = 1;
          for (unsigned int i = 0; i <= dim; ++i)
            {
              rhs(i) += row[i] * p.square();
              for (unsigned int j = 0; j <= dim; ++j)
                normal(i, j) += row[i] * row[j];
            }
        }
      normal.gauss_jordan();
      normal.vmult(solution, rhs);
      Point<dim> centre;
      for (unsigned int d = 0; d < dim; ++d)
        centre[d] = solution(d);
      return {centre, std::sqrt(solution(dim) + centre.square())};
    }
  } // namespace


  template <int dim>
  typename LinearProblem<dim>::Kernel
  make_poisson_kernel(const Space<dim> &space)
  {
    bool has_other_faces = false;
    visit_boundary<dim>(space, Input::boundary_fluxes, [&](const auto &) {
      has_other_faces = true;
    });
    std::vector<Point<dim>> points;
    for (const auto node : space.mesh_data().boundary)
      points.push_back(space.point(node));
    if (Utilities::MPI::max(has_other_faces ? 1 : 0, space.communicator()) ||
        points.size() <= dim)
      return {};
    const auto [centre, radius] = fit_sphere(points);
    for (const auto &p : points)
      if (!(std::abs(p.distance(centre) - radius) <= on_sphere * radius))
        return {};
    constexpr double measure[] = {2., 2. * M_PI, 4. * M_PI};
    return [c = centre, r = radius, measure](const Point<dim> &x,
                                             const Point<dim> &y) {
      const auto       direction   = (y - c) / y.distance(c);
      const Point<dim> on_boundary = c + r * direction;
      return (r * r - (x - c).norm_square()) /
             (measure[dim - 1] * r * std::pow(x.distance(on_boundary), dim));
    };
  }


  template <int dim>
  Helmholtz<dim>::Helmholtz(const double               wave_number,
                            const LinearSolver::Method method)
    : GalerkinProblem<dim>(method), wave_number_(wave_number)
  {}


  template <int dim>
  void
  Helmholtz<dim>::assemble_cell(const FEValues<dim> &values,
                                FullMatrix<double>  &cell_matrix) const
  {
    for (const auto q : values.quadrature_point_indices())
      for (const auto i : values.dof_indices())
        for (const auto j : values.dof_indices())
          cell_matrix(i, j) +=
            (wave_number_ * wave_number_ * values.shape_value(i, q) *
               values.shape_value(j, q) -
             values.shape_grad(i, q) * values.shape_grad(j, q)) *
            values.JxW(q);
  }


  template <int dim>
  void
  Helmholtz<dim>::set_up(const Space<dim> &space)
  {
    GalerkinProblem<dim>::set_up(space);
    distance_ = estimate_distance();
    this->facts_.emplace_back("distance to the nearest eigenvalue",
                              text(distance_));
    if (distance_ < 1e-3 * wave_number_ * wave_number_)
      this->warnings_.push_back(
        text("K^2 = ",
             wave_number_ * wave_number_,
             " is close to an eigenvalue of the Laplacian on this mesh "
             "(estimated distance ",
             distance_,
             "): solutions are nearly resonant and lose accuracy; change "
             "'Wave number' in section 'Problem'."));
  }


  template <int dim>
  double
  Helmholtz<dim>::estimate_distance()
  {
    // The largest eigenvalue of A^{-1} M is the inverse of the distance. The
    // power method needs few steps exactly when one eigenvalue is close.
    using VectorType  = typename GalerkinProblem<dim>::VectorType;
    const auto &space = this->space();
    VectorType  v(space.locally_owned_dofs(), space.communicator());
    VectorType  w(v), mass_times_v(v);
    for (std::size_t i = 0; i < space.n_local_nodes(); ++i)
      if (!space.is_constrained(i))
        v.local_element(i) =
          Random::uniform(0, Random::Stream::test, 0, space.local_nodes()[i]) -
          0.5;

    double growth = 0;
    for (unsigned int step = 0; step < 30; ++step)
      {
        space.mass_matrix().vmult(mass_times_v, v);
        v /= std::sqrt(v * mass_times_v);
        this->solve(v, w);
        space.mass_matrix().vmult(mass_times_v, w);
        const double new_growth = std::sqrt(w * mass_times_v);
        const bool settled = std::abs(new_growth - growth) < 1e-3 * new_growth;
        growth             = new_growth;
        if (settled)
          break;
        v = w;
      }
    return 1. / growth;
  }


  template <int dim>
  std::unique_ptr<LinearProblem<dim>>
  make_problem(const ProblemParameters &parameters)
  {
    parameters.check();
    const auto method = LinearSolver::method_from_name(parameters.solver);
    if (parameters.name == "poisson")
      return std::make_unique<Poisson<dim>>(method);
    if (parameters.name == "helmholtz")
      return std::make_unique<Helmholtz<dim>>(parameters.wave_number, method);
    if (parameters.name == "elliptic")
      return std::make_unique<Elliptic<dim>>(parameters.elliptic, method);
    return std::make_unique<IntegralOperator<dim>>(
      make_integral_kernel(parameters.name, parameters.wave_number, dim));
  }


#define INSTANTIATE(dim)                                                       \
  template class Poisson<dim>;                                                 \
  template decltype(make_poisson_kernel<dim>) make_poisson_kernel<dim>;        \
  template class Helmholtz<dim>;                                               \
  template decltype(make_problem<dim>) make_problem<dim>;
  INSTANTIATE(1)
  INSTANTIATE(2)
  INSTANTIATE(3)
#undef INSTANTIATE
} // namespace Evergreen
