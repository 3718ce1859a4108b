// The nodal matrix of a kernel in the forms in which it can be applied: dense
// or not stored at all. Plain arrays only.

#ifndef evergreen_surrogate_kernel_operator_h
#define evergreen_surrogate_kernel_operator_h

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace Evergreen
{
  /** How a kernel is applied. */
  enum class SurrogateForm
  {
    /** Dense, in single precision or not stored: the first that fits. */
    automatic,
    /** The assembled matrix in double precision. */
    dense,
    /** The assembled matrix in single precision: twice as fast. */
    dense_single,
    /** Nothing is stored: atoms are evaluated again for every application. */
    atoms
  };

  /** From the words auto, dense, single, atoms. */
  SurrogateForm
  form_from_name(const std::string &name);

  /** The opposite of form_from_name(). */
  std::string
  form_name(const SurrogateForm form);


  /** Which form, and how much memory it may use. */
  struct SurrogateOptions
  {
    SurrogateForm form = SurrogateForm::automatic;

    /** The memory for a stored form on each rank, in bytes. */
    std::size_t memory = std::size_t(2) << 30;
  };


  /**
   * A matrix whose rows can be computed, but need not be stored: what every
   * form is made of. Row s belongs to a response point, column k to the shape
   * function of a node.
   */
  struct RowSource
  {
    std::size_t n_rows    = 0;
    std::size_t n_columns = 0;

    /** Computes the given rows, one after the other. */
    std::function<std::vector<double>(const std::vector<std::size_t> &rows)>
      rows;
  };


  /**
   * A linear map from nodal values of forcings to values of solutions. Blocks
   * are stored column by column, a column for each forcing.
   */
  class KernelOperator
  {
  public:
    KernelOperator(const SurrogateForm form,
                   const std::size_t   n_rows,
                   const std::size_t   n_columns)
      : form_(form), n_rows_(n_rows), n_columns_(n_columns)
    {}
    virtual ~KernelOperator() = default;

    /** U = K F for a block of forcings: F is n_columns() x n. */
    void
    apply(const double     *forcings,
          double           *solutions,
          const std::size_t n_forcings) const
    {
      multiply(forcings, solutions, n_forcings, false);
    }

    /** F = K^T U for a block: U is n_rows() x n. */
    void
    apply_transposed(const double     *solutions,
                     double           *forcings,
                     const std::size_t n_solutions) const
    {
      multiply(solutions, forcings, n_solutions, true);
    }

    /** The size of the matrix in bytes. */
    virtual std::size_t
    memory() const = 0;

    /** The form in use, never `automatic`. */
    SurrogateForm
    form() const
    {
      return form_;
    }
    std::size_t
    n_rows() const
    {
      return n_rows_;
    }
    std::size_t
    n_columns() const
    {
      return n_columns_;
    }

  private:
    SurrogateForm form_;
    std::size_t   n_rows_;
    std::size_t   n_columns_;

    virtual void
    multiply(const double     *in,
             double           *out,
             const std::size_t n,
             const bool        transposed) const = 0;
  };


  /**
   * Makes the form that the options ask for. An Error is thrown if it does not
   * fit into their memory; the automatic choice always fits.
   */
  std::unique_ptr<KernelOperator>
  make_kernel_operator(const RowSource        &source,
                       const SurrogateOptions &options);
} // namespace Evergreen

#endif
