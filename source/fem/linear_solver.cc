#include "cholmod.h"

#include <evergreen/base/collective.h>
#include <evergreen/base/error.h>
#include <evergreen/fem/linear_solver.h>

#include <deal.II/lac/la_parallel_vector.h>
#include <deal.II/lac/solver_cg.h>
#include <deal.II/lac/solver_control.h>

#include <Amesos.h>
#include <Amesos_BaseSolver.h>
#include <Epetra_CrsMatrix.h>
#include <Epetra_LinearProblem.h>
#include <Epetra_Map.h>
#include <Epetra_MultiVector.h>
#include <Teuchos_ParameterList.hpp>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace Evergreen
{
  using namespace dealii;

  namespace
  {
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();

    /** In the order of the methods. */
    constexpr const char *method_names[] = {
      "auto", "cholmod", "klu", "mumps", "cg-amg"};

    /** The share of the machine's memory that a factor may take. */
    constexpr double share_of_memory = 0.5;


    double
    memory_of_machine()
    {
      return double(sysconf(_SC_PHYS_PAGES)) * double(sysconf(_SC_PAGESIZE));
    }


    /** Columns with values that are not finite on any rank. */
    std::vector<SolveFailure>
    find_failures(double           *solution,
                  const std::size_t n_local,
                  const std::size_t n_columns,
                  const MPI_Comm    communicator)
    {
      std::vector<int> bad(n_columns, 0);
      for (std::size_t j = 0; j < n_columns; ++j)
        for (std::size_t i = 0; i < n_local; ++i)
          if (!std::isfinite(solution[j * n_local + i]))
            bad[j] = 1;
      Utilities::MPI::max(bad, communicator, bad);

      std::vector<SolveFailure> failures;
      for (std::size_t j = 0; j < n_columns; ++j)
        if (bad[j] != 0)
          {
            std::fill_n(solution + j * n_local, n_local, nan);
            failures.push_back({j, "the solution is not finite"});
          }
      return failures;
    }
  } // namespace


  LinearSolver::Method
  LinearSolver::method_from_name(const std::string &name)
  {
    const auto place =
      std::find(std::begin(method_names), std::end(method_names), name);
    if (place == std::end(method_names))
      throw UsageError("There is no solver '",
                       name,
                       "': use auto, cholmod, klu, mumps or cg-amg.");
    return static_cast<Method>(place - method_names);
  }


  std::string
  LinearSolver::method_name(const Method method)
  {
    return method_names[static_cast<int>(method)];
  }


  LinearSolver::Method
  LinearSolver::choose(const std::size_t n_unknowns, const bool is_definite)
  {
    // Measured by benchmark_solvers: doc/performance.md. Small factors are too
    // sparse for products of matrices.
    if (is_definite)
      return n_unknowns < 4000 ? Method::klu : Method::cholmod;
    return n_unknowns < 5000 ? Method::klu : Method::mumps;
  }


  LinearSolver::LinearSolver()  = default;
  LinearSolver::~LinearSolver() = default;


  void
  LinearSolver::initialize(const TrilinosWrappers::SparseMatrix &matrix,
                           const Method                          method,
                           const bool                            is_definite)
  {
    matrix_ = &matrix;
    method_ =
      method == Method::automatic ? choose(matrix.m(), is_definite) : method;
    if ((method_ == Method::cholmod || method_ == Method::cg_amg) &&
        !is_definite)
      throw UsageError("The solver '",
                       method_name(method_),
                       "' needs a symmetric positive definite matrix, and this "
                       "problem's is not: set 'Solver' in section 'Problem' to "
                       "auto, klu or mumps.");

    cholmod_.reset();
    direct_.reset();
    amg_.reset();
    if (method_ == Method::cholmod)
      factor_definite(/*is_required=*/method == Method::cholmod);
    if (method_ == Method::cg_amg)
      {
        amg_ = std::make_unique<TrilinosWrappers::PreconditionAMG>();
        amg_->initialize(matrix);
      }
    else if (method_ != Method::cholmod)
      factor();
  }


  void
  LinearSolver::factor_definite(const bool is_required)
  {
    cholmod_ = std::make_unique<Cholmod>(matrix_->trilinos_matrix());
    if (cholmod_->factor_size() > share_of_memory * memory_of_machine())
      {
        if (is_required)
          throw UsageError("The factor of the matrix would take ",
                           cholmod_->factor_size() / 1e9,
                           " GB, more than half of the memory: set 'Solver' in "
                           "section 'Problem' to auto or cg-amg.");
        cholmod_.reset();
        method_ = Method::cg_amg;
        return;
      }
    cholmod_->factor();
  }


  void
  LinearSolver::factor()
  {
    problem_ = std::make_unique<Epetra_LinearProblem>();
    problem_->SetOperator(
      const_cast<Epetra_CrsMatrix *>(&matrix_->trilinos_matrix()));
    const std::string name =
      method_ == Method::klu ? "Amesos_Klu" : "Amesos_Mumps";
    direct_.reset(Amesos().Create(name, *problem_));
    if (direct_ == nullptr)
      throw Error("This Trilinos was built without ",
                  name,
                  ": choose another 'Solver' in section 'Problem'.");
    Teuchos::ParameterList list;
    list.set("PrintTiming", false);
    list.set("PrintStatus", false);
    direct_->SetParameters(list);

    const int status = std::max(std::abs(direct_->SymbolicFactorization()),
                                std::abs(direct_->NumericFactorization()));
    if (status != 0)
      throw Error("The matrix cannot be factored by ",
                  name,
                  " (status ",
                  status,
                  "): it is singular, or memory ran out.");
  }


  std::vector<SolveFailure>
  LinearSolver::solve(const double     *rhs,
                      double           *solution,
                      const std::size_t n_columns,
                      const bool        transposed) const
  {
    if (n_columns == 0)
      return {}; // Epetra has no blocks without columns
    if (method_ == Method::cg_amg)
      return solve_iteratively(rhs, solution, n_columns);
    if (method_ == Method::cholmod)
      cholmod_->solve(rhs,
                      solution,
                      std::max<std::size_t>(1, matrix_->local_size()),
                      n_columns);
    else
      solve_directly(rhs, solution, n_columns, transposed);
    return find_failures(solution,
                         matrix_->local_size(),
                         n_columns,
                         matrix_->get_mpi_communicator());
  }


  void
  LinearSolver::solve_directly(const double     *rhs,
                               double           *solution,
                               const std::size_t n_columns,
                               const bool        transposed) const
  {
    const Epetra_Map  &map     = matrix_->trilinos_matrix().RowMap();
    const int          n_local = map.NumMyElements();
    const int          stride  = std::max(1, n_local);
    Epetra_MultiVector right(View,
                             map,
                             const_cast<double *>(rhs),
                             stride,
                             static_cast<int>(n_columns));
    Epetra_MultiVector left(
      View, map, solution, stride, static_cast<int>(n_columns));

    std::fill_n(solution, n_local * n_columns, 0.);
    problem_->SetRHS(&right);
    problem_->SetLHS(&left);
    if (direct_->UseTranspose() != transposed)
      direct_->SetUseTranspose(transposed);
    if (direct_->Solve() != 0)
      std::fill_n(solution, n_local * n_columns, nan);
  }


  std::vector<SolveFailure>
  LinearSolver::solve_iteratively(const double     *rhs,
                                  double           *solution,
                                  const std::size_t n_columns) const
  {
    using VectorType     = LinearAlgebra::distributed::Vector<double>;
    const IndexSet owned = matrix_->locally_owned_range_indices();
    VectorType     b(owned, matrix_->get_mpi_communicator());
    VectorType     x(b);
    const auto     n_local = b.locally_owned_size();

    std::vector<SolveFailure> failures;
    for (std::size_t j = 0; j < n_columns; ++j)
      {
        std::copy_n(rhs + j * n_local, n_local, b.begin());
        x = 0;
        SolverControl control(1000, 1e-12 * b.l2_norm(), false, false);
        try
          {
            SolverCG<VectorType>(control).solve(*matrix_, x, b, *amg_);
            std::copy_n(x.begin(), n_local, solution + j * n_local);
          }
        catch (const SolverControl::NoConvergence &e)
          {
            std::fill_n(solution + j * n_local, n_local, nan);
            failures.push_back({j,
                                text("CG stopped after ",
                                     e.last_step,
                                     " iterations with residual ",
                                     e.last_residual)});
          }
      }
    return failures;
  }
} // namespace Evergreen
