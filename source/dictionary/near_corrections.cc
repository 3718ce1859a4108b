#include <evergreen/dictionary/near_corrections.h>
#include <evergreen/dictionary/near_field.h>

#include <tbb/parallel_for.h>

#include <algorithm>

namespace Evergreen
{
  namespace
  {
    // Atoms are corrected this many at a time, with one dense vector for each
    // task.
    constexpr std::size_t atoms_per_task = 32;


    /** Appends the entries of one atom; leaves the dense vector zero. */
    void
    append_entries(const unsigned int   atom,
                   std::vector<double> &action,
                   NearCorrections     &result)
    {
      for (std::size_t row = 0; row < action.size(); ++row)
        if (action[row] != 0)
          {
            result.rows.push_back(static_cast<unsigned int>(row));
            result.atoms.push_back(atom);
            result.values.push_back(action[row]);
            action[row] = 0;
          }
    }


    template <typename Number>
    void
    append(const std::vector<Number> &more, std::vector<Number> &all)
    {
      all.insert(all.end(), more.begin(), more.end());
    }
  } // namespace


  NearCorrections
  near_corrections(const QuadratureRule &rule,
                   const AtomList       &atoms,
                   const std::size_t     first,
                   const std::size_t     n)
  {
    NearCorrections result;
    if (!rule.near_field)
      return result;

    const std::size_t n_tasks = (n + atoms_per_task - 1) / atoms_per_task;
    std::vector<NearCorrections> parts(n_tasks);
    tbb::parallel_for(std::size_t(0), n_tasks, [&](const std::size_t task) {
      std::vector<double> action(rule.n_rows);
      const std::size_t   end = std::min((task + 1) * atoms_per_task, n);
      for (std::size_t l = task * atoms_per_task; l < end; ++l)
        {
          const std::size_t j = first + l;
          if (atom_form(atoms.kinds[j]) != AtomForm::centred)
            continue;
          rule.near_field->correct(rule,
                                   radial_function(atoms.kinds[j]),
                                   atoms.biases[j],
                                   &atoms.weights[j * atoms.dim],
                                   action.data());
          append_entries(static_cast<unsigned int>(l), action, parts[task]);
        }
    });
    for (const NearCorrections &part : parts)
      {
        append(part.rows, result.rows);
        append(part.atoms, result.atoms);
        append(part.values, result.values);
      }
    return result;
  }
} // namespace Evergreen
