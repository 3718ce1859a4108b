// Slices of a learned kernel at the points of a quadrature rule: the integrals
// against the shape functions and the errors, for several stages of the
// kernel's growth at once.

#ifndef evergreen_source_kernel_slice_evaluator_h
#define evergreen_source_kernel_slice_evaluator_h

#include "shared_atoms.h"
#include "table_rows.h"

#include <evergreen/kernel/kernel_stages.h>

#include <cstddef>
#include <vector>

namespace Evergreen
{
  /** The weights \f$w_q\f$ of the points of a finite element rule. */
  std::vector<double>
  point_weights(const QuadratureRule &rule);


  /** Evaluates all stages of slices. */
  class SliceEvaluator
  {
  public:
    /** Both must outlive this object. */
    SliceEvaluator(const KernelStages   &kernel_stages,
                   const QuadratureRule &rule);

    /** What is wanted; null pointers are left alone. */
    struct Wanted
    {
      /**
       * The integrals against the shape functions: that of slice i, stage l
       * and row k is put to <tt>rows[(l n_slices + i) n_rows + k]</tt>.
       */
      double *rows = nullptr;

      /** A reference for slice i at point q, <tt>exact[i n_points + q]</tt>. */
      const double *exact = nullptr;

      /**
       * The squares of the errors in \f$L^2\f$ against the reference, put to
       * <tt>squares[i n_stages + l]</tt>.
       */
      double *squares = nullptr;
    };

    /** Works on the given slices in parallel. */
    void
    evaluate(const std::vector<std::size_t> &slices,
             const Wanted                   &wanted) const;

  private:
    // A slice: its atoms and the coefficients of all stages.
    struct Staged
    {
      std::size_t                      slice = 0;
      AtomList                         atoms;
      std::vector<std::vector<double>> coefficients;
    };

    // Some slices, and what is known of them so far.
    struct Block;

    const LearnedKernel                    &kernel;
    const std::vector<KernelStages::Stage> &stages;
    const QuadratureRule                   &rule;
    std::vector<std::vector<double>>        coordinates;
    std::vector<double>                     weights;
    TableRows                               table;

    // The distance between the rows of a block: the number of stages, rounded
    // up for vector instructions.
    std::size_t stride;

    bool
    uses_table(const KernelStages::Stage &stage) const;

    Staged
    staged(const std::size_t slice) const;

    // The coordinates of the points from this one on, direction by direction.
    std::vector<const double *>
    points_from(const std::size_t first) const;

    void
    go_through_points(Block &block) const;

    void
    visit_points(Block            &block,
                 const std::size_t i,
                 const std::size_t first,
                 const std::size_t n) const;

    void
    add_squares(const std::size_t begin,
                const std::size_t n,
                const double     *values,
                const double     *exact,
                double           *squares) const;

    void
    add_rows(const std::size_t begin,
             const std::size_t n,
             const double     *values,
             double           *rows) const;

    // Better quadrature near the centres of radial atoms.
    void
    correct_rows(Block &block, const std::size_t i) const;
  };
} // namespace Evergreen

#endif
