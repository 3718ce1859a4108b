#include "projector.cuh"

#include <evergreen/base/error.h>

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


      /** The rule on the device: points, and B by rows. */
      struct RuleArrays
      {
        std::size_t         n_rows;
        const double       *points;
        const unsigned int *row_starts;
        const unsigned int *columns;
        const double       *values;
      };


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


      /** Adds the corrections, each of which has its place. */
      __global__ void
      __launch_bounds__(threads, min_blocks)
        add_entries(const std::size_t     n,
                    const NearCorrection *entries,
                    const std::size_t     n_atoms,
                    double               *actions)
      {
        const std::size_t e =
          std::size_t(blockIdx.x) * blockDim.x + threadIdx.x;
        if (e < n)
          actions[std::size_t(entries[e].row) * n_atoms + entries[e].atom] +=
            entries[e].value;
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
    } // namespace


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


    AtomArrays
    Projector::upload(const AtomList   &list,
                      const std::size_t first,
                      const std::size_t n)
    {
      std::vector<int> numbers(n);
      bool             has_radial = false;
      for (std::size_t j = 0; j < n; ++j)
        {
          numbers[j] = static_cast<int>(list.kinds[first + j]);
          has_radial |= atom_form(list.kinds[first + j]) != AtomForm::ridge;
        }
      kinds.assign(*device, numbers);
      weights.resize(n * list.dim);
      biases.resize(n);
      device->upload(weights.data(),
                     list.weights.data() + first * list.dim,
                     n * list.dim);
      device->upload(biases.data(), list.biases.data() + first, n);
      if (has_radial && tables.data() == nullptr)
        {
          std::vector<double> all;
          for (const RadialFunction function : all_radial_functions())
            {
              const auto &table = radial_table(function).coefficients;
              all.insert(all.end(), table.begin(), table.end());
            }
          tables.assign(*device, all);
        }
      return {kinds.data(),
              weights.data(),
              biases.data(),
              n,
              has_radial ? tables.data() : nullptr};
    }


    void
    Projector::project(const AtomList &list, double *h)
    {
      const std::size_t step = max_atoms();
      for (std::size_t first = 0; first < list.size(); first += step)
        project(list,
                first,
                std::min(step, list.size() - first),
                h + first * n_rows);
    }


    void
    Projector::coordinates(const AtomList &list, double *h)
    {
      const std::size_t step = max_atoms();
      for (std::size_t first = 0; first < list.size(); first += step)
        {
          const std::size_t n = std::min(step, list.size() - first);
          part.resize(n * n_rows);
          project(list, first, n, part.data());
          device->download(h + first * n_rows, part.data(), n * n_rows);
        }
    }


    void
    Projector::project(const AtomList   &list,
                       const std::size_t first,
                       const std::size_t n,
                       double           *h)
    {
      if (rule->n_rows == 0)
        {
          device->set_zero(h, n * n_rows * sizeof(double));
          return;
        }
      const AtomArrays atoms = upload(list, first, n);
      if (atoms.tables != nullptr && rule->dim > 3)
        throw Error("Radial atoms have at most 3 variables, not ",
                    rule->dim,
                    ".");
      actions.resize(n * rule->n_rows);
      constexpr decltype(&compute_actions<1>) kernels[max_dim] = {
        compute_actions<1>,
        compute_actions<2>,
        compute_actions<3>,
        compute_actions<4>,
        compute_actions<5>,
        compute_actions<6>};
      device->launch("compute_actions",
                     dim3(n_blocks(n, threads),
                          n_blocks(rule->n_rows, rows_per_block)),
                     threads,
                     0,
                     kernels[rule->dim - 1],
                     atoms,
                     RuleArrays{rule->n_rows,
                                rule_points.data(),
                                row_starts.data(),
                                columns.data(),
                                rule_values.data()},
                     actions.data());
      if (atoms.tables != nullptr)
        add_corrections(list, first, n);

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
    Projector::add_corrections(const AtomList   &list,
                               const std::size_t first,
                               const std::size_t n)
    {
      const std::vector<NearCorrection> entries =
        near_corrections(*rule, list, first, n);
      if (entries.empty())
        return;
      corrections.assign(*device, entries);
      device->launch("add_entries",
                     dim3(n_blocks(entries.size(), threads)),
                     threads,
                     0,
                     add_entries,
                     entries.size(),
                     corrections.data(),
                     n,
                     actions.data());
    }
  } // namespace Cuda
} // namespace Evergreen
