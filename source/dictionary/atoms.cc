#include <evergreen/base/error.h>
#include <evergreen/dictionary/atoms.h>

#include <algorithm>

namespace Evergreen
{
  unsigned int
  relu_power(const AtomKind kind)
  {
    return static_cast<unsigned int>(kind);
  }


  AtomKind
  relu_kind(const unsigned int power)
  {
    if (power < 1 || power > 4)
      throw UsageError("The power of the ReLU atoms is ",
                       power,
                       ": choose 1, 2, 3 or 4.");
    return static_cast<AtomKind>(power);
  }


  AtomList::AtomList(const unsigned int dimension) : dim(dimension)
  {}


  std::size_t
  AtomList::size() const
  {
    return biases.size();
  }


  void
  AtomList::push_back(const AtomKind kind,
                      const double  *atom_weights,
                      const double   bias)
  {
    kinds.push_back(kind);
    weights.insert(weights.end(), atom_weights, atom_weights + dim);
    biases.push_back(bias);
  }


  void
  AtomList::push_back(const AtomList &other, const std::size_t index)
  {
    push_back(other.kinds[index],
              other.weights.data() + index * dim,
              other.biases[index]);
  }


  double
  AtomList::value(const std::size_t index, const double *y) const
  {
    double z = biases[index];
    for (unsigned int d = 0; d < dim; ++d)
      z += weights[index * dim + d] * y[d];
    if (z <= 0)
      return 0;
    double power = z;
    for (unsigned int k = 1; k < relu_power(kinds[index]); ++k)
      power *= z;
    return power;
  }


  AtomList
  restrict_to_points(const AtomList   &atoms,
                     const std::size_t index,
                     const std::size_t n_points,
                     const double     *x)
  {
    const unsigned int  half    = atoms.dim / 2;
    const double *const weights = atoms.weights.data() + index * atoms.dim;
    AtomList            result(half);
    for (std::size_t i = 0; i < n_points; ++i)
      {
        double bias = atoms.biases[index];
        for (unsigned int d = 0; d < half; ++d)
          bias += weights[d] * x[i * half + d];
        result.push_back(atoms.kinds[index], weights + half, bias);
      }
    return result;
  }
} // namespace Evergreen
