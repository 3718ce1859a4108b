// The learned kernel as plain data, and its file.

#ifndef evergreen_kernel_learned_kernel_h
#define evergreen_kernel_learned_kernel_h

#include <evergreen/fem/frame.h>
#include <evergreen/fem/mesh_data.h>
#include <evergreen/kernel/expansions.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace Evergreen
{
  /**
   * How the errors fell while neurons were added. A number that is not known
   * is NaN.
   */
  struct LearningHistory
  {
    std::vector<std::int64_t> neurons;
    std::vector<double>       train_error;
    std::vector<double>       validation_error;
    std::vector<double>       test_error;
    std::vector<double>       kernel_error;
    std::vector<double>       seconds;

    /** Appends a point with all errors unknown and returns its index. */
    std::size_t
    add(const std::size_t n_neurons);
  };


  /** A symmetric matrix, of which the lower triangle is stored. */
  class SymmetricTable
  {
  public:
    /** From the lower triangle, row by row. */
    explicit SymmetricTable(std::vector<double> values)
      : values_(std::move(values))
    {}

    /** An entry. */
    double
    operator()(const std::size_t s, const std::size_t t) const
    {
      return s < t ? values_[t * (t + 1) / 2 + s]
                   : values_[s * (s + 1) / 2 + t];
    }

    /** The lower triangle, row by row. */
    const std::vector<double> &
    values() const
    {
      return values_;
    }

  private:
    std::vector<double> values_;
  };


  /**
   * A kernel G(x, y) learned by a greedy algorithm.
   *
   * A point-wise kernel has an expansion in y for each of its response nodes;
   * between them it is interpolated by finite elements, and at the boundary
   * nodes of its mesh it is zero. A full kernel has one expansion in (x, y):
   * its atoms have twice as many variables.
   *
   * A symmetrised kernel is the finite element function
   * \f$\sum_{st}T_{st}\varphi_s(x)\varphi_t(y)\f$ with a symmetric table T of
   * nodal values, made of the last level of the expansions by symmetrise();
   * these are kept as the estimate it came from.
   *
   * The object is the same on every rank.
   */
  struct LearnedKernel
  {
    /**
     * The rule that integrates against forcings: "fe" or "monte-carlo", or for
     * data on the boundary "boundary-values" or "boundary-fluxes".
     */
    std::string quadrature = "fe";

    /** The backend that learned it, as far as is known: "cpu", "cuda"... */
    std::string backend = "";

    /** The .prm text that made the kernel. */
    std::string parameters;

    /** The mesh of the data. */
    MeshData mesh;

    /** The nodes of the slices, in increasing order. */
    std::vector<std::size_t> response;

    /**
     * One expansion for each response node, or a single one, in the variables
     * of the frame.
     */
    Expansions expansions;

    /** In which variables the atoms of a point-wise kernel are. */
    Frame frame;

    /** The values of a symmetrised kernel at the response nodes. */
    std::optional<SymmetricTable> table;

    LearningHistory history;

    /** Whether the kernel is point-wise. */
    bool
    is_pointwise() const
    {
      return expansions.pool.dim == mesh.dim;
    }

    /** The largest number of atoms of an expansion. */
    std::size_t
    n_neurons() const;

    /** For every node of the mesh the number of its slice, or -1. */
    std::vector<std::int64_t>
    slice_of_node() const;

    /** The same kernel with the coefficients of another of its levels. */
    LearnedKernel
    with_neurons(const std::size_t n) const;

    /** The slices y -> G(x_s, y), before the kernel was symmetrised. */
    Expansions
    slices(const std::vector<std::size_t> &wanted) const;

    /** One of them. */
    Expansion
    slice(const std::size_t s) const
    {
      return slices({s})[0];
    }

    /** The value at a point @p y of such a slice, whatever the frame. */
    double
    value(const Expansion &slice, const double *y) const;

    /** Writes the last level beside @p path and renames it into place. */
    void
    save(const std::string &path) const;

    /** Reads a file, or throws an Error with the exact reason. */
    static LearnedKernel
    load(const std::string &path);
  };
} // namespace Evergreen

#endif
