#include <evergreen/base/error.h>
#include <evergreen/base/random.h>
#include <evergreen/dictionary/dictionary.h>

namespace Evergreen
{
  Dictionary::Dictionary(std::shared_ptr<const AtomFamily> atom_family,
                         const std::size_t                 size,
                         const std::uint64_t               random_seed)
    : family(std::move(atom_family)), n_atoms(size), seed(random_seed)
  {
    if (n_atoms == 0)
      throw UsageError("The dictionary's size is 0: it needs an atom.");
  }


  unsigned int
  Dictionary::dim() const
  {
    return family->dim();
  }


  std::size_t
  Dictionary::size() const
  {
    return n_atoms;
  }


  AtomList
  Dictionary::draw(const std::uint64_t iteration) const
  {
    AtomList atoms(dim());
    for (std::size_t index = 0; index < n_atoms; ++index)
      draw(iteration, index, atoms);
    return atoms;
  }


  void
  Dictionary::draw(const std::uint64_t iteration,
                   const std::size_t   index,
                   AtomList           &atoms) const
  {
    const unsigned int  n = family->n_uniforms();
    std::vector<double> uniforms(n);
    for (unsigned int i = 0; i < n; ++i)
      uniforms[i] = Random::uniform(seed,
                                    Random::Stream::dictionary,
                                    iteration,
                                    index * (n + n % 2) + i);
    family->draw(uniforms.data(), atoms);
  }
} // namespace Evergreen
