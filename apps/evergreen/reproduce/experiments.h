// The paper's numerical section as data: which tables it has, which experiments
// make our side of them, and what it prints. `paper_tables.cc` and
// `further_tables.cc` are the places to look at and to change.

#ifndef evergreen_app_reproduce_experiments_h
#define evergreen_app_reproduce_experiments_h

#include <evergreen/configuration.h>

#include <limits>
#include <map>
#include <string>
#include <vector>

namespace Evergreen
{
  namespace Reproduce
  {
    /** What an experiment does with its dataset. */
    enum class Kind
    {
      learn,
      least_squares,
      singular_values
    };


    /** One thing to compute: a configuration and what is changed in it. */
    struct Experiment
    {
      Kind kind = Kind::learn;

      /** The name of a file in apps/configs, without its extension. */
      std::string configuration;

      /** Overrides "Section/Key=value" that change the dataset. */
      std::vector<std::string> data;

      /** Overrides that change how it is learned from. */
      std::vector<std::string> learning;

      /**
       * Further test sets: each is the dataset with one more override, for
       * example of another wavelength.
       */
      std::vector<std::string> tests;

      /** Whether errors while the kernel grows are wanted, for curves. */
      bool with_history = true;

      /**
       * If it is not empty, pictures of the kernel and of a test sample are
       * drawn into a directory of this name. Not part of the result.
       */
      std::string pictures = "";
    };


    /** The columns of a table. */
    enum class Column
    {
      relu,
      best,
      least_squares,
      singular_values
    };

    /** ReLU, best, least squares, singular values: the names of the columns. */
    std::string
    column_name(const Column column);


    /** What the paper prints; NaN if it does not. */
    struct PaperFigures
    {
      double eps_u = std::numeric_limits<double>::quiet_NaN();
      double eps_G = std::numeric_limits<double>::quiet_NaN();

      /** The errors of other methods in the paper, as text. */
      std::string other_methods = "";
    };


    /** A line of a table: one problem, one dataset. */
    struct Line
    {
      std::string                  label;
      PaperFigures                 paper;
      std::map<Column, Experiment> experiments;

      /** Said if the column ReLU is above the paper's figure. */
      std::string reason = "";

      /** Lines of the same group are drawn in the same axes. */
      std::string group = "";
    };


    /** What the picture of a table shows. */
    enum class Curves
    {
      none,
      by_neurons, // errors while the kernel grew
      by_samples // errors of lines with different numbers of samples
    };


    /** How a table is laid out. */
    enum class Layout
    {
      errors, // paper, ReLU, best and least squares side by side
      other_tests // every setting on its own line, with all its test sets
    };


    /** A table or figure of the paper, or one that we add. */
    struct Table
    {
      /** What the command line calls it. */
      std::string name;
      std::string title;

      /** Where it stands in the paper, or that it does not. */
      std::string source;

      Layout layout = Layout::errors;

      /** Further words below the title. */
      std::string remark = "";

      std::vector<Line> lines;

      Curves curves = Curves::by_neurons;
    };


    /** The tables and training curves of the paper, in its order. */
    std::vector<Table>
    paper_tables();

    /** Ours, on questions that the paper does not ask. */
    std::vector<Table>
    further_tables();

    /** All tables, in the order of the paper. */
    std::vector<Table>
    all_tables();

    /**
     * Those of all_tables() with the given names, in the order of the paper;
     * all of them if there are no names. An unknown name is a UsageError.
     */
    std::vector<Table>
    tables_named(const std::vector<std::string> &names);

    /**
     * The same experiment in small, for tests: fewer samples, neurons and, on
     * interval and cube, nodes.
     */
    Experiment
    reduced(const Experiment &experiment);


    /**
     * Reads a ready-made configuration, with some overrides; only once, because
     * the documents ask for the same ones again and again. Not for several
     * threads.
     */
    const Configuration &
    read_configuration(const std::string              &name,
                       const std::vector<std::string> &overrides);

    /** One list of overrides after the other. */
    std::vector<std::string>
    joined(std::vector<std::string>        first,
           const std::vector<std::string> &second);
  } // namespace Reproduce
} // namespace Evergreen

#endif
