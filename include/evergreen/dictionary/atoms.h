// Atoms as plain data: what family each belongs to, its weight vector and its
// one scalar. Everything that draws, evaluates, selects or stores atoms speaks
// this language.

#ifndef evergreen_dictionary_atoms_h
#define evergreen_dictionary_atoms_h

#include <cstddef>
#include <vector>

namespace Evergreen
{
  /** What kind of function an atom is. The numbers are written to files. */
  enum class AtomKind : int
  {
    relu_1 = 1,
    relu_2 = 2,
    relu_3 = 3,
    relu_4 = 4
  };


  /** The power k of a ReLU^k ridge atom. */
  unsigned int
  relu_power(AtomKind kind);

  /** The kind of the ReLU^k ridge atoms, $k = 1, \ldots, 4$. */
  AtomKind
  relu_kind(unsigned int power);


  /**
   * A list of atoms in @p dim variables. Atom j has the kind <tt>kinds[j]</tt>,
   * the weights <tt>weights[j dim] ... weights[j dim + dim - 1]</tt> and the
   * scalar <tt>biases[j]</tt>. A ReLU^k ridge atom is
   * $g(y) = \max(w \cdot y + b, 0)^k$.
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
  };


  /**
   * Atom @p index of a list in (x, y), seen as a function of y alone, at each
   * of @p n_points points x (stored one after the other, half of the
   * variables each): $y \mapsto g(x_i, y)$.
   */
  AtomList
  restrict_to_points(const AtomList &atoms,
                     std::size_t     index,
                     std::size_t     n_points,
                     const double   *x);
} // namespace Evergreen

#endif
