#include "commands.h"
#include "console.h"
#include "steps.h"

#include <evergreen/base/collective.h>
#include <evergreen/base/error.h>
#include <evergreen/kernel/errors.h>

#include <cmath>
#include <iomanip>
#include <iostream>

namespace Evergreen
{
  using namespace dealii;

  namespace
  {
    void
    print_json(const Evaluation &result)
    {
      std::cout << "{\"eps_u\": " << json_number(result.eps_u)
                << (result.input == Input::forcing ? ", \"eps_G\": "
                                                   : ", \"eps_P\": ")
                << json_number(result.eps_G) << ", \"least_squares_eps_u\": "
                << json_number(result.least_squares_eps_u)
                << ", \"neurons\": " << result.neurons
                << ", \"samples\": " << result.samples
                << ", \"seconds\": " << json_number(result.seconds) << "}"
                << std::endl;
    }
  } // namespace


  void
  print_errors(const Evaluation &result)
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
    row(result.input == Input::forcing ? "kernel, eps_G"
                                       : "boundary kernel, eps_P",
        result.eps_G);
    std::cout << std::flush;
  }


  int
  command_evaluate(const CommandOptions &options, const MPI_Comm communicator)
  {
    if (!options.twin.empty())
      return evaluate_twin(options, communicator);
    const auto    reader = open_dataset(options.data, communicator);
    LearnedKernel kernel;
    collectively(communicator, [&]() {
      kernel = LearnedKernel::load(options.kernel);
      check_same_mesh(kernel, options.kernel, *reader);
      check_same_input(kernel, options.kernel, *reader);
      if (reader->valid_samples(Split::test).empty())
        throw Error("The dataset '",
                    options.data,
                    "' has no test samples to measure errors with.");
    });
    with_dimension(reader->dim(), [&](const auto d) {
      constexpr int           dim   = d.value;
      const double            start = MPI_Wtime();
      const DatasetSpace<dim> setting(*reader, communicator);
      const auto              tests  = test_set_of(setting, *reader, kernel);
      Evaluation              result = evaluate(
        tests,
        *reader,
        kernel,
        kernel_errors<dim>(kernel, setting.space(), &tests, setting.problem()));
      result.seconds = MPI_Wtime() - start;
      if (Utilities::MPI::this_mpi_process(communicator) == 0)
        (options.json ? print_json : print_errors)(result);
    });
    return 0;
  }
} // namespace Evergreen
