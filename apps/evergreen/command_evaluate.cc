#include "commands.h"
#include "console.h"
#include "dataset_space.h"

#include <evergreen/base/error.h>
#include <evergreen/kernel/errors.h>

#include <cmath>
#include <iomanip>
#include <iostream>
#include <limits>

namespace Evergreen
{
  using namespace dealii;

  namespace
  {
    constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

    /** What `evaluate` finds out. */
    struct Evaluation
    {
      double      eps_u               = unknown;
      double      eps_G               = unknown;
      double      least_squares_eps_u = unknown;
      std::size_t neurons             = 0;
      std::size_t samples             = 0;
      double      seconds             = 0;
    };


    template <int dim>
    Evaluation
    evaluate(const LearnedKernel &kernel,
             const DatasetReader &reader,
             const MPI_Comm       communicator)
    {
      const double            start = MPI_Wtime();
      const DatasetSpace<dim> setting(reader, communicator);
      const auto              tests = read_test_set(
        setting.space, reader, Split::test, kernel.response, kernel.quadrature);

      Evaluation result;
      result.neurons = kernel.n_neurons();
      result.samples = tests.n_samples();
      result.least_squares_eps_u =
        tests.mean_relative_error(least_squares_predictions(
          reader, reader, kernel.response, communicator));
      const auto problem = setting.make_problem_of(reader, false);
      const auto errors =
        kernel_errors<dim>(kernel, setting.space, &tests, problem.get());
      result.eps_u = errors.eps_u.back();
      if (problem)
        result.eps_G = errors.eps_G.back();
      result.seconds = MPI_Wtime() - start;
      return result;
    }


    void
    print_json(const Evaluation &result)
    {
      std::cout << "{\"eps_u\": " << json_number(result.eps_u)
                << ", \"eps_G\": " << json_number(result.eps_G)
                << ", \"least_squares_eps_u\": "
                << json_number(result.least_squares_eps_u)
                << ", \"neurons\": " << result.neurons
                << ", \"samples\": " << result.samples
                << ", \"seconds\": " << json_number(result.seconds) << "}"
                << std::endl;
    }


    void
    print_table(const Evaluation &result)
    {
      const auto row = [](const std::string &name, const double value) {
        std::cout << "  " << std::left << std::setw(44) << name << std::right;
        if (std::isfinite(value))
          std::cout << std::scientific << std::setprecision(3) << value;
        else
          std::cout << "unknown";
        std::cout << "\n";
      };
      std::cout << "Errors on " << result.samples << " test samples, "
                << result.neurons << " neurons\n";
      row("solutions, eps_u", result.eps_u);
      row("solutions by least squares G = U F^+", result.least_squares_eps_u);
      row("kernel, eps_G", result.eps_G);
      std::cout << std::flush;
    }
  } // namespace


  void
  print_errors(const std::string &kernel_path,
               const std::string &data,
               const bool         as_json,
               const MPI_Comm     communicator)
  {
    const auto    reader = open_dataset(data, communicator);
    LearnedKernel kernel;
    collectively(communicator, [&]() {
      kernel = LearnedKernel::load(kernel_path);
      check_same_mesh(kernel, kernel_path, *reader);
      if (reader->valid_samples(Split::test).empty())
        throw Error("The dataset '",
                    data,
                    "' has no test samples to measure errors with.");
    });
    const Evaluation result =
      with_dimension(reader->dim(), [&](const auto dim) {
        return evaluate<dim.value>(kernel, *reader, communicator);
      });
    if (Utilities::MPI::this_mpi_process(communicator) == 0)
      (as_json ? print_json : print_table)(result);
  }


  int
  command_evaluate(const CommandOptions &options, const MPI_Comm communicator)
  {
    print_errors(options.kernel, options.data, options.json, communicator);
    return 0;
  }
} // namespace Evergreen
