#include <evergreen/base/error.h>
#include <evergreen/fem/boundary_problem.h>

#include <deal.II/lac/linear_operator.h>
#include <deal.II/lac/solver_cg.h>
#include <deal.II/lac/solver_control.h>

#include <algorithm>

namespace Evergreen
{
  using namespace dealii;

  namespace
  {
    template <int dim>
    GalerkinProblem<dim> &
    as_galerkin(LinearProblem<dim> &problem, const Input input)
    {
      auto *const result = dynamic_cast<GalerkinProblem<dim> *>(&problem);
      if (result == nullptr || input == Input::forcing)
        throw UsageError("The problem '",
                         problem.name(),
                         "' has no ",
                         input == Input::forcing ? "boundary data"
                                                 : input_words(input),
                         ": differential equations have (Forcing/Input).");
      return *result;
    }


    /** Divides by positive weights; elsewhere the result is zero. */
    struct DiagonalInverse
    {
      const std::vector<double> &weights;

      template <typename Vector>
      void
      vmult(Vector &y, const Vector &x) const
      {
        for (std::size_t i = 0; i < weights.size(); ++i)
          y.local_element(i) =
            weights[i] > 0 ? x.local_element(i) / weights[i] : 0.;
      }
    };
  } // namespace


  template <int dim>
  BoundaryProblem<dim>::BoundaryProblem(LinearProblem<dim> &problem,
                                        const Input         input)
    : problem_(as_galerkin(problem, input)), input_(input)
  {}


  template <int dim>
  void
  BoundaryProblem<dim>::set_up(const Space<dim> &space)
  {
    problem_.set_up(space);
    this->space_    = &space;
    this->facts_    = problem_.facts();
    this->warnings_ = problem_.warnings();
    weights_        = boundary_weights(space, input_);
    assemble_boundary_mass(space, input_, mass_);
    exact_ = input_ == Input::boundary_values ? problem_.exact_boundary_kernel()
                                              : Kernel();
  }


  template <int dim>
  void
  BoundaryProblem<dim>::add_loads(const double        *data,
                                  double              *loads,
                                  std::vector<double> &lifts,
                                  const std::size_t    n_columns) const
  {
    const auto       &space = this->space();
    const std::size_t n     = space.n_local_nodes();
    lifts.assign(data, data + n * n_columns);
    restrict_to_boundary(space, weights_, lifts.data(), n_columns);
    const bool  fluxes = input_ == Input::boundary_fluxes;
    const auto &matrix = fluxes ? mass_ : problem_.full_matrix();
    VectorType  g = space.make_vector(), product = space.make_vector();
    for (std::size_t j = 0; j < n_columns; ++j)
      {
        std::copy_n(&lifts[j * n], n, g.begin());
        matrix.vmult(product, g);
        for (std::size_t i = 0; i < n; ++i)
          loads[j * n + i] += (fluxes ? 1 : -1) * product.local_element(i);
      }
    if (fluxes)
      std::fill(lifts.begin(), lifts.end(), 0.);
  }


  template <int dim>
  void
  BoundaryProblem<dim>::solve(const VectorType &data, VectorType &solution)
  {
    this->throw_if_failed(solve_block(data.begin(), solution.begin(), 1));
  }


  template <int dim>
  std::vector<SolveFailure>
  BoundaryProblem<dim>::solve_block(const double     *data,
                                    double           *solutions,
                                    const std::size_t n_samples)
  {
    std::vector<double> loads(n_samples * this->space().n_local_nodes(), 0.),
      lifts;
    add_loads(data, loads.data(), lifts, n_samples);
    const auto failures =
      problem_.solve_loads(loads.data(), solutions, n_samples);
    for (std::size_t i = 0; i < lifts.size(); ++i)
      solutions[i] += lifts[i];
    return failures;
  }


  template <int dim>
  void
  BoundaryProblem<dim>::greens_function(const std::size_t node,
                                        VectorType       &slice)
  {
    VectorType green;
    problem_.greens_function(node, green);
    slice.reinit(green);
    if (input_ == Input::boundary_fluxes)
      {
        // The trace of Green's function.
        slice = green;
        restrict_to_boundary(this->space(), weights_, slice.begin(), 1);
        return;
      }
    // Its flux: the functional of g is -A^T G, tested at the boundary.
    VectorType functional(green);
    problem_.full_matrix().Tvmult(functional, green);
    functional *= -1;
    this->space().hanging_nodes().condense(functional.begin(), 1);
    for (std::size_t i = 0; i < weights_.size(); ++i)
      if (!(weights_[i] > 0))
        functional.local_element(i) = 0;
    solve_mass(slice, functional);
  }


  template <int dim>
  void
  BoundaryProblem<dim>::solve_mass(VectorType &x, const VectorType &b) const
  {
    const auto                &hanging = this->space().hanging_nodes();
    VectorType                 function(b);
    LinearOperator<VectorType> mass;
    mass.vmult = [&](VectorType &y, const VectorType &p) {
      function = p;
      hanging.distribute(function.begin(), 1);
      mass_.vmult(y, function);
      hanging.condense(y.begin(), 1);
    };
    x = 0.;
    SolverControl control(1000, 1e-13 * b.l2_norm() + 1e-300, false, false);
    SolverCG<VectorType>(control).solve(mass, x, b, DiagonalInverse{weights_});
    hanging.distribute(x.begin(), 1);
  }


  template class BoundaryProblem<1>;
  template class BoundaryProblem<2>;
  template class BoundaryProblem<3>;
} // namespace Evergreen
