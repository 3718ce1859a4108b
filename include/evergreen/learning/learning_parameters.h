// The parameters of learning: sections Dictionary, Greedy and Compute.

#ifndef evergreen_learning_learning_parameters_h
#define evergreen_learning_learning_parameters_h

#include <evergreen/base/compat.h>

#include <evergreen/dictionary/radial.h>
#include <evergreen/fem/frame.h>
#include <evergreen/fem/mesh_data.h>
#include <evergreen/greedy/parameters.h>

#include <deal.II/base/parameter_handler.h>

#include <cstdint>
#include <string>
#include <vector>

namespace Evergreen
{
  /** How a kernel is learned from a dataset. */
  struct LearningParameters
  {
    /**
     * Data whose part outside of the reach of any kernel is relatively larger
     * are noisy. Rounding and iterative solvers stay below.
     */
    static constexpr double noisy_misfit = 1e-7;

    /** @name Section Dictionary */
    //@{
    std::string  family             = "relu";
    unsigned int power              = 1;
    unsigned int size               = 512;
    unsigned int seed               = 1;
    double       relu_share         = 0.5;
    std::string  function           = "auto";
    double       wave_number        = 0.;
    double       wave_number_spread = 0.02;
    double       distance           = 0.5;
    double       far_distance       = 1.;
    bool         frame_of_problem   = true;
    //@}

    /**
     * The variables that atoms are functions of, for pw-oga without
     * reciprocity: those of the problem's coefficients. No key of parameter
     * files; programs set it, for example to LinearProblem::frame().
     */
    Frame frame;

    /** The frame that is used: the given one, where that is possible. */
    Frame
    usable_frame() const
    {
      return method == "pw-oga" && !reciprocity && family != "relu" ? frame
                                                                    : Frame();
    }

    /** @name Section Greedy */
    //@{
    std::string  method           = "pw-oga";
    unsigned int neurons          = 128;
    double       rank_share       = 0.85;
    std::string  selection        = "auto";
    std::string  precision        = "double";
    std::string  basis_precision  = "double";
    std::string  stopping         = "auto";
    double       tolerance        = 0.;
    double       validation_share = 0.1;
    unsigned int patience         = 50;
    double       regularisation   = 0.;
    bool         reciprocity      = false;
    std::string  quadrature       = "fe";
    std::string  sensors          = "";
    //@}

    /** @name Section Compute: nothing here changes the result */
    //@{
    std::string backend = "auto";
    double      memory  = 4.;
    //@}

    /** Declares the sections Dictionary and Greedy. */
    void
    add_method_parameters(dealii::ParameterHandler &prm);

    /** Declares all sections. */
    void
    add_parameters(dealii::ParameterHandler &prm);

    /** Throws a UsageError that names the first impossible key. */
    void
    check() const;

    /**
     * What the greedy algorithms need to know. The backend 'auto' stands for
     * 'cpu' here: learn_kernel() has put the result of choose_backend() in its
     * place before.
     */
    GreedyParameters
    greedy_parameters() const;

    /** The points of the key 'Sensors', one after the other. */
    std::vector<std::vector<double>>
    sensor_points() const;

    /**
     * The profile of the key 'Function', which must not be auto. Throws a
     * UsageError if it is not one of this dimension.
     */
    RadialFunction
    radial_function(const unsigned int dim) const;

  private:
    void
    add_dictionary_parameters(dealii::ParameterHandler &prm);
    void
    add_greedy_parameters(dealii::ParameterHandler &prm);
    /** The keys of section Greedy that say when to stop, and further ones. */
    void
    add_stopping_parameters(dealii::ParameterHandler &prm);
  };


  /**
   * The nodes at which slices of the kernel are wanted, in increasing order:
   * those nearest to @p sensors or, without any, all nodes that are not on
   * the boundary of the data.
   */
  std::vector<std::size_t>
  response_nodes(const MeshData                         &mesh,
                 const std::vector<std::vector<double>> &sensors);
} // namespace Evergreen

#endif
