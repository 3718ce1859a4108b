// PW-OGA on the device.

#include "module.h"
#include "projector.cuh"
#include "slices.cuh"

#include <evergreen/greedy/pointwise_engine.h>

#include <deque>
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


      /**
       * Dictionaries, bases and residuals live on the device. An iteration is
       * one matrix product (the correlations of a whole dictionary with a whole
       * group of slices) and one kernel, and the host only hears, now and then,
       * how many slices are left. Copies that would have to be asynchronous to
       * pay are not there: a group's targets go up once, its outcomes come down
       * once.
       */
      class CudaPointwiseEngine : public PointwiseEngine
      {
      public:
        CudaPointwiseEngine() : projector(device)
        {}

        void
        reinit(const Problem &new_problem) override
        {
          device.make_current();
          memory.clear();
          problem     = new_problem;
          max_neurons = problem.max_neurons();
          problem.rule->check();
          projector.reinit(*problem.rule, *problem.c, problem.n_rows);
        }

        void
        coordinates(const AtomList &atoms, double *result) override
        {
          device.make_current();
          projector.coordinates(atoms, result);
        }

        Plan
        plan(const std::size_t n_unfinished) const override
        {
          device.make_current();
          const std::size_t kept =
            projector.work_bytes() + dictionary_bytes() + bytes_left_free;
          const std::size_t free = device.free_memory();
          return share(problem,
                       std::min(problem.parameters->memory,
                                free > kept ? free - kept : 0),
                       dictionary_bytes(),
                       slice_bytes(),
                       n_unfinished);
        }

        void
        reserve(const Plan &plan) override
        {
          device.make_current();
          const std::size_t size = problem.dictionary->size();
          const std::size_t n    = plan.n_slices;
          memory.clear();
          dictionaries = {};
          slices       = settings();
          allocate(dictionaries.h,
                   plan.n_dictionaries * problem.dictionary_numbers());
          allocate(dictionaries.norms, plan.n_dictionaries * size);
          allocate(dictionaries.max_norm, plan.n_dictionaries);
          allocate(counts, plan.n_dictionaries);
          allocate(correlations, n * size);
          if (may_be_single())
            {
              allocate(dictionaries.h_single,
                       plan.n_dictionaries * problem.dictionary_numbers());
              allocate(correlations_single, n * size);
              allocate(slices.residual_single, n * problem.n_rows);
            }

          allocate(slices.basis, n * max_neurons * problem.n_rows);
          allocate(slices.residual, n * problem.n_rows);
          for (double **const numbers :
               {&slices.norm, &slices.misfit, &slices.square_norm})
            allocate(*numbers, n);
          allocate(slices.own_starts, n + 1);
          allocate(slices.own_h, n * problem.max_own_atoms * problem.n_rows);
          allocate(slices.own_norms, n * problem.max_own_atoms);
          allocate(slices.own_scores, n * problem.max_own_atoms);
          allocate(slices.scores, n * size);
          allocate(slices.tried, n * size);
          allocate(slices.reason, n);
          allocate(slices.count, n);
          allocate(slices.best_validation, n);
          allocate(slices.chosen, n * max_neurons);
          allocate(slices.projection, n * max_neurons);
          allocate(slices.factor, n * (max_neurons * (max_neurons + 1) / 2));
          allocate(slices.train, n * (max_neurons + 1));
          if (problem.has_validation)
            allocate(slices.validation, n * (max_neurons + 1));
        }

        void
        make_dictionaries(const std::size_t position,
                          const std::size_t first,
                          const std::size_t n) override
        {
          device.make_current();
          projector.project(problem.dictionary->draw(first, n),
                            dictionaries.from(position, slices).h);
        }

        double *
        coordinates_on_host(const std::size_t position,
                            const std::size_t n) override
        {
          device.make_current();
          staged.resize(n * problem.dictionary_numbers());
          device.download(staged.data(),
                          dictionaries.from(position, slices).h,
                          staged.size());
          return staged.data();
        }

        void
        finish_dictionaries(const std::size_t position,
                            const std::size_t n,
                            const double     *complete) override
        {
          device.make_current();
          const DictionaryArrays part = dictionaries.from(position, slices);
          if (complete != nullptr)
            device.upload(part.h, complete, n * problem.dictionary_numbers());
          Cuda::finish_dictionaries(device, slices, part, n);
        }

        void
        start(const std::vector<SliceStart> &starts) override
        {
          device.make_current();
          slices.n_slices = starts.size();
          if (starts.empty())
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
          device.upload(slices.residual, targets.data(), targets.size());
          device.upload(slices.misfit, misfits.data(), misfits.size());
          device.upload(slices.square_norm,
                        square_norms.data(),
                        square_norms.size());
          start_own_atoms(starts);
          start_slices(device, slices);
        }

        bool
        advance(const std::size_t n) override
        {
          if (slices.n_slices == 0)
            return false;
          device.make_current();
          bool single = may_be_single();
          device.set_zero(counts, n * sizeof(IterationCounts));
          for (std::size_t i = 0; i < n; ++i)
            {
              iterate(i, single);
              if ((i + 1) % iterations_per_check != 0 && i + 1 < n)
                continue;
              IterationCounts last = {};
              device.download(&last, counts + i, 1);
              if (last.active == 0)
                return false;
              // The choice of atoms is the same in both precisions.
              single = single && last.candidates <= max_candidate_share *
                                                      double(last.active) *
                                                      double(slices.n_atoms);
            }
          return true;
        }

        std::vector<Fit>
        outcomes() override
        {
          device.make_current();
          const std::size_t n       = slices.n_slices;
          const auto        reasons = device.download(slices.reason, n);
          const auto        counted = device.download(slices.count, n);

          // The first size(neurons) of every slice's @p step numbers.
          std::vector<Fit> result(n);
          const auto       collect = [&](const auto       *numbers,
                                   const std::size_t step,
                                   auto Fit::*const member,
                                   const auto      &size) {
            const auto all = device.download(numbers, n * step);
            for (std::size_t s = 0; s < n; ++s)
              (result[s].*member)
                .assign(all.begin() + s * step,
                        all.begin() + s * step + size(counted[s]));
          };
          const auto triangle = [](const std::size_t k) {
            return k * (k + 1) / 2;
          };
          const auto same  = [](const std::size_t k) { return k; };
          const auto above = [](const std::size_t k) { return k + 1; };
          collect(slices.chosen, max_neurons, &Fit::chosen, same);
          collect(slices.factor, triangle(max_neurons), &Fit::factor, triangle);
          collect(slices.projection, max_neurons, &Fit::projection, same);
          collect(slices.train, max_neurons + 1, &Fit::train_squares, above);
          if (problem.has_validation)
            collect(slices.validation,
                    max_neurons + 1,
                    &Fit::validation_squares,
                    above);
          for (std::size_t s = 0; s < n; ++s)
            result[s].reason = static_cast<StopReason>(reasons[s]);
          return result;
        }

      private:
        /** Whether the search may be in single precision. */
        bool
        may_be_single() const
        {
          return problem.parameters->precision !=
                 SearchPrecision::double_precision;
        }

        /** The bytes that a dictionary and a slice need. */
        std::size_t
        dictionary_bytes() const
        {
          const std::size_t number =
            sizeof(double) + (may_be_single() ? sizeof(float) : 0);
          return problem.dictionary->size() *
                   (problem.n_rows * number + sizeof(double)) +
                 64;
        }

        std::size_t
        slice_bytes() const
        {
          const std::size_t numbers =
            problem.n_rows * (max_neurons + problem.max_own_atoms + 2) +
            max_neurons * (max_neurons + 1) / 2 + 4 * max_neurons +
            2 * problem.max_own_atoms + 16;
          return numbers * sizeof(double) +
                 problem.dictionary->size() *
                   (2 * sizeof(double) + sizeof(float) + 1);
        }

        /** Makes room for @p n numbers, until the next reinit(). */
        template <typename Number>
        void
        allocate(Number *&numbers, const std::size_t n)
        {
          memory.emplace_back();
          memory.back().resize(n * sizeof(Number));
          numbers = reinterpret_cast<Number *>(memory.back().data());
        }

        /** What kernels get to know of slices, but for arrays. */
        SliceArrays
        settings() const
        {
          const GreedyParameters &parameters = *problem.parameters;

          SliceArrays result    = {};
          result.n_rows         = problem.n_rows;
          result.n_dot          = problem.n_dot;
          result.n_data         = problem.n_data;
          result.n_atoms        = problem.dictionary->size();
          result.max_neurons    = max_neurons;
          result.normalised     = parameters.selection == Selection::normalised;
          result.span_tolerance = parameters.span_tolerance;
          result.max_skipped    = parameters.max_skipped;
          result.tolerance =
            std::max(parameters.tolerance,
                     4 * std::numeric_limits<double>::epsilon());
          result.rank      = static_cast<unsigned int>(problem.rank);
          result.n_neurons = parameters.n_neurons;
          result.patience  = parameters.patience;
          return result;
        }

        /** Uploads the slices' own atoms. */
        void
        start_own_atoms(const std::vector<SliceStart> &starts)
        {
          std::vector<unsigned int> first(1);
          std::vector<double>       norms;
          for (const SliceStart &slice : starts)
            {
              device.upload(slices.own_h + first.back() * problem.n_rows,
                            slice.own_h,
                            slice.n_own * problem.n_rows);
              norms.insert(norms.end(),
                           slice.own_norms,
                           slice.own_norms + slice.n_own);
              first.push_back(static_cast<unsigned int>(norms.size()));
            }
          device.upload(slices.own_norms, norms.data(), norms.size());
          device.upload(slices.own_starts, first.data(), first.size());
        }

        /** One iteration with the dictionary at a position. */
        void
        iterate(const std::size_t position, const bool single)
        {
          const DictionaryArrays dictionary =
            dictionaries.from(position, slices);
          const auto iterate_in = [&](const auto  *numbers,
                                      const auto  *residuals,
                                      auto        *products,
                                      const double rounding,
                                      const bool   tensor) {
            using Number = std::remove_pointer_t<decltype(products)>;
            device.gemm<Number>(
              'T',
              'N',
              {numbers, slices.n_dot, slices.n_atoms, slices.n_rows},
              {residuals, slices.n_dot, slices.n_slices, slices.n_rows},
              {products, slices.n_atoms, slices.n_slices},
              tensor);
            advance_slices(device,
                           slices,
                           dictionary,
                           products,
                           rounding,
                           counts + position);
          };
          const bool tensor =
            problem.parameters->precision == SearchPrecision::tensor_precision;
          if (single)
            iterate_in(dictionary.h_single,
                       slices.residual_single,
                       correlations_single,
                       dot_rounding(slices.n_dot,
                                    std::numeric_limits<float>::epsilon()) +
                         (tensor ? tensor_rounding : 0.),
                       tensor);
          else
            iterate_in(dictionary.h,
                       slices.residual,
                       correlations,
                       dot_rounding(slices.n_dot,
                                    std::numeric_limits<double>::epsilon()),
                       false);
        }

        Device      device;
        Projector   projector;
        Problem     problem;
        std::size_t max_neurons = 0;

        /** All arrays of the following structures, and those behind. */
        std::deque<DeviceArray<char>> memory;
        DictionaryArrays              dictionaries        = {};
        SliceArrays                   slices              = {};
        IterationCounts              *counts              = nullptr;
        double                       *correlations        = nullptr;
        float                        *correlations_single = nullptr;

        std::vector<double> staged; ///< coordinates on the host
      };
    } // namespace


    std::unique_ptr<PointwiseEngine>
    make_pointwise_engine()
    {
      return std::make_unique<CudaPointwiseEngine>();
    }
  } // namespace Cuda
} // namespace Evergreen
