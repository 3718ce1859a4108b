// Which values and moments a row of a twin is made of, and fits of all rows at
// once.

#ifndef evergreen_source_twin_stencils_h
#define evergreen_source_twin_stencils_h

#include <evergreen/twin/twin_data.h>

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace Evergreen
{
  /** How many rings of values, and of moments of which family. */
  struct StencilShape
  {
    unsigned int value_rings;
    std::size_t  family;
    unsigned int moment_rings;
  };


  /**
   * The neighbours of all rows: first values (numbered among the free nodes,
   * without the row's own), then moments.
   */
  struct Stencils
  {
    /** Of the rows 0, @p stride, 2 @p stride, ...; the others are empty. */
    Stencils(const TwinData     &data,
             const StencilShape &shape,
             const std::size_t   stride = 1);

    StencilShape                            shape;
    std::vector<std::vector<std::uint32_t>> values, moments;

    /** Coefficients of row s. */
    std::size_t
    size(const std::size_t s) const
    {
      return values[s].size() + moments[s].size();
    }

    /** The longest row. */
    std::size_t
    max_size() const;
  };


  /** About how long the longest row of a shape is: among some of the rows. */
  std::size_t
  longest_row(const TwinData &data, const StencilShape &shape);


  /** Coefficients of all rows for one ridge, and their left-out errors. */
  struct RowFits
  {
    double ridge = 0;

    /** Row by row: values, then moments. */
    std::vector<double> coefficients;

    /** For each sample a column of all rows. */
    std::vector<double> left_out;

    /** The largest RidgeRow::condition(). */
    double condition = 0;
  };


  /**
   * The row that inner nodes have in common: neighbours of different rows are
   * the same if they are in the same direction.
   */
  class CommonRow
  {
  public:
    CommonRow(const TwinData &data, const Stencils &stencils);

    /** Whether enough rows have the same neighbours. */
    bool
    exists() const
    {
      return !commonest_.empty();
    }

    /**
     * For every row what it would be if it had, for each of its neighbours, the
     * median coefficient of the rows of the commonest shape, or zero if these
     * have no such neighbour.
     */
    std::vector<double>
    like(const std::vector<double> &coefficients) const;

  private:
    std::size_t              n_directions_ = 0;
    std::vector<std::size_t> starts_; // of the rows' coefficients
    std::vector<std::size_t> directions_; // numbers, for all coefficients
    std::vector<std::size_t> commonest_; // rows
  };


  /** Pairs as the rows see them. */
  class RowProblem
  {
  public:
    RowProblem(const TwinData &data, const MPI_Comm communicator);

    /**
     * Fits all rows with several ridges, each pulled towards its prior rows (if
     * there are any), which are like the coefficients. Collective.
     */
    std::vector<RowFits>
    fit(const Stencils                         &stencils,
        const std::vector<double>              &ridges,
        const std::vector<std::vector<double>> &priors = {}) const;

    /**
     * The relative errors of answers to samples that were left out: the
     * solutions with the twin's matrix for the rows' errors. Infinite if they
     * are unknown. Collective.
     */
    std::vector<double>
    errors_of_answers(const Stencils &stencils, const RowFits &fits) const;

    /** The twin's matrix: one on the diagonal, minus the coefficients. */
    CsrMatrix
    value_matrix(const Stencils &stencils, const RowFits &fits) const;

    /** The coefficients of the moments. */
    CsrMatrix
    moment_matrix(const Stencils &stencils, const RowFits &fits) const;

  private:
    const TwinData &data_;
    MPI_Comm        communicator_;

    /** Sample by sample, of free nodes and of each family. */
    std::size_t                      n_free_;
    std::vector<double>              values_;
    std::vector<std::vector<double>> moments_;
    std::vector<double>              norms_;

    std::pair<std::size_t, std::size_t>
    share(std::size_t n) const;
  };
} // namespace Evergreen

#endif
