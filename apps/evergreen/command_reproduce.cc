// evergreen reproduce: the tables of the paper beside ours. What is in them is
// in reproduce/paper_tables.cc and further_tables.cc; this file goes through
// them one by one.

#include "commands.h"
#include "console.h"
#include "reproduce/documents.h"
#include "reproduce/laboratory.h"
#include "reproduce/machine.h"

#include <evergreen/base/collective.h>
#include <evergreen/base/error.h>
#include <evergreen/report/figure.h>

#include <deal.II/base/mpi.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iostream>
#include <set>

namespace Evergreen
{
  using namespace Reproduce;

  namespace
  {
    void
    print_list()
    {
      for (const Table &table : all_tables())
        {
          std::size_t n = 0;
          for (const Line &line : table.lines)
            n += line.experiments.size();
          std::cout << table.name << std::string(12 - table.name.size(), ' ')
                    << table.title << " (" << table.source << "; " << n
                    << " experiments)\n";
        }
      std::cout << std::flush;
    }


    std::vector<Table>
    choose_tables(const std::vector<std::string> &names, const bool quick)
    {
      auto tables = tables_named(names);
      if (quick)
        for (Table &table : tables)
          for (Line &line : table.lines)
            for (auto &[column, experiment] : line.experiments)
              experiment = reduced(experiment);
      return tables;
    }


    /** What this call has taken so far. */
    class Clock
    {
    public:
      double
      seconds() const
      {
        return MPI_Wtime() - start;
      }

      double
      stolen() const
      {
        return stolen_time() - stolen_at_start;
      }

    private:
      double start           = MPI_Wtime();
      double stolen_at_start = stolen_time();
    };


    /** Fills in what is known of all tables, and sums up. */
    std::vector<TableResult>
    collect(Laboratory &laboratory, const bool quick, RunFacts &facts)
    {
      std::vector<TableResult> results;
      std::set<std::string>    commits, counted;
      for (const Table &table : choose_tables({}, quick))
        {
          TableResult result{table, {}};
          for (const Line &line : table.lines)
            {
              result.lines.push_back({line, {}});
              for (const auto &[column, experiment] : line.experiments)
                if (const auto found = laboratory.find(experiment))
                  {
                    result.lines.back().measured[column] = *found;
                    if (!counted.insert(laboratory.key(experiment)).second)
                      continue;
                    commits.insert(found->commit);
                    facts.seconds_data += found->seconds_data;
                    facts.seconds_learning += found->seconds_learning;
                    facts.seconds_evaluation += found->seconds_evaluation;
                    if (std::isfinite(found->seconds_processor))
                      facts.seconds_processor += found->seconds_processor;
                    if (std::isfinite(found->peak_memory))
                      facts.peak_memory =
                        std::max(facts.peak_memory, found->peak_memory);
                  }
            }
          if (result.progress().second > 0)
            results.push_back(result);
        }
      facts.n_rows = counted.size();
      for (const std::string &commit : commits)
        facts.commits += (facts.commits.empty() ? "" : ", ") + commit;
      return results;
    }


    /**
     * Draws the figures of a directory that are not drawn; why it could not be
     * done, if so.
     */
    std::string
    draw(const std::filesystem::path &directory)
    {
      for (const std::string &name : figure_names(directory.string()))
        if (!std::filesystem::exists(directory / (name + ".svg")))
          return render_figures(directory.string());
      return "";
    }


    /** Draws the curves of all tables and the samples; true if it could. */
    bool
    draw_all(const std::filesystem::path &directory)
    {
      std::string problem = draw(directory / "pictures");
      if (std::filesystem::exists(directory / "samples"))
        for (const auto &sample :
             std::filesystem::directory_iterator(directory / "samples"))
          if (problem.empty())
            problem = draw(sample.path() / "pictures");
      if (!problem.empty())
        std::cerr << "Notice: the pictures are described, but not drawn: "
                  << problem << std::endl;
      return problem.empty();
    }


    /** Writes what is known so far into all files. */
    void
    write_results(Laboratory           &laboratory,
                  const CommandOptions &options,
                  const bool            with_pictures,
                  const Clock          &clock,
                  const MPI_Comm        communicator)
    {
      RunFacts facts;
      facts.quick          = options.quick;
      facts.command        = options.command_line;
      facts.date           = date_text();
      facts.machine        = machine_facts();
      facts.peak_data_size = static_cast<double>(laboratory.peak_data_size()) /
                             (std::size_t(1) << 30);
      facts.n_computed   = laboratory.n_computed();
      const auto results = collect(laboratory, options.quick, facts);
      collectively(communicator, [&]() {
        if (dealii::Utilities::MPI::this_mpi_process(communicator) != 0)
          return;
        const std::string &directory = options.output;
        write_figures(results, directory + "/pictures");
        const bool are_drawn = with_pictures && draw_all(directory);
        facts.seconds_call   = clock.seconds();
        facts.seconds_stolen = clock.stolen();
        write_file(directory + "/results.json", to_json(results, facts));
        write_file(directory + "/results.csv", to_csv(results));
        if (!options.document.empty())
          write_file(options.document, to_markdown(results, facts));
        if (are_drawn)
          facts.pictures = figure_names(directory + "/pictures");
        write_file(directory + "/results.md", to_markdown(results, facts));
      });
    }


    std::string
    summary(const Measurement &measured)
    {
      std::string result;
      if (measured.singular_values.empty())
        result = "eps_u " + error_text(measured.eps_u) + ", ";
      if (measured.neurons > 0)
        result += "eps_G " + error_text(measured.eps_G) + ", " +
                  std::to_string(measured.neurons) + " neurons, ";
      return result + duration_text(measured.seconds());
    }


    /** Does the experiments of a table that are not done. */
    void
    do_table(Laboratory    &laboratory,
             const Table   &table,
             const MPI_Comm communicator)
    {
      const bool speaks =
        dealii::Utilities::MPI::this_mpi_process(communicator) == 0;
      if (speaks)
        std::cout << table.name << ": " << table.title << std::endl;
      for (const Line &line : table.lines)
        for (const auto &[column, experiment] : line.experiments)
          {
            const bool is_known     = laboratory.find(experiment).has_value();
            const std::string title = line.label + ", " + column_name(column);
            const Measurement measured = laboratory.measure(experiment, title);
            if (speaks)
              std::cout << "  " << title << ": " << summary(measured)
                        << (is_known ? " (computed before)" : "") << std::endl;
          }
    }
  } // namespace


  int
  command_reproduce(const CommandOptions &given, const MPI_Comm communicator)
  {
    CommandOptions options = given;
    if (options.output.empty())
      options.output = "results";
    const bool speaks =
      dealii::Utilities::MPI::this_mpi_process(communicator) == 0;
    if (options.list)
      {
        if (speaks)
          print_list();
        return 0;
      }
    std::vector<Table> tables;
    collectively(communicator, [&]() {
      tables = choose_tables(options.tables, options.quick);
    });

    Laboratory laboratory(options.output, options.keep_data, communicator);
    std::vector<Experiment> experiments;
    for (const Table &table : tables)
      for (const Line &line : table.lines)
        for (const auto &[column, experiment] : line.experiments)
          experiments.push_back(experiment);
    const Clock       clock;
    const std::size_t n_to_do = laboratory.plan(experiments);
    if (speaks)
      std::cout << n_to_do << " experiments to do; finished ones are kept in '"
                << options.output << "/rows'." << std::endl;

    for (const Table &table : tables)
      {
        do_table(laboratory, table, communicator);
        write_results(laboratory, options, false, clock, communicator);
      }
    write_results(laboratory, options, true, clock, communicator);
    if (speaks)
      std::cout << "Results: " << options.output << "/results.md, .json, .csv ("
                << duration_text(clock.seconds()) << ")" << std::endl;
    return 0;
  }
} // namespace Evergreen
