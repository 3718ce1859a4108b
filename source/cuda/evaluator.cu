#include "evaluator.cuh"
#include "search.cuh"

#include <evergreen/base/error.h>

#include <algorithm>

namespace Evergreen
{
  namespace Cuda
  {
    namespace
    {
      // The fused search launches at most so many atoms at once.
      constexpr std::size_t max_atoms_per_launch = 4096;


      /** The end of the run of atoms of one kind that begins at @p first. */
      std::size_t
      end_of_run(const AtomList &atoms, const std::size_t first)
      {
        std::size_t end = first + 1;
        while (end < atoms.size() && end - first < max_atoms_per_launch &&
               atoms.kinds[end] == atoms.kinds[first])
          ++end;
        return end;
      }

    } // namespace


    CudaEvaluator::CudaEvaluator() : projector(device)
    {}


    void
    CudaEvaluator::reinit(const QuadratureRule      &new_rule,
                          const std::vector<double> &new_c,
                          const std::size_t          new_n_rows)
    {
      Evaluator::reinit(new_rule, new_c, new_n_rows);
      const std::lock_guard<std::mutex> lock(mutex);
      device.make_current();
      projector.reinit(new_rule, new_c, new_n_rows);
    }


    void
    CudaEvaluator::coordinates(const AtomList &atoms, double *h) const
    {
      const std::lock_guard<std::mutex> lock(mutex);
      device.make_current();
      projector.coordinates(atoms, h);
    }


    template <typename Number>
    std::vector<double>
    CudaEvaluator::search(const AtomList                &atoms,
                          const MatrixView<const double> x,
                          const MatrixView<const Number> p) const
    {
      const unsigned int dim = rule->dim;
      if (dim > 3 || atoms.dim != 2 * dim)
        throw Error("The search for atoms in ",
                    atoms.dim,
                    " variables at points with ",
                    dim,
                    " coordinates is not possible.");
      std::vector<double> result(atoms.size());
      if (x.n_columns == 0 || rule->n_points() == 0 || atoms.size() == 0)
        return result;

      const std::lock_guard<std::mutex> lock(mutex);
      device.make_current();
      device_atoms.assign(device, atoms, 0, atoms.size());
      const AtomArrays arrays = device_atoms.arrays(
        device_atoms.has_radial() ? projector.tables.get(device) : nullptr);
      points.resize(x.n_columns * dim);
      device.upload(points.data(), x.data, x.n_columns * dim * sizeof(double));
      const std::size_t bytes = p.n_columns * p.ld * sizeof(Number);
      weights.resize(bytes);
      device.upload(weights.data(), p.data, bytes);
      const KernelPoints<Number> kernel_points = {
        x.n_columns,
        points.data(),
        rule->n_points(),
        projector.points(),
        reinterpret_cast<const Number *>(weights.data()),
        p.ld};
      parts.resize(n_kernel_parts(rule->n_points()) *
                   std::min(atoms.size(), max_atoms_per_launch));
      sums.resize(atoms.size());
      for (std::size_t first = 0, end; first < atoms.size(); first = end)
        {
          end = end_of_run(atoms, first);
          kernel_sums(device,
                      static_cast<int>(dim),
                      static_cast<int>(atoms.kinds[first]),
                      arrays,
                      first,
                      end - first,
                      kernel_points,
                      parts.data(),
                      sums.data() + first);
        }
      device.download(result.data(),
                      sums.data(),
                      atoms.size() * sizeof(double));
      return result;
    }


    std::vector<double>
    CudaEvaluator::kernel_correlations(const AtomList                &atoms,
                                       const MatrixView<const double> x,
                                       const MatrixView<const double> p,
                                       const bool single) const
    {
      if (!single)
        return search(atoms, x, p);
      const std::vector<float> numbers(p.data, p.data + p.n_columns * p.ld);
      return search(
        atoms,
        x,
        MatrixView<const float>(numbers.data(), p.n_rows, p.n_columns, p.ld));
    }
  } // namespace Cuda
} // namespace Evergreen
