// Tables with their results, as Markdown, JSON and CSV.

#ifndef evergreen_app_reproduce_documents_h
#define evergreen_app_reproduce_documents_h

#include "experiments.h"
#include "measurement.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace Evergreen
{
  namespace Reproduce
  {
    /** A line of a table and what was measured for it so far. */
    struct LineResult
    {
      Line                          line;
      std::map<Column, Measurement> measured;

      /** The measurement of a column, or nullptr. */
      const Measurement *
      find(const Column column) const;
    };


    /** A table and what was measured for it so far. */
    struct TableResult
    {
      Table                   table;
      std::vector<LineResult> lines;

      /** How many experiments the table has, and how many are done. */
      std::pair<std::size_t, std::size_t>
      progress() const;
    };


    /** How the results came about. */
    struct RunFacts
    {
      bool                                             quick = false;
      std::string                                      command;
      std::string                                      date;
      std::vector<std::pair<std::string, std::string>> machine;

      /** Seconds of all experiments shown, each counted once. */
      double seconds_data       = 0;
      double seconds_learning   = 0;
      double seconds_evaluation = 0;
      double seconds_processor  = 0;

      /** How many rows this call computed, and the seconds it took so far. */
      std::size_t n_computed   = 0;
      double      seconds_call = 0;

      /** Processor time that a host gave to others meanwhile. */
      double seconds_stolen = 0;

      std::size_t n_rows         = 0;
      double      peak_memory    = 0; // GiB
      double      peak_data_size = 0; // GiB
      std::string commits        = "";

      /** The pictures that were drawn, by the names of the tables. */
      std::vector<std::string> pictures = {};
    };


    /** 1.23e-04, or a dash for what is not known. */
    std::string
    error_text(const double value);

    /** What must be said about a line: where it is above the paper and why. */
    std::string
    remark_of(const LineResult &result);

    /**
     * The range of n in which slopes are fitted: before it the atoms are too
     * few, behind it the rank of the data ends the curves.
     */
    constexpr double slope_from = 16;
    constexpr double slope_to   = 256;

    /** The fitted slopes of eps_u and eps_G of a curve. */
    std::pair<double, double>
    fitted_slopes(const Measurement &measurement);

    /** All tables as Markdown. */
    std::string
    to_markdown(const std::vector<TableResult> &results, const RunFacts &facts);

    /** The same as JSON, with all curves. */
    std::string
    to_json(const std::vector<TableResult> &results, const RunFacts &facts);

    /** The same as CSV: a line for each setting and test set. */
    std::string
    to_csv(const std::vector<TableResult> &results);

    /** The curves of each table as figures in a directory. */
    void
    write_figures(const std::vector<TableResult> &results,
                  const std::string              &directory);
  } // namespace Reproduce
} // namespace Evergreen

#endif
