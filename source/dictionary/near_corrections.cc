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


  std::vector<NearCorrection>
  near_corrections(const QuadratureRule &rule,
                   const AtomList       &atoms,
                   const std::size_t     first,
                   const std::size_t     n)
  {
    std::vector<NearCorrection> result;
    if (!rule.near_field)
      return result;

    const std::size_t n_tasks = (n + atoms_per_task - 1) / atoms_per_task;
    std::vector<std::vector<NearCorrection>> parts(n_tasks);
    tbb::parallel_for(std::size_t(0), n_tasks, [&](const std::size_t task) {
      std::vector<double> action;
      const std::size_t   end = std::min((task + 1) * atoms_per_task, n);
      for (std::size_t l = task * atoms_per_task; l < end; ++l)
        {
          if (atom_form(atoms.kinds[first + l]) != AtomForm::centred)
            continue;
          action.assign(rule.n_rows, 0.);
          add_near_field(rule, atoms, first + l, action.data());
          for (std::size_t row = 0; row < action.size(); ++row)
            if (action[row] != 0)
              parts[task].push_back({static_cast<unsigned int>(row),
                                     static_cast<unsigned int>(l),
                                     action[row]});
        }
    });
    for (const auto &part : parts)
      result.insert(result.end(), part.begin(), part.end());
    return result;
  }
} // namespace Evergreen
