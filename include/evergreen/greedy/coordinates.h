// The coordinates in which the semi-inner product of the paper is a plain dot
// product of r numbers, r the rank of the forcings, whatever the number of
// samples.

#ifndef evergreen_greedy_coordinates_h
#define evergreen_greedy_coordinates_h

#include <evergreen/base/matrix_view.h>

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace Evergreen
{
  class Dictionary;
  struct GreedyParameters;
  struct QuadratureRule;

  /**
   * What is asked of a kernel besides fitting the data, as further rows of the
   * inner product whose targets are zero. The data see a kernel through the
   * span of the forcings only.
   *
   * A Tikhonov term \f$\mu^2 s\,\|g\|^2_{L_2}\f$ keeps the rest quiet. The
   * scale s is the mean energy of the forcings per degree of freedom. By the
   * nodal weights \f$w_k\f$ the norm is \f$\sum_k\hat g_k^2/w_k\f$, which is a
   * dot product of as many numbers as there are nodes; on large meshes they are
   * compressed to n_sketch_rows random combinations. (Fewer are not enough:
   * together with the data they must outnumber the atoms by far, or the greedy
   * algorithm finds the functions that they do not see.)
   *
   * Constraints are functionals of \f$\hat g\f$ that are known to vanish.
   */
  struct Penalty
  {
    static constexpr std::size_t n_sketch_rows = 1024;

    /** The number \f$\mu\f$; 0 is no penalty. */
    double weight = 0;

    /** The weights of all nodes, which add up to the domain's measure. */
    std::vector<double> node_weights;

    /** The nodes of the rank's rows of forcings. */
    std::vector<std::size_t> nodes;

    /** The seed of the random combinations. */
    std::uint64_t seed = 0;

    /**
     * The coefficients of the constraints for all nodes, one constraint after
     * the other; each is multiplied by \f$\sqrt s\f$.
     */
    std::vector<double> constraints;

    /** The number of constraints. */
    std::size_t
    n_constraints() const;

    /** The number of rows of the Tikhonov term. */
    std::size_t
    n_rows() const;

    /** The entry of row i of that term for node k, but for its weight. */
    double
    entry(std::size_t i, std::size_t k) const;
  };


  /**
   * A rank's view of the samples: nodal coefficients column by column, one
   * column per sample. Nothing is copied.
   */
  struct TrainingData
  {
    /** The number of samples N, the same on all ranks. */
    std::size_t n_samples = 0;

    /**
     * The forcings: a column of @p n_f_rows nodal values per sample, of which
     * the first @p n_owned belong to this rank and the others are copies of
     * values that other ranks own. They are numbered as the rows of the
     * rank's quadrature rule.
     */
    const double *f        = nullptr;
    std::size_t   n_f_rows = 0;
    std::size_t   n_owned  = 0;

    /** The solutions: a column of @p n_u_rows nodal values per sample. */
    const double *u        = nullptr;
    std::size_t   n_u_rows = 0;

    /** The rows of u that are this rank's response points (slices). */
    std::vector<std::size_t> response;

    /** The held-out samples, in increasing order, the same on all ranks. */
    std::vector<std::size_t> validation;

    Penalty penalty;
  };

  /**
   * Chooses round(share n_samples) samples to hold out, at least one if
   * @p share is positive and always leaving one to learn from; in increasing
   * order. The choice depends on the seed only.
   */
  std::vector<std::size_t>
  validation_split(std::size_t n_samples, double share, std::uint64_t seed);


  /**
   * The coordinates of atoms and targets. With V (N x r, orthonormal columns)
   * spanning the row space of F, the inner product
   * $\langle g_1, g_2 \rangle = \frac 1N \sum_j (g_1 * f_j)(g_2 * f_j)$ is
   * $h_1 \cdot h_2$ with $h = C \hat g$, $C = (F V)^T / \sqrt N$, and the
   * target of slice s is $t_s = V^T U_s / \sqrt N$.
   *
   * See row_space() for how V is found.
   *
   * Rows of a coordinate vector: r rows of the data, padded with zeros to
   * n_data(); the rows of the penalty, if any, padded to n_dot(): these make up
   * the inner product. Then one row per held-out sample,
   * $F_v^T \hat g / \sqrt{N_v}$, padded to n_rows(). They take part in every
   * update but in no inner product, so the validation error is known at all
   * times.
   */
  class Coordinates
  {
  public:
    /** Collective. Throws an Error on all ranks if any has unusable data. */
    Coordinates(const TrainingData &data, MPI_Comm comm);

    /**
     * The coordinates of plain function approximation: the inner product is
     * the sum over quadrature points, for a rule with
     * $B = \mathrm{diag}(\sqrt{w_q})$, and the only target is @p target
     * ($\sqrt{w_q} G(y_q)$).
     */
    explicit Coordinates(const std::vector<double> &target);

    /** The rank r of the forcings. */
    std::size_t
    rank() const
    {
      return r;
    }

    /** The number of leading rows that belong to the data. */
    std::size_t
    n_data() const;

    /** The number of leading rows that make up the inner product. */
    std::size_t
    n_dot() const;

    /** The length of a coordinate vector. */
    std::size_t
    n_rows() const;

    /** The number of slices on this rank. */
    std::size_t
    n_slices() const
    {
      return n_response;
    }

    /** Whether samples are held out. */
    bool
    has_validation() const
    {
      return n_validation > 0;
    }

    /** C, n_rows() x rows of F; empty stands for the unit matrix. */
    const std::vector<double> &
    matrix() const
    {
      return c;
    }

    /** The target of a slice, n_rows() numbers. */
    const double *
    target(const std::size_t slice) const
    {
      return targets.data() + slice * n_rows();
    }

    /** $\frac 1N \|U_s\|^2$ of the training samples. */
    double
    square_norm(const std::size_t slice) const
    {
      return square_norms[slice];
    }

    /**
     * The part of square_norm() outside of the row space of F, which no kernel
     * can fit.
     */
    double
    misfit(const std::size_t slice) const
    {
      return misfits[slice];
    }

    /** The square root of misfit() over square_norm(), all slices together. */
    double
    relative_misfit() const
    {
      return total_misfit;
    }

  private:
    void
    check(const TrainingData &data) const;

    /** The rows of the penalty in C; in the targets they are zero. */
    void
    add_penalty(const TrainingData &data, MPI_Comm comm);

    void
    compute_targets(const std::vector<double> &u,
                    const std::vector<double> &u_validation,
                    const std::vector<double> &v,
                    std::size_t                n_samples,
                    MPI_Comm                   comm);

    std::size_t         r            = 0;
    std::size_t         n_penalty    = 0;
    std::size_t         n_validation = 0;
    std::size_t         n_response   = 0;
    std::vector<double> c;
    std::vector<double> targets;
    std::vector<double> square_norms;
    std::vector<double> misfits;
    double              total_misfit = 0;
  };


  /**
   * What a greedy algorithm works on: this rank's quadrature points and slices,
   * and what is the same on all ranks. Everything must outlive its use.
   */
  struct GreedyProblem
  {
    const QuadratureRule   &rule;
    const Coordinates      &coordinates;
    const Dictionary       &dictionary;
    const GreedyParameters &parameters;
    MPI_Comm                comm;
  };


  /**
   * C = alpha op(A) op(B) + beta C as Blas::gemm(), with the columns of C
   * shared among the threads of TBB; BLAS must have one thread.
   */
  void
  parallel_gemm(char                     op_a,
                char                     op_b,
                double                   alpha,
                MatrixView<const double> a,
                MatrixView<const double> b,
                double                   beta,
                MatrixView<double>       c);

  /**
   * An orthonormal basis V (n_columns x rank) of the row space of a matrix F,
   * of which this rank holds @p n_rows rows and owns the first @p n_owned.
   * Collective; all ranks get the same V.
   *
   * Random combinations of the rows are drawn in blocks and orthonormalised
   * by QR with pivoting until a block adds nothing beyond rounding. The loss
   * $\|F - F V V^T\|$ is that of a QR or singular value decomposition of F,
   * a small multiple of the rounding unit, at a fraction of their cost; no
   * Gram matrix is formed, and the ranks exchange one sum per block.
   */
  std::vector<double>
  row_space(const std::vector<double> &f,
            std::size_t                n_rows,
            std::size_t                n_owned,
            std::size_t                n_columns,
            MPI_Comm                   comm);
} // namespace Evergreen

#endif
