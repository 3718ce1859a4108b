// A rough medium that a coarse mesh does not resolve, its solver, and its twin:
// what tests of twins share.

#ifndef evergreen_tests_twin_rough_medium_h
#define evergreen_tests_twin_rough_medium_h

#include "fem/user_spaces.h"

#include <evergreen/base/random.h>
#include <evergreen/data/generator.h>
#include <evergreen/fem/galerkin_problem.h>
#include <evergreen/twin/twin.h>

#include <deal.II/grid/grid_generator.h>

#include <cmath>
#include <memory>
#include <string>
#include <vector>

namespace Evergreen
{
  namespace Testing
  {
    /** -div(a grad u) = f with a in random cells of the unit square or cube. */
    template <int dim>
    class RoughMedium : public GalerkinProblem<dim>
    {
    public:
      /** Log-uniform values with this contrast in so many cells a side. */
      RoughMedium(const unsigned int n_cells,
                  const double       contrast,
                  const unsigned int seed)
        : n_cells(n_cells), contrast(contrast), seed(seed)
      {}

      std::string
      name() const override
      {
        return "rough";
      }

    protected:
      void
      assemble_cell(const dealii::FEValues<dim> &values,
                    dealii::FullMatrix<double>  &matrix) const override
      {
        for (const auto q : values.quadrature_point_indices())
          {
            std::uint64_t cell = 0;
            for (unsigned int d = 0; d < dim; ++d)
              cell =
                cell * n_cells + static_cast<std::uint64_t>(
                                   values.quadrature_point(q)[d] * n_cells);
            const double a =
              std::pow(contrast,
                       Random::uniform(seed, Random::Stream::test, 0, cell) -
                         0.5);
            for (const auto i : values.dof_indices())
              for (const auto j : values.dof_indices())
                matrix(i, j) += a * values.shape_grad(i, q) *
                                values.shape_grad(j, q) * values.JxW(q);
          }
      }

      bool
      is_definite() const override
      {
        return true;
      }

    private:
      unsigned int n_cells;
      double       contrast;
      unsigned int seed;
    };


    /** The unit square or cube in n cells a side, u = 0 around it. */
    template <int dim>
    std::unique_ptr<UserSpace<dim>>
    unit_cube(const unsigned int n, const MPI_Comm communicator = MPI_COMM_SELF)
    {
      auto user = std::make_unique<UserSpace<dim>>(1, 1, communicator);
      dealii::GridGenerator::subdivided_hyper_cube(user->triangulation, n);
      user->distribute({0});
      return user;
    }


    /** Its mesh as plain arrays. */
    template <int dim>
    MeshData
    coarse_cube(const unsigned int n)
    {
      return unit_cube<dim>(n)->space().mesh_data();
    }


    /** Gaussian processes of these lengths in turn. */
    inline ForcingParameters
    processes(const std::vector<double> &lengths, const unsigned int seed)
    {
      ForcingParameters forcing;
      forcing.model = "gaussian-process";
      forcing.seed  = seed;
      forcing.use_mixture(lengths);
      return forcing;
    }


    /** The forcings of the training of a twin with cells of this size. */
    inline ForcingParameters
    training(const double cell, const unsigned int seed)
    {
      return processes({4 * cell, 2 * cell, 1.2 * cell}, seed);
    }


    /** The mean relative error of a twin's answers at its nodes. */
    template <int dim>
    double
    error_of(const TwinSolver<dim> &solver,
             const Space<dim>      &space,
             const Samples         &samples)
    {
      const auto       &op = solver.coarse_operator();
      const std::size_t m = op.n_nodes(), n = samples.n_samples;
      const auto        exact = NodeValues<dim>(space, op.twin().mesh.points)
                           .apply(samples.solutions.data(), n);
      std::vector<double> answers(m * n);
      solver.apply(samples.forcings.data(), answers.data(), n);
      double sum = 0;
      for (std::size_t j = 0; j < n; ++j)
        {
          double square = 0, all = 0;
          for (std::size_t i = j * m; i < (j + 1) * m; ++i)
            {
              square += std::pow(answers[i] - exact[i], 2);
              all += std::pow(exact[i], 2);
            }
          sum += std::sqrt(square / all) / n;
        }
      return sum;
    }
  } // namespace Testing
} // namespace Evergreen

#endif
