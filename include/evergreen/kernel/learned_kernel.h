// The learned kernel as plain data, and its file.

#ifndef evergreen_kernel_learned_kernel_h
#define evergreen_kernel_learned_kernel_h

#include <evergreen/dictionary/atoms.h>
#include <evergreen/fem/mesh_data.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace Evergreen
{
  /** A linear combination of atoms. */
  struct Expansion
  {
    AtomList            atoms;
    std::vector<double> coefficients;
  };


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


  /**
   * A kernel G(x, y) learned by a greedy algorithm.
   *
   * A point-wise kernel ("pw-oga") has an expansion in y for each of its
   * response nodes; between them it is interpolated by finite elements, and at
   * the boundary nodes of its mesh it is zero. A full kernel ("oga") has one
   * expansion in (x, y).
   *
   * A symmetrised kernel is the finite element function
   * \f$\sum_{st}T_{st}\varphi_s(x)\varphi_t(y)\f$ with a symmetric table T of
   * nodal values, made of the expansions by symmetrise(); these are kept as
   * the estimate it came from.
   *
   * The object is the same on every rank.
   */
  struct LearnedKernel
  {
    /** "pw-oga" or "oga". */
    std::string method = "pw-oga";

    /** "fe" or "monte-carlo": the rule that integrates against forcings. */
    std::string quadrature = "fe";

    /** The backend that learned it, as far as is known: "cpu", "cuda"... */
    std::string backend = "";

    /** The .prm text that made the kernel. */
    std::string parameters;

    /** The mesh of the data. */
    MeshData mesh;

    /** The nodes of the slices, in increasing order. */
    std::vector<std::int64_t> response;

    /** One expansion for each response node, or a single one. */
    std::vector<Expansion> expansions;

    /**
     * The values of a symmetrised kernel at the response nodes, row by row;
     * empty for all others.
     */
    std::vector<double> table;

    LearningHistory history;

    /** Whether the kernel is symmetrised. */
    bool
    is_symmetrised() const
    {
      return !table.empty();
    }

    /** Whether the kernel is point-wise. */
    bool
    is_pointwise() const
    {
      return method == "pw-oga";
    }

    /** The largest number of atoms of an expansion. */
    std::size_t
    n_neurons() const;

    /**
     * The slice y -> G(x_s, y) at response node number @p s, before the kernel
     * was symmetrised.
     */
    Expansion
    slice(const std::size_t s) const;

    /**
     * The atoms of slice(), and the @p factors that its coefficients have
     * besides those of the expansion.
     */
    AtomList
    slice_atoms(const std::size_t s, std::vector<double> &factors) const;

    /** Writes the file beside @p path and renames it into place. */
    void
    save(const std::string &path) const;

    /** Reads a file, or throws an Error with the exact reason. */
    static LearnedKernel
    load(const std::string &path);
  };
} // namespace Evergreen

#endif
