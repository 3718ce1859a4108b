// One row of a twin: a small least-squares problem with a ridge, and how well
// it predicts the samples that it leaves out.

#ifndef evergreen_twin_ridge_row_h
#define evergreen_twin_ridge_row_h

#include <cstddef>
#include <vector>

namespace Evergreen
{
  /**
   * \f$\min_c|Xc-y|^2+\mu^2|D(c-c_0)|^2\f$ for an N x p matrix X, whose columns
   * D scales to the norm one, and any number of ridges \f$\mu\f$.
   */
  class RidgeRow
  {
  public:
    /** Decomposes X, given by columns, for targets y. */
    RidgeRow(std::vector<double> columns,
             std::vector<double> target,
             std::size_t         n_columns);

    /** Coefficients, and the errors at samples that were left out. */
    struct Fit
    {
      std::vector<double> coefficients;

      /**
       * For each sample its residual in the fit to all others, which is
       * \f$r_n/(1-h_n)\f$ with the diagonal h of the hat matrix; infinite where
       * the others do not determine it.
       */
      std::vector<double> left_out;
    };

    /** Pulls towards the @p prior \f$c_0\f$, or to zero if it is empty. */
    Fit
    fit(double ridge, const std::vector<double> &prior = {}) const;

    /**
     * The largest singular value of the scaled columns by the smallest;
     * infinite if the samples do not tell all columns apart.
     */
    double
    condition() const;

  private:
    std::size_t         n_samples_, n_columns_, rank_;
    std::vector<double> columns_, target_;
    std::vector<double> scales_, singular_values_, u_, vt_;
    std::vector<double> undetermined_; // 1 - h without a ridge
  };
} // namespace Evergreen

#endif
