#include "shared_atoms.h"

#include <evergreen/dictionary/radial.h>

#include <tbb/parallel_for.h>

#include <algorithm>
#include <array>
#include <map>

namespace Evergreen
{
  namespace
  {
    /** All numbers of an atom in up to three variables. */
    using Key = std::array<double, 5>;

    Key
    key_of(const AtomList &atoms, const std::size_t i)
    {
      Key key = {{double(int(atoms.kinds[i])), atoms.biases[i]}};
      std::copy_n(&atoms.weights[i * atoms.dim], atoms.dim, key.begin() + 2);
      return key;
    }


    bool
    is_radial(const AtomList &atoms, const std::size_t i)
    {
      return atom_form(atoms.kinds[i]) == AtomForm::centred;
    }
  } // namespace


  SharedAtoms::SharedAtoms(const std::vector<const AtomList *> &lists,
                           const QuadratureRule                &the_rule)
    : rule(&the_rule), atoms(the_rule.dim)
  {
    struct Use
    {
      std::size_t  count  = 0;
      unsigned int number = not_shared;
    };
    std::map<Key, Use> uses;
    for (const AtomList *list : lists)
      for (std::size_t i = 0; i < list->size(); ++i)
        if (is_radial(*list, i))
          ++uses[key_of(*list, i)].count;

    for (const AtomList *list : lists)
      {
        numbers_.emplace_back(list->size(), not_shared);
        for (std::size_t i = 0; i < list->size(); ++i)
          if (is_radial(*list, i))
            {
              Use &use = uses.at(key_of(*list, i));
              if (use.count > 1 && use.number == not_shared)
                {
                  use.number = atoms.size();
                  atoms.push_back(*list, i);
                }
              numbers_.back()[i] = use.number;
            }
      }
  }


  std::size_t
  SharedAtoms::size() const
  {
    return atoms.size();
  }


  const std::vector<unsigned int> &
  SharedAtoms::numbers(const std::size_t list) const
  {
    return numbers_[list];
  }


  void
  SharedAtoms::evaluate(const std::size_t    n_points,
                        const double *const *coordinates)
  {
    n_values = n_points;
    values.resize(atoms.size() * n_points);
    tbb::parallel_for(std::size_t(0), atoms.size(), [&](const std::size_t i) {
      radial_values(radial_function(atoms.kinds[i]),
                    atoms.biases[i],
                    atoms.dim,
                    &atoms.weights[i * atoms.dim],
                    n_points,
                    coordinates,
                    &values[i * n_points]);
    });
  }


  std::vector<const double *>
  SharedAtoms::values_of(const std::size_t list) const
  {
    std::vector<const double *> result;
    for (const unsigned int number : numbers_[list])
      result.push_back(number == not_shared ? nullptr
                                            : &values[number * n_values]);
    return result;
  }


  void
  SharedAtoms::compute_corrections()
  {
    corrections_ = near_corrections(*rule, atoms, 0, atoms.size());
  }


  const NearCorrections &
  SharedAtoms::corrections() const
  {
    return corrections_;
  }
} // namespace Evergreen
