#include <evergreen/base/error.h>
#include <evergreen/dictionary/atoms.h>

#include <algorithm>
#include <cmath>

namespace Evergreen
{
  namespace
  {
    // What the forms of radial kinds are counted in.
    constexpr int form_step = 100;


    double
    distance(const unsigned int dim, const double *a, const double *b)
    {
      double square = 0;
      for (unsigned int d = 0; d < dim; ++d)
        square += (a[d] - b[d]) * (a[d] - b[d]);
      return std::sqrt(square);
    }


    double
    ridge_value(const unsigned int dim,
                const unsigned int power,
                const double      *weights,
                const double       bias,
                const double      *y)
    {
      double z = bias;
      for (unsigned int d = 0; d < dim; ++d)
        z += weights[d] * y[d];
      if (z <= 0)
        return 0;
      double result = z;
      for (unsigned int k = 1; k < power; ++k)
        result *= z;
      return result;
    }
  } // namespace


  bool
  is_atom_kind(const int number)
  {
    if (number >= 1 && number <= 4)
      return true;
    const auto &functions = all_radial_functions();
    return number > 0 && number / form_step <= 2 &&
           std::count(functions.begin(),
                      functions.end(),
                      static_cast<RadialFunction>(number % form_step)) == 1;
  }


  AtomForm
  atom_form(const AtomKind kind)
  {
    const int number = static_cast<int>(kind);
    return number <= 4 ? AtomForm::ridge
                       : static_cast<AtomForm>(number / form_step);
  }


  RadialFunction
  radial_function(const AtomKind kind)
  {
    return static_cast<RadialFunction>(static_cast<int>(kind) % form_step);
  }


  AtomKind
  radial_kind(const RadialFunction function, const AtomForm form)
  {
    return static_cast<AtomKind>(static_cast<int>(function) +
                                 form_step * static_cast<int>(form));
  }


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
    const AtomKind      kind = kinds[index];
    const double *const w    = weights.data() + index * dim;
    const double        b    = biases[index];
    const unsigned int  half = dim / 2;
    switch (atom_form(kind))
      {
        case AtomForm::ridge:
          return ridge_value(dim, relu_power(kind), w, b, y);
        case AtomForm::centred:
          return radial_value(radial_function(kind), b, distance(dim, w, y));
        case AtomForm::difference:
          return radial_value(radial_function(kind),
                              b,
                              distance(half, y, y + half));
        case AtomForm::product:
          return radial_value(radial_function(kind), b, distance(half, w, y)) *
                 radial_value(radial_function(kind),
                              b,
                              distance(half, w + half, y + half));
      }
    throw Error("Atom ", index, " has no known form.");
  }


  double
  AtomList::magnitude(const std::size_t index, const double extent) const
  {
    const AtomKind kind = kinds[index];
    const double   b    = biases[index];
    if (atom_form(kind) == AtomForm::ridge)
      {
        double bound = std::abs(b);
        for (unsigned int d = 0; d < dim; ++d)
          bound += extent * std::abs(weights[index * dim + d]);
        return std::pow(bound, relu_power(kind));
      }
    const RadialFunction function = radial_function(kind);
    const double         bound =
      std::max(std::abs(radial_value(function, b, 1e-3 * extent)),
               std::abs(radial_value(function, b, 2 * extent)));
    return atom_form(kind) == AtomForm::product ? bound * bound : bound;
  }


  AtomList
  restrict_to_points(const AtomList      &atoms,
                     const std::size_t    index,
                     const std::size_t    n_points,
                     const double        *x,
                     std::vector<double> &factors)
  {
    const unsigned int  half = atoms.dim / 2;
    const AtomKind      kind = atoms.kinds[index];
    const AtomForm      form = atom_form(kind);
    const double *const w    = atoms.weights.data() + index * atoms.dim;
    const double        b    = atoms.biases[index];

    AtomList result(half);
    factors.assign(n_points, 1.);
    for (std::size_t i = 0; i < n_points; ++i, x += half)
      if (form == AtomForm::ridge)
        {
          double bias = b;
          for (unsigned int d = 0; d < half; ++d)
            bias += w[d] * x[d];
          result.push_back(kind, w + half, bias);
        }
      else
        {
          const RadialFunction function = radial_function(kind);
          if (form == AtomForm::product)
            factors[i] = radial_value(function, b, distance(half, w, x));
          result.push_back(radial_kind(function, AtomForm::centred),
                           form == AtomForm::product ? w + half : x,
                           b);
        }
    return result;
  }
} // namespace Evergreen
