#include <evergreen/base/error.h>
#include <evergreen/base/random.h>
#include <evergreen/dictionary/dictionary.h>

#include <algorithm>

namespace Evergreen
{
  Dictionary::Dictionary(std::vector<Part>   all_parts,
                         const std::uint64_t random_seed)
    : parts(std::move(all_parts)), seed(random_seed)
  {
    for (const Part &part : parts)
      {
        n_atoms += part.size;
        n_uniforms = std::max(n_uniforms, part.family->n_uniforms());
        if (part.family->dim() != dim())
          throw Error("The families of a dictionary have ",
                      dim(),
                      " and ",
                      part.family->dim(),
                      " variables.");
      }
    if (n_atoms == 0)
      throw UsageError("The dictionary's size is 0: it needs an atom.");
  }


  Dictionary::Dictionary(std::shared_ptr<const AtomFamily> family,
                         const std::size_t                 size,
                         const std::uint64_t               random_seed)
    : Dictionary({{std::move(family), size}}, random_seed)
  {}


  unsigned int
  Dictionary::dim() const
  {
    return parts.front().family->dim();
  }


  std::size_t
  Dictionary::size() const
  {
    return n_atoms;
  }


  const std::vector<Dictionary::Part> &
  Dictionary::mixture() const
  {
    return parts;
  }


  std::uint64_t
  Dictionary::random_seed() const
  {
    return seed;
  }


  std::size_t
  Dictionary::uniform_stride() const
  {
    return n_uniforms + n_uniforms % 2;
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
    std::size_t place = index, i = 0;
    while (place >= parts[i].size)
      place -= parts[i++].size;

    std::vector<double> uniforms(n_uniforms);
    const std::size_t   first = index * uniform_stride();
    for (unsigned int u = 0; u < n_uniforms; ++u)
      uniforms[u] =
        Random::uniform(seed, Random::Stream::dictionary, iteration, first + u);
    parts[i].family->draw(uniforms.data(), atoms);
  }
} // namespace Evergreen
