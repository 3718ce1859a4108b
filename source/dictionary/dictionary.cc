#include <evergreen/base/error.h>
#include <evergreen/base/random.h>
#include <evergreen/dictionary/dictionary.h>

#include <tbb/parallel_for.h>

#include <algorithm>

namespace Evergreen
{
  namespace
  {
    // How many atoms a thread draws at a time.
    constexpr std::size_t atoms_per_task = 512;
  } // namespace


  Dictionary::Dictionary(std::vector<Part>   all_parts,
                         const std::uint64_t random_seed)
    : parts(std::move(all_parts)), seed(random_seed)
  {
    for (const Part &part : parts)
      {
        n_atoms += part.size;
        n_uniforms = std::max(n_uniforms, part.family->n_uniforms);
        if (part.family->dim != dim())
          throw Error("The families of a dictionary have ",
                      dim(),
                      " and ",
                      part.family->dim,
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


  AtomList
  Dictionary::draw(const std::uint64_t first, const std::size_t n) const
  {
    const std::size_t     n_all = n * n_atoms;
    std::vector<AtomList> parts_of_task((n_all + atoms_per_task - 1) /
                                          atoms_per_task,
                                        AtomList(dim()));
    tbb::parallel_for(
      std::size_t(0), parts_of_task.size(), [&](const std::size_t task) {
        const std::size_t end = std::min((task + 1) * atoms_per_task, n_all);
        for (std::size_t j = task * atoms_per_task; j < end; ++j)
          draw(first + j / n_atoms, j % n_atoms, parts_of_task[task]);
      });
    AtomList atoms(dim());
    for (const AtomList &part : parts_of_task)
      for (std::size_t j = 0; j < part.size(); ++j)
        atoms.push_back(part, j);
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
    // Two atoms have no block of random bits, which are two numbers, in common.
    const std::size_t first = index * (n_uniforms + n_uniforms % 2);
    for (unsigned int u = 0; u < n_uniforms; ++u)
      uniforms[u] =
        Random::uniform(seed, Random::Stream::dictionary, iteration, first + u);
    parts[i].family->draw(uniforms.data(), atoms);
  }
} // namespace Evergreen
