// What a backend computes for the greedy algorithms: whole dictionaries at a
// time, on plain arrays, so that a device can keep its data where it works.

#ifndef evergreen_dictionary_evaluator_h
#define evergreen_dictionary_evaluator_h

#include <evergreen/base/matrix_view.h>
#include <evergreen/dictionary/atoms.h>
#include <evergreen/fem/quadrature_rule.h>

#include <memory>
#include <string>
#include <vector>

namespace Evergreen
{
  /**
   * Evaluates atoms in the coordinates of the semi-inner product. All
   * matrices are stored column by column. A backend implements these calls;
   * they may be made from several threads at once after reinit().
   *
   * In the letters of the design: $y_q$ quadrature points, $B$ the sparse
   * matrix of the rule (m rows), $C$ the matrix of coordinates (n_rows x m).
   * Both are this rank's part.
   */
  class Evaluator
  {
  public:
    virtual ~Evaluator() = default;

    /**
     * Takes the rule and the matrix C of @p n_rows rows, which must outlive
     * the evaluator's use. An empty @p c stands for the unit matrix (then
     * @p n_rows is at least m, and rows beyond m are zero).
     */
    virtual void
    reinit(const QuadratureRule      &rule,
           const std::vector<double> &c,
           std::size_t                n_rows);

    /** $H = C B g(y_q)$ for all atoms: n_rows x atoms.size(). */
    virtual void
    coordinates(const AtomList &atoms, double *h) const = 0;

    /**
     * The search of the full algorithm,
     * $\sum_{i,q} g_j(x_i, y_q) P_{iq}$ for all atoms $g_j$ in (x, y), without
     * storing their values. The points $x_i$ are the columns of @p x. Column i
     * of @p p are the weights of $x_i$, with zeros behind them: its length is
     * the padded number of quadrature points, see Simd::padded(). With
     * @p single the products may be in single precision.
     */
    virtual std::vector<double>
    kernel_correlations(const AtomList          &atoms,
                        MatrixView<const double> x,
                        MatrixView<const double> p,
                        bool                     single) const = 0;

  protected:
    const QuadratureRule      *rule   = nullptr;
    const std::vector<double> *c      = nullptr;
    std::size_t                n_rows = 0;
  };


  /**
   * Makes the backend "cpu", "cuda" or "reference". Throws UsageError for other
   * names, and Error for one that cannot work here (see backends.h).
   */
  std::unique_ptr<Evaluator>
  make_evaluator(const std::string &name);

  /** The fast backend for processors. */
  std::unique_ptr<Evaluator>
  make_cpu_evaluator();


  /**
   * Corrects the action B g of atom @p index in <tt>action[row * stride]</tt>.
   * Does nothing for atoms without a singularity, or a rule without a near
   * field.
   */
  void
  add_near_field(const QuadratureRule &rule,
                 const AtomList       &atoms,
                 std::size_t           index,
                 double               *action,
                 std::size_t           stride = 1);


  /** An entry of the corrections of many atoms: a number, and where it goes. */
  struct NearCorrection
  {
    unsigned int row;
    unsigned int atom;
    double       value;
  };

  /**
   * The corrections of the @p n atoms from @p first on, whose numbers count
   * from @p first, in order of the atoms and their rows; empty without a near
   * field. Works with several threads.
   */
  std::vector<NearCorrection>
  near_corrections(const QuadratureRule &rule,
                   const AtomList       &atoms,
                   std::size_t           first,
                   std::size_t           n);
} // namespace Evergreen

#endif
