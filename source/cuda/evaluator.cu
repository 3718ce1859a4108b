// Evaluator on the device. Its own kernels are those of the fused search of the
// full algorithm; coordinates are the Projector's.

#include "module.h"
#include "projector.cuh"
#include "reductions.cuh"

#include <evergreen/base/error.h>
#include <evergreen/dictionary/evaluator.h>

#include <algorithm>
#include <mutex>

namespace Evergreen
{
  namespace Cuda
  {
    namespace
    {
      constexpr unsigned int threads = 128;

      // A block takes tiles of so many points y, which a thread keeps in
      // registers, and of so many points x, whose weights are in shared memory.
      constexpr int tile_y = 8;
      constexpr int tile_x = 32;

      // The tiles in y are shared out over at most so many blocks.
      constexpr unsigned int max_parts = 128;

      // At most so many atoms are launched at once.
      constexpr std::size_t max_atoms_per_launch = 4096;


      /** The points of the search. */
      template <typename Number>
      struct KernelPoints
      {
        std::size_t   n_x;
        const double *x;
        std::size_t   n_y;
        const double *y;
        const Number *p; ///< the weights, p[i ldp + q]
        std::size_t   ldp;
      };


      /** w_x . x + b, and w_y . y: a ridge atom is a function of their sum. */
      template <typename Number, int dim, int power>
      struct Ridge
      {
        double w[2 * dim];
        double bias;

        __device__
        Ridge(const AtomArrays &atoms, const std::size_t j)
        {
#pragma unroll
          for (int d = 0; d < 2 * dim; ++d)
            w[d] = atoms.weights[j * 2 * dim + d];
          bias = atoms.biases[j];
        }

        __device__ Number
        at_x(const double *x) const
        {
          double z = bias;
#pragma unroll
          for (int d = 0; d < dim; ++d)
            z += w[d] * x[d];
          return static_cast<Number>(z);
        }

        __device__ Number
        at_y(const double *y) const
        {
          double z = 0;
#pragma unroll
          for (int d = 0; d < dim; ++d)
            z += w[dim + d] * y[d];
          return static_cast<Number>(z);
        }

        /** The value, from the two numbers (and the square of |x - y|). */
        __device__ Number
        value(const Number at_x, const Number at_y, const double) const
        {
          return relu(power, at_x + at_y);
        }
      };


      /** The profile of a radial atom, of the square of a distance. */
      template <typename Number>
      struct Profile
      {
        const double *tables;
        int           function;
        double        kappa;

        __device__
        Profile(const AtomArrays &atoms, const std::size_t j)
          : tables(atoms.tables)
          , function(atoms.kinds[j] % 100)
          , kappa(atoms.biases[j])
        {}

        __device__ Number
        operator()(const double square) const
        {
          return static_cast<Number>(
            radial_from_square(tables, function, kappa, square));
        }
      };


      /** The product of two profiles. */
      template <typename Number, int dim>
      struct Product
      {
        Profile<Number> profile;
        double          centres[2 * dim];

        __device__
        Product(const AtomArrays &atoms, const std::size_t j)
          : profile(atoms, j)
        {
#pragma unroll
          for (int d = 0; d < 2 * dim; ++d)
            centres[d] = atoms.weights[j * 2 * dim + d];
        }

        __device__ Number
        at_x(const double *x) const
        {
          return profile(square_distance<dim>(x, centres));
        }

        __device__ Number
        at_y(const double *y) const
        {
          return profile(square_distance<dim>(y, centres + dim));
        }

        __device__ Number
        value(const Number at_x, const Number at_y, const double) const
        {
          return at_x * at_y;
        }
      };


      /** A profile of |x - y|. */
      template <typename Number, int dim>
      struct Difference
      {
        Profile<Number> profile;

        __device__
        Difference(const AtomArrays &atoms, const std::size_t j)
          : profile(atoms, j)
        {}

        __device__ Number
        at_x(const double *) const
        {
          return 0;
        }

        __device__ Number
        at_y(const double *) const
        {
          return 0;
        }

        __device__ Number
        value(const Number, const Number, const double square) const
        {
          return profile(square);
        }
      };


      /**
       * Brings the weights of a tile and the squares of the distances to
       * shared memory; what is not there has no weight.
       */
      template <typename Number, int dim>
      __device__ void
      load_tile(const KernelPoints<Number> &points,
                const std::size_t           first_x,
                const std::size_t           first_y,
                Number                     *weights,
                double                     *squares)
      {
        for (unsigned int t = threadIdx.x; t < tile_x * tile_y; t += threads)
          {
            const std::size_t i    = first_x + t / tile_y;
            const std::size_t q    = first_y + t % tile_y;
            const bool        here = i < points.n_x && q < points.n_y;
            weights[t] = here ? points.p[i * points.ldp + q] : Number(0);
            squares[t] = here ? square_distance<dim>(points.x + i * dim,
                                                     points.y + q * dim)
                              : 1.;
          }
      }


      /**
       * A thread has an atom; blocks with the same x number have the same
       * atoms, and every one of them takes other tiles of points y.
       */
      template <typename Number, int dim, typename Atom>
      __global__ void
      __launch_bounds__(threads, min_blocks)
        kernel_sums_kernel(const AtomArrays           atoms,
                           const std::size_t          first,
                           const std::size_t          n,
                           const KernelPoints<Number> points,
                           double                    *parts)
      {
        double *const squares = shared_numbers();
        Number *const weights =
          reinterpret_cast<Number *>(squares + tile_x * tile_y);

        const std::size_t j =
          std::size_t(blockIdx.x) * blockDim.x + threadIdx.x;
        // All threads are needed at the barriers: idle ones repeat the last.
        const Atom atom(atoms, first + (j < n ? j : n - 1));

        double            total   = 0;
        const std::size_t n_tiles = (points.n_y + tile_y - 1) / tile_y;
        for (std::size_t tile = blockIdx.y; tile < n_tiles; tile += gridDim.y)
          {
            const std::size_t first_y = tile * tile_y;
            Number            at_y[tile_y];
#pragma unroll
            for (int l = 0; l < tile_y; ++l)
              at_y[l] = atom.at_y(points.y + (first_y + l < points.n_y
                                                ? first_y + l
                                                : points.n_y - 1) *
                                               dim);
            for (std::size_t first_x = 0; first_x < points.n_x;
                 first_x += tile_x)
              {
                // The last tile is no longer in use, this one is complete.
                __syncthreads();
                load_tile<Number, dim>(
                  points, first_x, first_y, weights, squares);
                __syncthreads();
                const int n_here = points.n_x - first_x < tile_x
                                     ? static_cast<int>(points.n_x - first_x)
                                     : tile_x;
                for (int i = 0; i < n_here; ++i)
                  {
                    const Number at_x =
                      atom.at_x(points.x + (first_x + i) * dim);
                    Number sum = 0;
#pragma unroll
                    for (int l = 0; l < tile_y; ++l)
                      sum += weights[i * tile_y + l] *
                             atom.value(at_x, at_y[l], squares[i * tile_y + l]);
                    total += sum;
                  }
              }
          }
        if (j < n)
          parts[blockIdx.y * n + j] = total;
      }


      /** Adds the parts of every atom, in their order. */
      __global__ void
      __launch_bounds__(threads, min_blocks)
        add_parts(const std::size_t n_parts,
                  const std::size_t n,
                  const double     *parts,
                  double           *result)
      {
        const std::size_t j =
          std::size_t(blockIdx.x) * blockDim.x + threadIdx.x;
        if (j >= n)
          return;
        double sum = 0;
        for (std::size_t i = 0; i < n_parts; ++i)
          sum += parts[i * n + j];
        result[j] = sum;
      }


      /** The kernel for atoms of a kind. */
      template <typename Number, int dim>
      auto
      kernel_for(const int kind)
      {
        switch (kind)
          {
            case 1:
              return &kernel_sums_kernel<Number, dim, Ridge<Number, dim, 1>>;
            case 2:
              return &kernel_sums_kernel<Number, dim, Ridge<Number, dim, 2>>;
            case 3:
              return &kernel_sums_kernel<Number, dim, Ridge<Number, dim, 3>>;
            case 4:
              return &kernel_sums_kernel<Number, dim, Ridge<Number, dim, 4>>;
            default:
              if (kind < 200)
                return &kernel_sums_kernel<Number,
                                           dim,
                                           Difference<Number, dim>>;
              return &kernel_sums_kernel<Number, dim, Product<Number, dim>>;
          }
      }


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


      class CudaEvaluator : public Evaluator
      {
      public:
        CudaEvaluator() : projector(device)
        {}

        void
        reinit(const QuadratureRule      &new_rule,
               const std::vector<double> &new_c,
               const std::size_t          new_n_rows) override
        {
          Evaluator::reinit(new_rule, new_c, new_n_rows);
          const std::lock_guard<std::mutex> lock(mutex);
          device.make_current();
          projector.reinit(new_rule, new_c, new_n_rows);
        }

        void
        coordinates(const AtomList &atoms, double *h) const override
        {
          const std::lock_guard<std::mutex> lock(mutex);
          device.make_current();
          projector.coordinates(atoms, h);
        }

        std::vector<double>
        kernel_correlations(const AtomList                &atoms,
                            const MatrixView<const double> x,
                            const MatrixView<const double> p,
                            const bool single) const override
        {
          if (!single)
            return search(atoms, x, p);
          const std::vector<float> numbers(p.data, p.data + p.n_columns * p.ld);
          return search(atoms,
                        x,
                        MatrixView<const float>(
                          numbers.data(), p.n_rows, p.n_columns, p.ld));
        }

      private:
        template <typename Number>
        std::vector<double>
        search(const AtomList                &atoms,
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
          const AtomArrays arrays = projector.upload(atoms, 0, atoms.size());
          points.resize(x.n_columns * dim);
          device.upload(points.data(), x.data, x.n_columns * dim);
          weights.resize(p.n_columns * p.ld * sizeof(Number));
          Number *const numbers = reinterpret_cast<Number *>(weights.data());
          device.upload(numbers, p.data, p.n_columns * p.ld);
          const KernelPoints<Number> kernel_points = {x.n_columns,
                                                      points.data(),
                                                      rule->n_points(),
                                                      projector.points(),
                                                      numbers,
                                                      p.ld};
          sums.resize(atoms.size());
          for (std::size_t first = 0, end; first < atoms.size(); first = end)
            {
              end             = end_of_run(atoms, first);
              const auto kind = static_cast<int>(atoms.kinds[first]);
              launch(arrays,
                     first,
                     end - first,
                     kernel_points,
                     dim == 1   ? kernel_for<Number, 1>(kind)
                     : dim == 2 ? kernel_for<Number, 2>(kind)
                                : kernel_for<Number, 3>(kind));
            }
          device.download(result.data(), sums.data(), atoms.size());
          return result;
        }

        /** The sums of the atoms [first, first + n), all of one kind. */
        template <typename Number, typename Kernel>
        void
        launch(const AtomArrays           &atoms,
               const std::size_t           first,
               const std::size_t           n,
               const KernelPoints<Number> &kernel_points,
               const Kernel                kernel) const
        {
          const unsigned int n_parts =
            std::min(n_blocks(kernel_points.n_y, tile_y), max_parts);
          parts.resize(n_parts * n);
          device.launch("kernel_sums",
                        dim3(n_blocks(n, threads), n_parts),
                        threads,
                        tile_x * tile_y * (sizeof(double) + sizeof(Number)),
                        kernel,
                        atoms,
                        first,
                        n,
                        kernel_points,
                        parts.data());
          device.launch("add_parts",
                        dim3(n_blocks(n, threads)),
                        threads,
                        0,
                        add_parts,
                        std::size_t(n_parts),
                        n,
                        parts.data(),
                        sums.data() + first);
        }

        mutable std::mutex          mutex;
        Device                      device;
        mutable Projector           projector;
        mutable DeviceArray<double> points, parts, sums;
        mutable DeviceArray<char>   weights;
      };
    } // namespace


    std::unique_ptr<Evaluator>
    make_evaluator()
    {
      return std::make_unique<CudaEvaluator>();
    }
  } // namespace Cuda
} // namespace Evergreen
