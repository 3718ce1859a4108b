// Atoms as plain data: what family each belongs to, its weight vector and its
// one scalar. Everything that draws, evaluates, selects or stores atoms speaks
// this language.

#ifndef evergreen_dictionary_atoms_h
#define evergreen_dictionary_atoms_h

#include <evergreen/dictionary/radial.h>

#include <cstddef>
#include <vector>

namespace Evergreen
{
  /**
   * What kind of function an atom is. The numbers are written to files: 1 to 4
   * are the ReLU^k ridge atoms; a radial atom has the number of its
   * RadialFunction, plus 100 or 200 for the two forms in (x, y). Not all
   * numbers have names here; see radial_kind().
   */
  enum class AtomKind : int
  {
    relu_1 = 1,
    relu_2 = 2,
    relu_3 = 3,
    relu_4 = 4
  };


  /** How an atom depends on its variables. */
  enum class AtomForm : int
  {
    ridge      = -1, ///< \f$\max(w\cdot y+b,0)^k\f$
    centred    = 0, ///< \f$\psi_\kappa(|y-c|)\f$
    difference = 1, ///< \f$\psi_\kappa(|x-y|)\f$, in (x, y)
    product    = 2 ///< \f$\psi_\kappa(|x-c|)\psi_\kappa(|y-d|)\f$, in (x, y)
  };


  /** Whether a number from a file is an atom kind of this version. */
  bool
  is_atom_kind(int number);

  /** The form of the atoms of a kind. */
  AtomForm
  atom_form(AtomKind kind);

  /** The power k of a ReLU^k ridge atom. */
  unsigned int
  relu_power(AtomKind kind);

  /** The kind of the ReLU^k ridge atoms, $k = 1, \ldots, 4$. */
  AtomKind
  relu_kind(unsigned int power);

  /** The profile of a radial atom. */
  RadialFunction
  radial_function(AtomKind kind);

  /** The kind of the radial atoms of a profile and a form. */
  AtomKind
  radial_kind(RadialFunction function, AtomForm form);


  /**
   * A list of atoms in @p dim variables. Atom j has the kind <tt>kinds[j]</tt>,
   * the weights <tt>weights[j dim] ... weights[j dim + dim - 1]</tt> and the
   * scalar <tt>biases[j]</tt>. A ReLU^k ridge atom is
   * $g(y) = \max(w \cdot y + b, 0)^k$. For a radial atom the weights are its
   * centre (of a product both centres, of a difference nothing) and the scalar
   * is $\kappa$.
   */
  struct AtomList
  {
    /** An empty list of atoms in @p dim variables. */
    explicit AtomList(unsigned int dim = 0);

    /** The number of variables. */
    unsigned int dim;

    std::vector<AtomKind> kinds;
    std::vector<double>   weights;
    std::vector<double>   biases;

    /** The number of atoms. */
    std::size_t
    size() const;

    /** Appends one atom with @p dim weights. */
    void
    push_back(AtomKind kind, const double *weights, double bias);

    /** Appends atom @p index of another list in as many variables. */
    void
    push_back(const AtomList &other, std::size_t index);

    /** The value of atom @p index at the point @p y. */
    double
    value(std::size_t index, const double *y) const;

    /**
     * About the largest absolute value of an atom where no variable exceeds
     * @p extent (of a singular atom, a small distance away): what rounding
     * errors of its integrals are measured against.
     */
    double
    magnitude(std::size_t index, double extent) const;
  };


  /**
   * Atom @p index of a list in (x, y), seen as a function of y alone, at each
   * of @p n_points points x (stored one after the other, half of the
   * variables each): $g(x_i, y) = f_i g_i(y)$ with the atoms $g_i$ that are
   * returned and the numbers $f_i$ in @p factors.
   */
  AtomList
  restrict_to_points(const AtomList      &atoms,
                     std::size_t          index,
                     std::size_t          n_points,
                     const double        *x,
                     std::vector<double> &factors);
} // namespace Evergreen

#endif
