// The parameters of programs that learn kernels, gathered from the rooms of the
// library.

#ifndef evergreen_configuration_h
#define evergreen_configuration_h

#include <evergreen/base/compat.h>

#include <evergreen/data/generator.h>
#include <evergreen/data/random_field.h>
#include <evergreen/fem/linear_problem.h>
#include <evergreen/fem/mesh.h>
#include <evergreen/learning/learning_parameters.h>
#include <evergreen/twin/twin_parameters.h>

#include <deal.II/base/parameter_handler.h>

#include <string>
#include <vector>

namespace Evergreen
{
  /**
   * What a program that learns a kernel of some problem of its own leaves to
   * its user. Derive from this struct to add parameters or to change defaults;
   * see run_with_parameters().
   */
  struct RunParameters
  {
    DomainParameters   domain;
    ForcingParameters  forcing;
    DatasetParameters  dataset;
    LearningParameters learning;

    /** Declares all sections. */
    void
    add_parameters(dealii::ParameterHandler &prm);

    /** Throws a UsageError that names the first impossible key. */
    void
    check() const;

    /**
     * Throws a UsageError unless the domain is @p name, with the @p reason why
     * a program can do with no other.
     */
    void
    require_domain(const std::string &name, const std::string &reason) const;

    /** Throws a UsageError unless all slices of the kernel are learned. */
    void
    require_all_slices() const;
  };


  /** The same with one of the library's problems: all parameters there are. */
  struct Configuration : public RunParameters
  {
    ProblemParameters problem;
    TwinParameters    twin;

    /** Throws a UsageError unless the problem is @p name, with the @p reason.
     */
    void
    require_problem(const std::string &name, const std::string &reason) const;

    /**
     * The .prm text of the sections that determine a dataset, as the user
     * wrote them: what goes into the file.
     */
    std::string dataset_text;

    /** The same for the sections that determine how a kernel is learned. */
    std::string method_text;

    /** Declares the sections that determine a dataset. */
    void
    add_dataset_parameters(dealii::ParameterHandler &prm);

    /** Declares all sections. */
    void
    add_parameters(dealii::ParameterHandler &prm);

    /**
     * Reads the text of a dataset's parameters; @p origin names it in errors.
     */
    static Configuration
    from_dataset_text(const std::string &text, const std::string &origin);

    /** Checks every section. */
    void
    check() const;

    /**
     * Reads a .prm file (none if @p path is empty), applies overrides of --set
     * and checks.
     */
    static Configuration
    read(const std::string &path, const std::vector<std::string> &overrides);
  };
} // namespace Evergreen

#endif
