// Random dictionaries: families with their sizes, and a seed. The atom at
// (iteration, index) is a pure function of these numbers.

#ifndef evergreen_dictionary_dictionary_h
#define evergreen_dictionary_dictionary_h

#include <evergreen/dictionary/family.h>

#include <cstdint>
#include <memory>

namespace Evergreen
{
  /**
   * A sequence of random dictionaries, one for every iteration of a greedy
   * algorithm, of size() atoms each. Any atom can be made again alone, so that
   * a chosen atom is remembered by its iteration and index.
   */
  class Dictionary
  {
  public:
    /** So many atoms of a family. */
    struct Part
    {
      std::shared_ptr<const AtomFamily> family;
      std::size_t                       size;
    };

    /** A mixture: the atoms of the parts, one part after the other. */
    Dictionary(std::vector<Part> parts, std::uint64_t seed);

    /** A dictionary of a single family. */
    Dictionary(std::shared_ptr<const AtomFamily> family,
               std::size_t                       size,
               std::uint64_t                     seed);

    /** The number of variables of the atoms. */
    unsigned int
    dim() const
    {
      return parts.front().family->dim;
    }

    /** The number of atoms $N_R$ drawn in every iteration. */
    std::size_t
    size() const
    {
      return n_atoms;
    }

    /** All atoms of @p n iterations; works with several threads. */
    AtomList
    draw(std::uint64_t first_iteration, std::size_t n = 1) const;

    /** Appends the atom @p index of one iteration to @p atoms. */
    void
    draw(std::uint64_t iteration, std::size_t index, AtomList &atoms) const;

  private:
    std::vector<Part> parts;
    std::size_t       n_atoms    = 0;
    unsigned int      n_uniforms = 0;
    std::uint64_t     seed;
  };
} // namespace Evergreen

#endif
