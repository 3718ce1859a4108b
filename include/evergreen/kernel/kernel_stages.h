// A kernel while it grew: the errors with several numbers of neurons, all of
// them in one pass over the atoms.

#ifndef evergreen_kernel_kernel_stages_h
#define evergreen_kernel_kernel_stages_h

#include <evergreen/kernel/errors.h>

#include <vector>

namespace Evergreen
{
  /** A kernel with the atoms that it has, and some stages of its growth. */
  struct KernelStages
  {
    /** A stage takes the first atoms of every expansion. */
    struct Stage
    {
      /** The coefficients of every expansion; empty for the kernel's own. */
      std::vector<std::vector<double>> coefficients;

      /** Whether the values are those of the kernel's symmetrised table. */
      bool uses_table = false;
    };

    /** Only the kernel as it is, which must outlive this object. */
    explicit KernelStages(const LearnedKernel &kernel);

    /** The given stages of a kernel. */
    KernelStages(const LearnedKernel &kernel, std::vector<Stage> stages);

    const LearnedKernel *kernel;
    std::vector<Stage>   stages;
  };


  /** Errors of all stages; empty if they were not asked for. */
  struct StageErrors
  {
    std::vector<double> eps_u;
    std::vector<double> eps_G;
  };

  /**
   * The errors of solutions on @p tests, by the quadrature @p rule of the
   * space, and of the kernel of @p problem (see TestSet and kernel_errors()),
   * for all stages. Either may be null. A problem that knows its exact kernel
   * need not be set up. Collective.
   */
  template <int dim>
  StageErrors
  stage_errors(const KernelStages    &stages,
               const Space<dim>      &space,
               const DistributedRule &rule,
               const TestSet<dim>    *tests,
               LinearProblem<dim>    *problem);
} // namespace Evergreen

#endif
