// A learned kernel on a finite element space: integrals against shape
// functions.

#ifndef evergreen_kernel_kernel_matrix_h
#define evergreen_kernel_kernel_matrix_h

#include <evergreen/fem/space_rule.h>
#include <evergreen/kernel/learned_kernel.h>

#include <mpi.h>

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

namespace Evergreen
{
  /**
   * The finite element functions of a kernel's response nodes at some points:
   * at point q the functions <tt>slices[k]</tt> with
   * <tt>starts[q] <= k < starts[q + 1]</tt> have the values
   * <tt>values[k]</tt>, and all others are zero.
   */
  struct ShapeValues
  {
    std::vector<std::size_t> starts = {0};
    std::vector<std::size_t> slices;
    std::vector<double>      values;
  };

  /**
   * The shape functions at the points of a rule of the kernel's own mesh; none
   * for kernels that are not symmetrised, which need them nowhere. The rows of
   * the rule belong to these nodes of the kernel's mesh.
   */
  ShapeValues
  shape_values(const LearnedKernel            &kernel,
               const QuadratureRule           &rule,
               const std::vector<std::size_t> &nodes);


  /** Is told the values of slices that a product is made of, block by block. */
  class SliceObserver
  {
  public:
    virtual ~SliceObserver() = default;

    /** Slices from @p first to before @p last come next. Collective. */
    virtual void
    begin(const std::size_t first, const std::size_t last) = 0;

    /**
     * The values of slice first + @p s on the levels that are expansions, as
     * for a ValueVisitor.
     */
    virtual void
    visit(const std::size_t s,
          const std::size_t first_point,
          const std::size_t n_points,
          const double     *values) = 0;

    /** The values of this block are complete. */
    virtual void
    end() = 0;
  };


  /**
   * The matrix \f$K_{sk}=\int\tilde G(x_s,y)\varphi_k(y)\,dy\f$ that maps the
   * nodal values of a forcing to the solution at the response nodes. It is not
   * stored: rows are made of the values of expansions at the points of a rule
   * or, for a symmetrised kernel, of the table and the integrals of products of
   * shape functions.
   */
  class KernelMatrix
  {
  public:
    /**
     * For any rule, with columns for its rows, and the @p shapes at its points
     * if the kernel is symmetrised. Kernel and rule must outlive this object.
     */
    KernelMatrix(const LearnedKernel  &kernel,
                 const QuadratureRule &rule,
                 const ShapeValues    &shapes);

    /** For a rule of the kernel's own mesh. */
    KernelMatrix(const LearnedKernel &kernel, const DistributedRule &rule);

    /** Some rows, one after the other. */
    std::vector<double>
    rows(const std::vector<std::size_t> &slices) const;

    /**
     * The products with @p n_forcings columns, each with the values of all rows
     * of the rule, for every level of the kernel: a column of response values a
     * forcing, summed over the ranks, which have parts of the rule. An
     * @p observer, if any, is told all values on the way. Collective.
     */
    std::vector<std::vector<double>>
    apply(const std::vector<double> &forcings,
          const std::size_t          n_forcings,
          const MPI_Comm             communicator,
          SliceObserver             *observer = nullptr) const;

  private:
    const LearnedKernel  &kernel_;
    const QuadratureRule &rule_;

    // The rule in the kernel's frame, if that is not trivial.
    std::optional<QuadratureRule> image_;

    // The one for the atoms.
    const QuadratureRule &
    atom_rule() const
    {
      return image_ ? *image_ : rule_;
    }

    // For every slice the rows k where its shape function meets those of the
    // rule, and the integrals of the products.
    std::vector<std::vector<std::pair<unsigned int, double>>> moments_;

    // The rows of all levels of some expansions: entry k of level l of
    // expansion s is at (s n_rows + k) n_levels + l.
    std::vector<double>
    rows_of(const Expansions &expansions,
            SliceObserver    *observer = nullptr) const;

    // Better quadrature near the centres of radial atoms.
    void
    correct(const Expansions &expansions, std::vector<double> &rows) const;

    // Some rows of a symmetrised kernel, one after the other.
    std::vector<double>
    table_rows(const std::vector<std::size_t> &slices) const;
  };
} // namespace Evergreen

#endif
