// An operator that the library does not know, plugged in from outside:
// -div(a grad u) + b.grad u = f with variable coefficients.

#include "fem/convergence.h"
#include "testing.h"

#include <evergreen/base/random.h>
#include <evergreen/fem/galerkin_problem.h>
#include <evergreen/fem/mesh_space.h>

using namespace Evergreen;
using namespace Evergreen::Testing;
using dealii::Point;

namespace
{
  template <int dim>
  class AdvectionDiffusion : public GalerkinProblem<dim>
  {
  public:
    std::string
    name() const override
    {
      return "advection-diffusion";
    }

  protected:
    void
    assemble_cell(const dealii::FEValues<dim> &values,
                  dealii::FullMatrix<double>  &cell_matrix) const override
    {
      for (const auto q : values.quadrature_point_indices())
        {
          const auto   p = values.quadrature_point(q);
          const double a = 1. + p[0];
          for (const auto i : values.dof_indices())
            for (const auto j : values.dof_indices())
              cell_matrix(i, j) +=
                (a * values.shape_grad(i, q) * values.shape_grad(j, q) +
                 values.shape_value(i, q) * 5. * values.shape_grad(j, q)[0]) *
                values.JxW(q);
        }
    }
  };
} // namespace


// u = sin(pi x) on the interval: -((1+x) u')' + 5 u' = f.
TEST(UserProblem, Converges)
{
  AdvectionDiffusion<1> problem;
  const Field<1>        exact = [](const Point<1> &p) {
    return std::sin(M_PI * p[0]);
  };
  const Field<1> forcing = [](const Point<1> &p) {
    return (1 + p[0]) * M_PI * M_PI * std::sin(M_PI * p[0]) +
           4. * M_PI * std::cos(M_PI * p[0]);
  };
  DomainParameters domain;
  domain.name         = "interval";
  domain.subdivisions = 32;
  for (const unsigned int degree : {1, 2})
    EXPECT_NEAR(convergence_order(problem, domain, degree, forcing, exact),
                degree + 1,
                0.15);
}

// The operator is not symmetric, so rows and columns of the inverse differ:
// the slice at x_s must give u(x_s), for every solver that can transpose.
TEST(UserProblem, GreensFunctionReproducesSolutions)
{
  DomainParameters domain;
  domain.name         = "cube";
  domain.subdivisions = 5;
  const Mesh<3>         mesh(domain, MPI_COMM_SELF);
  const MeshSpace<3>    space(mesh, 1);
  AdvectionDiffusion<3> problem;
  problem.set_up(space);

  LinearProblem<3>::VectorType f(space.locally_owned_dofs(), MPI_COMM_SELF);
  Random::normals(3, Random::Stream::test, 0, 0, space.n_nodes(), f.begin());
  auto u = f, mass_times_f = f;
  problem.solve(f, u);
  space.mass_matrix().vmult(mass_times_f, f);
  LinearProblem<3>::VectorType slice, other;
  problem.greens_function(100, slice);
  problem.greens_function(129, other);
  EXPECT_NEAR(slice * mass_times_f, u(space.dof_of_node(100)), 1e-12);
  EXPECT_GT(std::abs(slice(space.dof_of_node(129)) -
                     other(space.dof_of_node(100))),
            1e-4 * other.linfty_norm());
}
