#include "pointwise_engine.cuh"

#include <evergreen/base/error.h>

#include <algorithm>
#include <limits>
#include <type_traits>

namespace Evergreen
{
  namespace Cuda
  {
    namespace
    {
      // How often the host looks how many slices are left.
      constexpr std::size_t iterations_per_check = 8;

      // A search in single precision that leaves more atoms than this part of
      // a dictionary to look at closely does not pay.
      constexpr double max_candidate_share = 0.125;

      // Memory that is left to others, for cuBLAS above all.
      constexpr std::size_t bytes_left_free = std::size_t(64) << 20;


      /**
       * A bound on the error of a dot product of n numbers, in any order of
       * summation, over the product of the norms.
       */
      double
      dot_rounding(const std::size_t n, const double epsilon)
      {
        return (static_cast<double>(n) + 8) * epsilon;
      }


      /** More if the factors have ten bits, rounded or cut off. */
      constexpr double tensor_rounding = 0x1.0p-9;
    } // namespace


    CudaPointwiseEngine::CudaPointwiseEngine() : projector(device)
    {}


    bool
    CudaPointwiseEngine::may_be_single() const
    {
      return problem.parameters->precision != SearchPrecision::double_precision;
    }


    void
    CudaPointwiseEngine::reinit(const Problem &new_problem)
    {
      device.make_current();
      problem     = new_problem;
      max_neurons = problem.max_neurons();
      problem.rule->check();
      projector.reinit(*problem.rule, *problem.c, problem.n_rows);
    }


    void
    CudaPointwiseEngine::coordinates(const AtomList &atoms, double *result)
    {
      device.make_current();
      projector.coordinates(atoms, result);
    }


    std::size_t
    CudaPointwiseEngine::dictionary_bytes() const
    {
      const std::size_t number =
        sizeof(double) + (may_be_single() ? sizeof(float) : 0);
      return problem.dictionary->size() *
               (problem.n_rows * number + sizeof(double)) +
             64;
    }


    std::size_t
    CudaPointwiseEngine::slice_bytes() const
    {
      const std::size_t numbers =
        problem.n_rows * (max_neurons + problem.max_own_atoms + 2) +
        max_neurons * (max_neurons + 1) / 2 + 4 * max_neurons +
        2 * problem.max_own_atoms + 16;
      return numbers * sizeof(double) +
             problem.dictionary->size() *
               (2 * sizeof(double) + sizeof(float) + 1);
    }


    PointwiseEngine::Plan
    CudaPointwiseEngine::plan(const std::size_t n_unfinished) const
    {
      device.make_current();
      const std::size_t kept =
        projector.work_bytes() + dictionary_bytes() + bytes_left_free;
      const std::size_t free = device.free_memory();
      const std::size_t memory =
        std::min(problem.parameters->memory, free > kept ? free - kept : 0);

      return share(
        problem, memory, dictionary_bytes(), slice_bytes(), n_unfinished);
    }


    void
    CudaPointwiseEngine::reserve(const Plan &plan)
    {
      device.make_current();
      const std::size_t size = problem.dictionary->size();
      const std::size_t n    = plan.n_slices;
      h.resize(plan.n_dictionaries * size * problem.n_rows);
      norms.resize(plan.n_dictionaries * size);
      max_norms.resize(plan.n_dictionaries);
      counts.resize(plan.n_dictionaries);
      correlations.resize(n * size);
      if (may_be_single())
        {
          h_single.resize(plan.n_dictionaries * size * problem.n_rows);
          correlations_single.resize(n * size);
          residual_single.resize(n * problem.n_rows);
        }

      basis.resize(n * max_neurons * problem.n_rows);
      residual.resize(n * problem.n_rows);
      for (DeviceArray<double> *array : {&norm, &misfit, &square_norm})
        array->resize(n);
      scores.resize(n * size);
      tried.resize(n * size);
      reason.resize(n);
      count.resize(n);
      best_validation.resize(n);
      chosen.resize(n * max_neurons);
      projection.resize(n * max_neurons);
      factor.resize(n * (max_neurons * (max_neurons + 1) / 2));
      train.resize(n * (max_neurons + 1));
      if (problem.has_validation)
        validation.resize(n * (max_neurons + 1));
    }


    void
    CudaPointwiseEngine::make_dictionaries(const std::size_t position,
                                           const std::size_t first,
                                           const std::size_t n)
    {
      device.make_current();
      projector.dictionaries(*problem.dictionary,
                             first,
                             n,
                             h.data() + position * problem.dictionary->size() *
                                          problem.n_rows);
    }


    double *
    CudaPointwiseEngine::coordinates_on_host(const std::size_t position,
                                             const std::size_t n)
    {
      device.make_current();
      const std::size_t step = problem.dictionary->size() * problem.n_rows;
      staged.resize(n * step);
      device.download(staged.data(),
                      h.data() + position * step,
                      n * step * sizeof(double));
      return staged.data();
    }


    void
    CudaPointwiseEngine::finish_dictionaries(const std::size_t position,
                                             const std::size_t n,
                                             const double     *complete)
    {
      device.make_current();
      const std::size_t size = problem.dictionary->size();
      const std::size_t step = size * problem.n_rows;
      if (complete != nullptr)
        device.upload(h.data() + position * step,
                      complete,
                      n * step * sizeof(double));
      Cuda::finish_dictionaries(device,
                                n,
                                size,
                                problem.n_rows,
                                problem.n_dot,
                                h.data() + position * step,
                                may_be_single()
                                  ? h_single.data() + position * step
                                  : nullptr,
                                norms.data() + position * size,
                                max_norms.data() + position);
    }


    void
    CudaPointwiseEngine::start_own_atoms(const std::vector<SliceStart> &starts)
    {
      std::vector<unsigned int> first(n_slices + 1);
      std::vector<double>       all_norms;
      for (std::size_t s = 0; s < n_slices; ++s)
        {
          first[s + 1] = first[s] + static_cast<unsigned int>(starts[s].n_own);
          all_norms.insert(all_norms.end(),
                           starts[s].own_norms,
                           starts[s].own_norms + starts[s].n_own);
        }
      own_starts.assign(device, first);
      own_norms.assign(device, all_norms);
      own_scores.resize(all_norms.size());
      own_h.resize(all_norms.size() * problem.n_rows);
      for (std::size_t s = 0; s < n_slices; ++s)
        device.upload(own_h.data() + first[s] * problem.n_rows,
                      starts[s].own_h,
                      starts[s].n_own * problem.n_rows * sizeof(double));
    }


    void
    CudaPointwiseEngine::start(const std::vector<SliceStart> &starts)
    {
      device.make_current();
      n_slices = starts.size();
      if (n_slices == 0)
        return;
      std::vector<double> targets, misfits, square_norms;
      for (const SliceStart &slice : starts)
        {
          targets.insert(targets.end(),
                         slice.target,
                         slice.target + problem.n_rows);
          misfits.push_back(slice.misfit);
          square_norms.push_back(slice.square_norm);
        }
      residual.assign(device, targets);
      misfit.assign(device, misfits);
      square_norm.assign(device, square_norms);
      start_own_atoms(starts);
      start_slices(device, arrays());
    }


    SliceArrays
    CudaPointwiseEngine::arrays() const
    {
      const GreedyParameters &parameters = *problem.parameters;

      SliceArrays result     = {};
      result.n_slices        = n_slices;
      result.n_rows          = problem.n_rows;
      result.n_dot           = problem.n_dot;
      result.n_data          = problem.n_data;
      result.n_atoms         = problem.dictionary->size();
      result.max_neurons     = max_neurons;
      result.basis           = basis.data();
      result.residual        = residual.data();
      result.residual_single = residual_single.data();
      result.norm            = norm.data();
      result.misfit          = misfit.data();
      result.square_norm     = square_norm.data();
      result.own_starts      = own_starts.data();
      result.own_h           = own_h.data();
      result.own_norms       = own_norms.data();
      result.own_scores      = own_scores.data();
      result.scores          = scores.data();
      result.tried           = tried.data();
      result.reason          = reason.data();
      result.count           = count.data();
      result.chosen          = chosen.data();
      result.factor          = factor.data();
      result.projection      = projection.data();
      result.train           = train.data();
      result.validation = problem.has_validation ? validation.data() : nullptr;
      result.best_validation = best_validation.data();
      result.normalised      = parameters.selection == Selection::normalised;
      result.span_tolerance  = parameters.span_tolerance;
      result.max_skipped     = parameters.max_skipped;
      result.tolerance       = std::max(parameters.tolerance,
                                  4 * std::numeric_limits<double>::epsilon());
      result.rank            = static_cast<unsigned int>(problem.rank);
      result.n_neurons       = parameters.n_neurons;
      result.patience        = parameters.patience;
      return result;
    }


    void
    CudaPointwiseEngine::iterate(const SliceArrays &slices,
                                 const std::size_t  position,
                                 const bool         single)
    {
      const std::size_t      size       = problem.dictionary->size();
      const std::size_t      n_rows     = problem.n_rows;
      const std::size_t      n_dot      = problem.n_dot;
      const DictionaryArrays dictionary = {h.data() + position * size * n_rows,
                                           norms.data() + position * size,
                                           max_norms.data() + position};
      const auto             iterate_in = [&](const auto  *numbers,
                                  const auto  *residuals,
                                  auto        *products,
                                  const double rounding,
                                  const bool   tensor) {
        using Number = std::remove_pointer_t<decltype(products)>;
        device.gemm<Number>('T',
                            'N',
                            {numbers, n_dot, size, n_rows},
                            {residuals, n_dot, n_slices, n_rows},
                            {products, size, n_slices},
                            tensor);
        advance_slices(device,
                       slices,
                       dictionary,
                       products,
                       rounding,
                       counts.data() + position);
      };
      if (single)
        {
          const bool tensor =
            problem.parameters->precision == SearchPrecision::tensor_precision;
          iterate_in(h_single.data() + position * size * n_rows,
                     residual_single.data(),
                     correlations_single.data(),
                     dot_rounding(n_dot,
                                  std::numeric_limits<float>::epsilon()) +
                       (tensor ? tensor_rounding : 0.),
                     tensor);
        }
      else
        iterate_in(dictionary.h,
                   residual.data(),
                   correlations.data(),
                   dot_rounding(n_dot, std::numeric_limits<double>::epsilon()),
                   false);
    }


    bool
    CudaPointwiseEngine::advance(const std::size_t n)
    {
      if (n_slices == 0)
        return false;
      device.make_current();
      const SliceArrays slices = arrays();
      bool              single = may_be_single();
      device.set_zero(counts.data(), n * sizeof(IterationCounts));
      for (std::size_t i = 0; i < n; ++i)
        {
          iterate(slices, i, single);
          if ((i + 1) % iterations_per_check != 0 && i + 1 < n)
            continue;
          IterationCounts last = {};
          device.download(&last, counts.data() + i, sizeof(last));
          if (last.active == 0)
            return false;
          // The choice of atoms is the same in both precisions.
          single = single && last.candidates <=
                               max_candidate_share * double(last.active) *
                                 double(problem.dictionary->size());
        }
      return true;
    }


    std::vector<Fit>
    CudaPointwiseEngine::outcomes()
    {
      device.make_current();
      const std::size_t n_factor = max_neurons * (max_neurons + 1) / 2;
      const auto        reasons  = reason.get(device, n_slices);
      const auto        counted  = count.get(device, n_slices);
      const auto        picks    = chosen.get(device, n_slices * max_neurons);
      const auto        factors  = factor.get(device, n_slices * n_factor);
      const auto products = projection.get(device, n_slices * max_neurons);
      const auto errors   = train.get(device, n_slices * (max_neurons + 1));
      const auto others   = validation.get(
        device, problem.has_validation ? n_slices * (max_neurons + 1) : 0);

      std::vector<Fit> result(n_slices);
      for (std::size_t s = 0; s < n_slices; ++s)
        {
          const std::size_t n    = counted[s];
          const auto        part = [&](const auto       &all,
                                const std::size_t step,
                                const std::size_t size,
                                auto             &to) {
            to.assign(all.begin() + s * step, all.begin() + s * step + size);
          };
          Fit &slice   = result[s];
          slice.reason = static_cast<StopReason>(reasons[s]);
          part(picks, max_neurons, n, slice.chosen);
          part(factors, n_factor, n * (n + 1) / 2, slice.factor);
          part(products, max_neurons, n, slice.projection);
          part(errors, max_neurons + 1, n + 1, slice.train_squares);
          if (problem.has_validation)
            part(others, max_neurons + 1, n + 1, slice.validation_squares);
        }
      return result;
    }
  } // namespace Cuda
} // namespace Evergreen
