#include <evergreen/dictionary/near_corrections.h>
#include <evergreen/dictionary/radial.h>

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


  void
  add_near_field(const QuadratureRule &rule,
                 const AtomList       &atoms,
                 const std::size_t     index,
                 double               *action,
                 const std::size_t     stride)
  {
    if (!rule.near_field || atom_form(atoms.kinds[index]) != AtomForm::centred)
      return;
    const RadialFunction function = radial_function(atoms.kinds[index]);
    const double         kappa    = atoms.biases[index];
    const double *const  centre   = &atoms.weights[index * atoms.dim];
    rule.near_field->correct(
      rule,
      {centre,
       has_wave_number(function) ? kappa : 0.,
       [&](const std::size_t n, const double *const *x, double *values) {
         radial_values(function, kappa, atoms.dim, centre, n, x, values);
       }},
      action,
      stride);
  }


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
      std::vector<double> action;
      const std::size_t   end = std::min((task + 1) * atoms_per_task, n);
      for (std::size_t l = task * atoms_per_task; l < end; ++l)
        {
          if (atom_form(atoms.kinds[first + l]) != AtomForm::centred)
            continue;
          action.resize(rule.n_rows);
          add_near_field(rule, atoms, first + l, action.data());
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
