#include <evergreen/base/collective.h>
#include <evergreen/base/error.h>
#include <evergreen/base/random.h>
#include <evergreen/surrogate/greens_preconditioner.h>

#include <deal.II/lac/linear_operator.h>
#include <deal.II/lac/solver_cg.h>
#include <deal.II/lac/solver_control.h>
#include <deal.II/lac/trilinos_vector.h>

#include <algorithm>
#include <cmath>

namespace Evergreen
{
  using namespace dealii;

  template <int dim>
  GreensPreconditioner<dim>::GreensPreconditioner(
    const SurrogateSolver<dim> &solver,
    const MatrixType           &matrix,
    const Options              &options)
    : solver_(solver)
    , matrix_(matrix)
    , mass_(solver.space().mass_matrix())
    , options_(options)
  {
    collectively(solver.get_mpi_communicator(), [&]() {
      if (solver.input() != Input::forcing)
        throw Error("A kernel for ",
                    input_words(solver.input()),
                    " is no preconditioner: it takes one for forcings.");
      if (matrix.m() != solver.m() || matrix.m() != solver.n() ||
          matrix.locally_owned_range_indices() !=
            solver.locally_owned_range_indices())
        throw Error("The matrix has ",
                    matrix.m(),
                    " rows, but the kernel's mesh has ",
                    solver.m(),
                    " nodes, or they are distributed otherwise.");
    });
    smoother_.initialize(matrix);
    mass_jacobi_.initialize(mass_);
  }


  template <int dim>
  GreensPreconditioner<dim>::GreensPreconditioner(
    const SurrogateSolver<dim> &solver,
    const GalerkinProblem<dim> &problem,
    const Options              &options)
    : GreensPreconditioner(solver, problem.matrix(), options)
  {
    if (problem.is_singular())
      throw Error(
        "The problem has Neumann conditions only: its kernel is not "
        "the inverse of a matrix, so it can neither precondition nor "
        "check answers (leave --tolerance out).");
  }


  template <int dim>
  void
  GreensPreconditioner<dim>::restrict_to_free(VectorType &v) const
  {
    for (std::size_t i = 0; i < solver_.n_local(); ++i)
      if (solver_.space().is_constrained(i))
        v.local_element(i) = 0;
  }


  template <int dim>
  void
  GreensPreconditioner<dim>::solve_mass(VectorType       &x,
                                        const VectorType &b) const
  {
    VectorType rhs(b);
    restrict_to_free(rhs);
    x                  = 0.;
    const double scale = rhs.l2_norm();
    if (scale == 0)
      return;
    // The mass matrix of the functions that satisfy the constraints.
    const auto                &space    = solver_.space();
    VectorType                 function = space.make_vector();
    LinearOperator<VectorType> mass;
    mass.vmult = [&](VectorType &y, const VectorType &u) {
      std::copy_n(u.begin(), space.n_local_nodes(), function.begin());
      space.distribute(function.begin(), 1);
      mass_.vmult(y, function);
      space.condense(y.begin(), 1);
    };
    // So accurate that it is a linear map for all who use it.
    SolverControl control(500, 1e-13 * scale, false, false);
    SolverCG<VectorType>(control).solve(mass, x, rhs, mass_jacobi_);
  }


  template <int dim>
  void
  GreensPreconditioner<dim>::apply_kernel(VectorType       &z,
                                          const VectorType &r) const
  {
    const auto &space = solver_.space();
    VectorType  density(r);
    solve_mass(density, r);
    space.distribute(density.begin(), 1);
    solver_.vmult(z, density);
    restrict_to_free(z);
    if (!options_.symmetric)
      return;
    VectorType restricted(r), other(r);
    restrict_to_free(restricted);
    solver_.Tvmult(density, restricted);
    space.condense(density.begin(), 1);
    solve_mass(other, density);
    z.sadd(0.5, 0.5, other);
  }


  template <int dim>
  void
  GreensPreconditioner<dim>::smooth(VectorType       &z,
                                    const VectorType &r,
                                    const bool        from_zero) const
  {
    VectorType residual(r), step(r);
    for (unsigned int i = 0; i < options_.smoothing_steps; ++i)
      {
        residual = r;
        if (i > 0 || !from_zero)
          {
            matrix_.vmult(step, z);
            residual -= step;
          }
        smoother_.vmult(step, residual);
        z += step;
      }
  }


  template <int dim>
  void
  GreensPreconditioner<dim>::vmult(VectorType &z, const VectorType &r) const
  {
    VectorType residual(r), correction(r);
    z = 0.;
    smooth(z, r, true);
    matrix_.vmult(residual, z);
    residual.sadd(-1., 1., r);
    apply_kernel(correction, residual);
    z += correction;
    smooth(z, r, false);
  }


  template <int dim>
  void
  GreensPreconditioner<dim>::vmult(TrilinosWrappers::MPI::Vector       &z,
                                   const TrilinosWrappers::MPI::Vector &r) const
  {
    VectorType x(solver_.locally_owned_range_indices(),
                 solver_.get_mpi_communicator());
    VectorType y(x);
    std::copy(r.begin(), r.end(), x.begin());
    vmult(y, x);
    std::copy(y.begin(), y.end(), z.begin());
  }


  template <int dim>
  double
  GreensPreconditioner<dim>::contraction(const unsigned int n_steps) const
  {
    VectorType  v(solver_.locally_owned_range_indices(),
                 solver_.get_mpi_communicator());
    VectorType  product(v), correction(v);
    const auto &nodes = solver_.space().local_nodes();
    for (std::size_t i = 0; i < nodes.size(); ++i)
      v.local_element(i) =
        Random::uniform(0, Random::Stream::test, 1, nodes[i]) - 0.5;
    restrict_to_free(v);

    double largest = 0;
    for (unsigned int step = 0; step < n_steps; ++step)
      {
        const double before = l2_norm(v);
        if (before == 0)
          break;
        v /= before;
        matrix_.vmult(product, v);
        vmult(correction, product);
        v -= correction;
        largest = std::max(largest, l2_norm(v));
      }
    return largest;
  }


  template <int dim>
  double
  GreensPreconditioner<dim>::l2_norm(const VectorType &v) const
  {
    VectorType product(v);
    mass_.vmult(product, v);
    return std::sqrt(std::max(0., v * product));
  }


  template class GreensPreconditioner<1>;
  template class GreensPreconditioner<2>;
  template class GreensPreconditioner<3>;
} // namespace Evergreen
