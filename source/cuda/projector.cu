#include "projector.cuh"

#include <evergreen/base/error.h>
#include <evergreen/base/random.h>
#include <evergreen/dictionary/near_corrections.h>

#include <algorithm>

namespace Evergreen
{
  namespace Cuda
  {
    namespace
    {
      constexpr unsigned int threads          = 128;
      constexpr std::size_t  rows_per_block   = 8;
      constexpr int          max_dim          = 6;
      constexpr std::size_t  bytes_of_actions = std::size_t(64) << 20;


      /** What ridge atoms are drawn from, see ReluFamily. */
      struct RidgeSource
      {
        int           kind;
        int           dim;
        double        centre[max_dim];
        double        radius;
        std::uint64_t key;
        std::size_t   uniform_stride;
        std::size_t   first; ///< position of the family in a dictionary
        std::size_t   size; ///< its number of atoms in a dictionary
        std::size_t   dictionary_size;
      };


      /**
       * Draws the ridge atoms of a family for n dictionaries: one thread for
       * each atom.
       */
      __global__ void
      __launch_bounds__(threads, min_blocks)
        draw_ridges(const RidgeSource   source,
                    const std::uint64_t iteration,
                    const std::size_t   n,
                    const AtomArrays    atoms)
      {
        const std::size_t i =
          std::size_t(blockIdx.x) * blockDim.x + threadIdx.x;
        if (i >= n * source.size)
          return;
        const std::size_t number  = i / source.size;
        const std::size_t index   = source.first + i % source.size;
        const std::size_t j       = number * source.dictionary_size + index;
        const std::size_t first   = index * source.uniform_stride;
        const auto        uniform = [&](const std::size_t u) {
          return uniform_number(source.key, iteration + number, first + u);
        };

        constexpr double pi    = 3.14159265358979323846;
        const int        dim   = source.dim;
        const int        last  = dim > 2 ? dim - 1 : 1;
        double           bias  = source.radius * (2 * uniform(last) - 1);
        double           sines = 1;
        for (int d = 0; d < dim; ++d)
          {
            double w = sines;
            if (dim == 1)
              w = uniform(0) < 0.5 ? 1. : -1.;
            else if (d + 1 < dim)
              {
                const double angle = (d + 2 < dim ? pi : 2 * pi) * uniform(d);
                w                  = sines * cos(angle);
                sines *= sin(angle);
              }
            atoms.weights[j * dim + d] = w;
            bias -= w * source.centre[d];
          }
        atoms.kinds[j]  = source.kind;
        atoms.biases[j] = bias;
      }


      /**
       * The actions B g of atoms, actions[row n_atoms + atom]. A thread has an
       * atom, and takes rows_per_block rows one after the other: all threads of
       * a warp are at the same entry of B, and write side by side.
       */
      template <int dim>
      __global__ void
      __launch_bounds__(threads, min_blocks)
        compute_actions(const AtomArrays atoms,
                        const RuleArrays rule,
                        double          *actions)
      {
        const std::size_t j =
          std::size_t(blockIdx.x) * blockDim.x + threadIdx.x;
        if (j >= atoms.size)
          return;
        const int    kind = atoms.kinds[j];
        const double bias = atoms.biases[j];
        double       w[dim];
#pragma unroll
        for (int d = 0; d < dim; ++d)
          w[d] = atoms.weights[j * dim + d];

        const std::size_t begin = blockIdx.y * rows_per_block;
        const std::size_t end   = begin + rows_per_block < rule.n_rows
                                    ? begin + rows_per_block
                                    : rule.n_rows;
        for (std::size_t k = begin; k < end; ++k)
          {
            double sum = 0;
            for (unsigned int e = rule.row_starts[k];
                 e < rule.row_starts[k + 1];
                 ++e)
              {
                const double *const y =
                  rule.points + std::size_t(rule.columns[e]) * dim;
                double g;
                if (dim > 3 || kind <= 4)
                  {
                    double z = bias;
#pragma unroll
                    for (int d = 0; d < dim; ++d)
                      z += w[d] * y[d];
                    g = relu(kind, z);
                  }
                else
                  g = radial_from_square(atoms.tables,
                                         kind,
                                         bias,
                                         square_distance<dim>(w, y));
                sum += rule.values[e] * g;
              }
            actions[k * atoms.size + j] = sum;
          }
      }


      /** Adds the entries of NearCorrections, each of which has its place. */
      __global__ void
      __launch_bounds__(threads, min_blocks)
        add_entries(const std::size_t   n,
                    const unsigned int *rows,
                    const unsigned int *atoms,
                    const double       *values,
                    const std::size_t   n_atoms,
                    double             *actions)
      {
        const std::size_t e =
          std::size_t(blockIdx.x) * blockDim.x + threadIdx.x;
        if (e < n)
          actions[std::size_t(rows[e]) * n_atoms + atoms[e]] += values[e];
      }


      /** H = B g for C = 1: transposes, and pads columns with zeros. */
      __global__ void
      __launch_bounds__(threads, min_blocks)
        transpose_actions(const std::size_t n_actions,
                          const std::size_t n_atoms,
                          const std::size_t n_rows,
                          const double     *actions,
                          double           *h)
      {
        const std::size_t i =
          std::size_t(blockIdx.x) * blockDim.x + threadIdx.x;
        if (i >= n_rows * n_atoms)
          return;
        const std::size_t row = i % n_rows, atom = i / n_rows;
        h[i] = row < n_actions ? actions[row * n_atoms + atom] : 0.;
      }


      template <int dim>
      void
      launch_actions(const Device     &device,
                     const AtomArrays &atoms,
                     const RuleArrays &rule,
                     double           *actions)
      {
        device.launch("compute_actions",
                      dim3(n_blocks(atoms.size, threads),
                           n_blocks(rule.n_rows, rows_per_block)),
                      threads,
                      0,
                      compute_actions<dim>,
                      atoms,
                      rule,
                      actions);
      }
    } // namespace


    const double *
    RadialTables::get(const Device &device)
    {
      if (!is_ready)
        {
          std::vector<double> all;
          for (const RadialFunction function : all_radial_functions())
            {
              const auto &table = radial_table(function).coefficients;
              all.insert(all.end(), table.begin(), table.end());
            }
          coefficients.assign(device, all);
          is_ready = true;
        }
      return coefficients.data();
    }


    void
    DeviceAtoms::assign(const Device     &device,
                        const AtomList   &atoms,
                        const std::size_t first,
                        const std::size_t n)
    {
      std::vector<int> numbers(n);
      radial = false;
      for (std::size_t j = 0; j < n; ++j)
        {
          numbers[j] = static_cast<int>(atoms.kinds[first + j]);
          radial |= atom_form(atoms.kinds[first + j]) != AtomForm::ridge;
        }
      size = n;
      kinds.assign(device, numbers);
      weights.resize(n * atoms.dim);
      biases.resize(n);
      device.upload(weights.data(),
                    atoms.weights.data() + first * atoms.dim,
                    n * atoms.dim * sizeof(double));
      device.upload(biases.data(),
                    atoms.biases.data() + first,
                    n * sizeof(double));
    }


    void
    DeviceAtoms::draw_on_host(const Device     &device,
                              const Dictionary &dictionary,
                              const std::size_t iteration,
                              const std::size_t n,
                              AtomList         &drawn)
    {
      const unsigned int dim     = dictionary.dim();
      const auto         is_relu = [](const Dictionary::Part &part) {
        return dynamic_cast<const ReluFamily *>(part.family.get()) != nullptr;
      };
      const auto &mixture = dictionary.mixture();
      drawn               = AtomList(dim);
      if (std::all_of(mixture.begin(), mixture.end(), is_relu))
        {
          size   = n * dictionary.size();
          radial = false;
          kinds.resize(size);
          weights.resize(size * dim);
          biases.resize(size);
          return;
        }
      const std::vector<double> nothing(dim);
      for (std::size_t i = 0; i < n; ++i)
        {
          std::size_t index = 0;
          for (const Dictionary::Part &part : mixture)
            for (std::size_t j = 0; j < part.size; ++j, ++index)
              if (is_relu(part))
                drawn.push_back(AtomKind::relu_1, nothing.data(), 0.);
              else
                dictionary.draw(iteration + i, index, drawn);
        }
      assign(device, drawn, 0, drawn.size());
    }


    void
    DeviceAtoms::draw(const Device     &device,
                      const Dictionary &dictionary,
                      const std::size_t iteration,
                      const std::size_t n,
                      AtomList         &drawn)
    {
      draw_on_host(device, dictionary, iteration, n, drawn);
      RidgeSource source    = {};
      source.dim            = static_cast<int>(dictionary.dim());
      source.uniform_stride = dictionary.uniform_stride();
      source.key            = dictionary.random_seed() +
                   static_cast<std::uint64_t>(Random::Stream::dictionary) *
                     0xD1B54A32D192ED03ull;
      source.dictionary_size = dictionary.size();
      for (const Dictionary::Part &part : dictionary.mixture())
        {
          source.size = part.size;
          if (const auto *const family =
                dynamic_cast<const ReluFamily *>(part.family.get()))
            {
              source.kind   = static_cast<int>(family->atom_kind());
              source.radius = family->ball().radius;
              std::copy_n(family->ball().centre.begin(),
                          dictionary.dim(),
                          source.centre);
              device.launch("draw_ridges",
                            dim3(n_blocks(n * part.size, threads)),
                            threads,
                            0,
                            draw_ridges,
                            source,
                            std::uint64_t(iteration),
                            n,
                            arrays(nullptr));
            }
          source.first += part.size;
        }
    }


    AtomArrays
    DeviceAtoms::arrays(const double *tables) const
    {
      return {kinds.data(), weights.data(), biases.data(), size, tables};
    }


    bool
    DeviceAtoms::has_radial() const
    {
      return radial;
    }


    Projector::Projector(const Device &used_device) : device(&used_device)
    {}


    void
    Projector::reinit(const QuadratureRule      &new_rule,
                      const std::vector<double> &new_c,
                      const std::size_t          new_n_rows)
    {
      if (new_rule.dim < 1 || new_rule.dim > max_dim)
        throw Error("The points of the rule have ",
                    new_rule.dim,
                    " coordinates: the CUDA backend can do 1 to ",
                    max_dim,
                    ". Choose 'Backend' = cpu.");
      rule     = &new_rule;
      n_rows   = new_n_rows;
      has_unit = new_c.empty();

      // B by rows, the points of a row in their order.
      std::vector<unsigned int> starts(rule->n_rows + 1);
      for (const unsigned int row : rule->rows)
        ++starts[row + 1];
      for (std::size_t k = 0; k < rule->n_rows; ++k)
        starts[k + 1] += starts[k];
      std::vector<unsigned int> places(starts.begin(), starts.end() - 1);
      std::vector<unsigned int> points(rule->rows.size());
      std::vector<double>       values(rule->rows.size());
      for (std::size_t q = 0; q < rule->n_points(); ++q)
        for (std::size_t e = rule->column_starts[q];
             e < rule->column_starts[q + 1];
             ++e)
          {
            const unsigned int place = places[rule->rows[e]]++;
            points[place]            = static_cast<unsigned int>(q);
            values[place]            = rule->values[e];
          }
      rule_points.assign(*device, rule->points);
      row_starts.assign(*device, starts);
      columns.assign(*device, points);
      rule_values.assign(*device, values);
      c.assign(*device, new_c);
    }


    std::size_t
    Projector::max_atoms() const
    {
      const std::size_t bytes =
        std::max<std::size_t>(1, std::max(rule->n_rows, n_rows) * 8);
      return std::max<std::size_t>(bytes_of_actions / bytes / threads, 1) *
             threads;
    }


    std::size_t
    Projector::work_bytes() const
    {
      return max_atoms() * (rule->n_rows + rule->dim + 2) * sizeof(double);
    }


    const double *
    Projector::points() const
    {
      return rule_points.data();
    }


    void
    Projector::coordinates(const AtomList &list, double *h)
    {
      for (std::size_t first = 0; first < list.size(); first += max_atoms())
        {
          const std::size_t n = std::min(max_atoms(), list.size() - first);
          atoms.assign(*device, list, first, n);
          part.resize(n * n_rows);
          project(list, first, n, part.data());
          device->download(h + first * n_rows,
                           part.data(),
                           n * n_rows * sizeof(double));
        }
    }


    void
    Projector::dictionaries(const Dictionary &dictionary,
                            const std::size_t iteration,
                            const std::size_t n,
                            double           *h)
    {
      const std::size_t size = dictionary.size();
      const std::size_t step = std::max<std::size_t>(1, max_atoms() / size);
      AtomList          drawn;
      for (std::size_t i = 0; i < n; i += step)
        {
          const std::size_t n_here = std::min(step, n - i);
          atoms.draw(*device, dictionary, iteration + i, n_here, drawn);
          project(drawn, 0, n_here * size, h + i * size * n_rows);
        }
    }


    void
    Projector::project(const AtomList   &host,
                       const std::size_t first,
                       const std::size_t n,
                       double           *h)
    {
      if (rule->n_rows == 0)
        {
          device->set_zero(h, n * n_rows * sizeof(double));
          return;
        }
      if (atoms.has_radial() && rule->dim > 3)
        throw Error("Radial atoms have at most 3 variables, not ",
                    rule->dim,
                    ".");
      const AtomArrays arrays =
        atoms.arrays(atoms.has_radial() ? tables.get(*device) : nullptr);
      const RuleArrays rule_arrays = {rule->n_rows,
                                      rule_points.data(),
                                      row_starts.data(),
                                      columns.data(),
                                      rule_values.data()};
      actions.resize(n * rule->n_rows);
      constexpr decltype(&launch_actions<1>) launches[max_dim] = {
        launch_actions<1>,
        launch_actions<2>,
        launch_actions<3>,
        launch_actions<4>,
        launch_actions<5>,
        launch_actions<6>};
      launches[rule->dim - 1](*device, arrays, rule_arrays, actions.data());
      if (atoms.has_radial())
        add_corrections(host, first, n);

      if (has_unit)
        device->launch("transpose_actions",
                       dim3(n_blocks(n * n_rows, threads)),
                       threads,
                       0,
                       transpose_actions,
                       rule->n_rows,
                       n,
                       n_rows,
                       actions.data(),
                       h);
      else
        device->gemm<double>('N',
                             'T',
                             {c.data(), n_rows, rule->n_rows},
                             {actions.data(), n, rule->n_rows},
                             {h, n_rows, n});
    }


    void
    Projector::add_corrections(const AtomList   &host,
                               const std::size_t first,
                               const std::size_t n)
    {
      const NearCorrections corrections =
        near_corrections(*rule, host, first, n);
      const std::size_t n_entries = corrections.values.size();
      if (n_entries == 0)
        return;
      correction_rows.assign(*device, corrections.rows);
      correction_atoms.assign(*device, corrections.atoms);
      correction_values.assign(*device, corrections.values);
      device->launch("add_entries",
                     dim3(n_blocks(n_entries, threads)),
                     threads,
                     0,
                     add_entries,
                     n_entries,
                     correction_rows.data(),
                     correction_atoms.data(),
                     correction_values.data(),
                     n,
                     actions.data());
    }
  } // namespace Cuda
} // namespace Evergreen
