#include "reductions.cuh"
#include "search.cuh"

#include <algorithm>

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
      constexpr std::size_t max_parts = 128;


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


      /** The product of two profiles. */
      template <typename Number, int dim>
      struct Product
      {
        const double *tables;
        int           function;
        double        kappa;
        double        centres[2 * dim];

        __device__
        Product(const AtomArrays &atoms, const std::size_t j)
          : tables(atoms.tables)
          , function(atoms.kinds[j] % 100)
          , kappa(atoms.biases[j])
        {
#pragma unroll
          for (int d = 0; d < 2 * dim; ++d)
            centres[d] = atoms.weights[j * 2 * dim + d];
        }

        __device__ Number
        at_x(const double *x) const
        {
          return static_cast<Number>(radial_from_square(
            tables, function, kappa, square_distance<dim>(x, centres)));
        }

        __device__ Number
        at_y(const double *y) const
        {
          return static_cast<Number>(radial_from_square(
            tables, function, kappa, square_distance<dim>(y, centres + dim)));
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
        const double *tables;
        int           function;
        double        kappa;

        __device__
        Difference(const AtomArrays &atoms, const std::size_t j)
          : tables(atoms.tables)
          , function(atoms.kinds[j] % 100)
          , kappa(atoms.biases[j])
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
          return static_cast<Number>(
            radial_from_square(tables, function, kappa, square));
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


      /** All that a launch needs. */
      template <typename Number>
      struct Search
      {
        const Device               *device;
        int                         kind;
        const AtomArrays           *atoms;
        std::size_t                 first, n;
        const KernelPoints<Number> *points;
        double                     *parts;

        template <int dim, typename Atom>
        void
        launch() const
        {
          device->launch("kernel_sums",
                         dim3(n_blocks(n, threads),
                              static_cast<unsigned int>(
                                n_kernel_parts(points->n_y))),
                         threads,
                         tile_x * tile_y * (sizeof(double) + sizeof(Number)),
                         kernel_sums_kernel<Number, dim, Atom>,
                         *atoms,
                         first,
                         n,
                         *points,
                         parts);
        }

        template <int dim>
        void
        launch_kind() const
        {
          if (kind == 1)
            launch<dim, Ridge<Number, dim, 1>>();
          else if (kind == 2)
            launch<dim, Ridge<Number, dim, 2>>();
          else if (kind == 3)
            launch<dim, Ridge<Number, dim, 3>>();
          else if (kind == 4)
            launch<dim, Ridge<Number, dim, 4>>();
          else if (kind < 200)
            launch<dim, Difference<Number, dim>>();
          else
            launch<dim, Product<Number, dim>>();
        }
      };
    } // namespace


    std::size_t
    n_kernel_parts(const std::size_t n_y)
    {
      return std::clamp<std::size_t>((n_y + tile_y - 1) / tile_y, 1, max_parts);
    }


    template <typename Number>
    void
    kernel_sums(const Device               &device,
                const int                   dim,
                const int                   kind,
                const AtomArrays           &atoms,
                const std::size_t           first,
                const std::size_t           n,
                const KernelPoints<Number> &points,
                double                     *parts,
                double                     *result)
    {
      const Search<Number> search = {
        &device, kind, &atoms, first, n, &points, parts};
      if (dim == 1)
        search.template launch_kind<1>();
      else if (dim == 2)
        search.template launch_kind<2>();
      else
        search.template launch_kind<3>();
      device.launch("add_parts",
                    dim3(n_blocks(n, threads)),
                    threads,
                    0,
                    add_parts,
                    n_kernel_parts(points.n_y),
                    n,
                    parts,
                    result);
    }


#define EVERGREEN_INSTANTIATE(Number)                                          \
  template void kernel_sums(const Device &,                                    \
                            int,                                               \
                            int,                                               \
                            const AtomArrays &,                                \
                            std::size_t,                                       \
                            std::size_t,                                       \
                            const KernelPoints<Number> &,                      \
                            double *,                                          \
                            double *);
    EVERGREEN_INSTANTIATE(double)
    EVERGREEN_INSTANTIATE(float)
#undef EVERGREEN_INSTANTIATE
  } // namespace Cuda
} // namespace Evergreen
