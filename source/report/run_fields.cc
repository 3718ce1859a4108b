#include "run_figures.h"

#include <evergreen/base/collective.h>
#include <evergreen/base/error.h>
#include <evergreen/fem/functions.h>
#include <evergreen/kernel/errors.h>
#include <evergreen/kernel/kernel_matrix.h>

#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace Evergreen
{
  using namespace dealii;

  namespace
  {
    constexpr std::size_t n_shown_slices   = 3;
    constexpr std::size_t n_image_columns  = 250;
    constexpr std::size_t n_sensor_samples = 200;


    /** Values at the local nodes as values at all nodes. Collective. */
    template <int dim>
    std::vector<double>
    gather(const Space<dim> &space, const double *local)
    {
      std::vector<double> all(space.n_nodes(), 0.);
      for (std::size_t i = 0; i < space.n_local_nodes(); ++i)
        all[space.local_nodes()[i]] = local[i];
      Collective::sum(space.communicator(), all);
      return all;
    }


    /** The mean of a function at some distance from a point. */
    template <int dim, typename Function>
    double
    mean_around(const Point<dim> &x,
                const double      distance,
                const Function   &function)
    {
      double sum = 0;
      for (unsigned int d = 0; d < dim; ++d)
        for (const double sign : {-1., 1.})
          {
            Point<dim> y = x;
            y[d] += sign * distance;
            sum += function(y);
          }
      return sum / (2. * dim);
    }


    /** A slice G(x, .) at all nodes, x the node @p centre. Collective. */
    template <int dim, typename Function>
    std::vector<double>
    nodal_values(const Space<dim> &space,
                 const std::size_t centre,
                 const Function   &function)
    {
      std::vector<double> local(space.n_local_nodes());
      tbb::parallel_for(std::size_t(0), local.size(), [&](const auto i) {
        const std::size_t node = space.local_nodes()[i];
        local[i] = node == centre ? value_at_centre<dim>(space, node, function)
                                  : function(space.point(node));
      });
      return gather(space, local.data());
    }


    template <int dim>
    std::vector<double>
    learned_slice(const RunResults<dim> &run, const SliceFields &slice)
    {
      const Expansion expansion = run.kernel.slice(slice.slice);
      return nodal_values(run.space, slice.node, [&](const Point<dim> &y) {
        return run.kernel.value(expansion, y.begin_raw());
      });
    }


    /** The reference slices, if there are any. */
    template <int dim>
    void
    add_references(const RunResults<dim> &run, RunFields &fields)
    {
      if (run.problem == nullptr)
        {
          fields.remarks.emplace_back(
            "the operator of the data is not known, so there is no kernel to "
            "compare with");
          return;
        }
      const auto exact = run.problem->exact_kernel();
      try
        {
          for (SliceFields &slice : fields.slices)
            if (exact)
              {
                const auto x = run.space.point(slice.node);
                slice.reference =
                  nodal_values(run.space, slice.node, [&](const Point<dim> &y) {
                    return exact(x, y);
                  });
              }
            else
              {
                typename LinearProblem<dim>::VectorType values;
                run.problem->greens_function(slice.node, values);
                slice.reference = gather(run.space, values.begin());
              }
          fields.reference =
            exact ? "exact kernel" : "discrete Green's function";
        }
      catch (const Error &error)
        {
          for (SliceFields &slice : fields.slices)
            slice.reference.clear();
          fields.remarks.push_back(
            text("there is no kernel to compare with: ", error.what()));
        }
    }


    /** The problem's coefficient, unless there is nothing to be seen. */
    template <int dim>
    void
    add_coefficient(const RunResults<dim> &run, RunFields &fields)
    {
      if (run.problem == nullptr || run.problem->exact_kernel())
        return;
      const auto local = run.problem->coefficient_at_nodes();
      if (Collective::maximum(run.space.communicator(), local.size()) == 0)
        return;
      fields.coefficient = gather(run.space, local.data());
      const auto [least, greatest] =
        std::minmax_element(fields.coefficient.begin(),
                            fields.coefficient.end());
      if (*greatest - *least < 1e-9 * *greatest)
        fields.coefficient.clear();
    }


    /** Which slices are computed, and which of them are shown one by one. */
    template <int dim>
    void
    choose_slices(const RunResults<dim> &run, RunFields &fields)
    {
      const auto &response = run.kernel.response;
      auto        chosen =
        choose_slices(run.space.mesh_data(), response, n_shown_slices);
      std::vector<std::size_t> computed = chosen;
      if (dim == 1 && fields.is_complete)
        {
          const std::size_t step =
            (response.size() + n_image_columns - 1) / n_image_columns;
          for (std::size_t s = 0; s < response.size(); s += step)
            if (std::find(chosen.begin(), chosen.end(), s) == chosen.end())
              computed.push_back(s);
        }
      for (const auto s : computed)
        fields.slices.push_back({s, response[s], {}, {}});
      for (std::size_t i = 0; i < chosen.size(); ++i)
        fields.shown.push_back(i);
    }


    /** Some samples with their values at all nodes, on every rank. */
    template <int dim>
    Samples
    read_samples(const RunResults<dim>          &run,
                 const Split                     split,
                 const std::vector<std::size_t> &samples)
    {
      const std::size_t m = run.space.n_nodes();
      Samples           result;
      result.forcings.resize(m * samples.size());
      result.solutions.resize(m * samples.size());
      collectively(run.space.communicator(), [&]() {
        for (std::size_t j = 0; j < samples.size(); ++j)
          {
            run.reader.read_forcings(split,
                                     samples[j],
                                     1,
                                     &result.forcings[j * m]);
            run.reader.read_solutions(split,
                                      samples[j],
                                      1,
                                      &result.solutions[j * m]);
          }
      });
      return result;
    }


    template <int dim>
    void
    add_samples(const RunResults<dim> &run, RunFields &fields)
    {
      SampleFields &sample = fields.sample;
      auto          valid  = run.reader.valid_samples(Split::test);
      if (valid.empty())
        {
          fields.remarks.emplace_back(
            "there are no test samples, so a training sample is shown");
          sample.split = Split::train;
          valid        = run.reader.valid_samples(Split::train);
        }
      if (valid.empty())
        return;
      valid.resize(
        std::min(valid.size(), fields.is_complete ? 1 : n_sensor_samples));
      const auto        data = read_samples(run, sample.split, valid);
      const std::size_t m    = run.space.n_nodes();
      sample.sample          = valid.front();
      sample.forcing.assign(data.forcings.begin(), data.forcings.begin() + m);
      sample.solution.assign(data.solutions.begin(),
                             data.solutions.begin() + m);

      const auto &response = run.kernel.response;
      Samples     local;
      for (std::size_t j = 0; j < valid.size(); ++j)
        for (const auto node : run.space.local_nodes())
          {
            local.forcings.push_back(data.forcings[j * m + node]);
            local.solutions.push_back(data.solutions[j * m + node]);
          }
      local.n_samples = valid.size();
      const TestSet<dim> tests(run.space,
                               local,
                               response,
                               run.kernel.quadrature);
      const auto         learned =
        KernelMatrix(run.kernel, tests.rule())
          .apply(tests.forcings(), tests.n_samples(), run.space.communicator())
          .back();
      if (fields.is_complete)
        {
          sample.learned.assign(m, 0.);
          for (std::size_t s = 0; s < response.size(); ++s)
            sample.learned[response[s]] = learned[s];
          sample.error = tests.mean_relative_error(learned);
          return;
        }
      fields.sensors.n_samples = valid.size();
      fields.sensors.learned   = learned;
      for (std::size_t j = 0; j < valid.size(); ++j)
        for (const auto node : response)
          fields.sensors.solution.push_back(data.solutions[j * m + node]);
    }
  } // namespace


  std::vector<double>
  absolute_difference(const std::vector<double> &a,
                      const std::vector<double> &b)
  {
    std::vector<double> result;
    for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i)
      result.push_back(std::abs(a[i] - b[i]));
    return result;
  }


  template <int dim>
  double
  value_at_centre(const Space<dim>                                &space,
                  const std::size_t                                node,
                  const std::function<double(const Point<dim> &)> &slice)
  {
    const Point<dim> x        = space.point(node);
    double           distance = std::numeric_limits<double>::max();
    for (std::size_t other = 0; other < space.n_nodes(); ++other)
      if (other != node)
        distance = std::min(distance, x.distance(space.point(other)));
    // A continuous function changes less from an eighth of the distance to the
    // point than from a quarter to an eighth.
    const double value   = slice(x);
    const double quarter = mean_around(x, distance / 4, slice);
    const double eighth  = mean_around(x, distance / 8, slice);
    const bool   is_continuous =
      std::abs(value - eighth) <=
      1.5 * std::abs(quarter - eighth) + 1e-10 * std::abs(eighth);
    return is_continuous ? value : quarter;
  }


  template <int dim>
  RunFields
  compute_run_fields(const RunResults<dim> &run)
  {
    RunFields fields;
    fields.is_complete = run.kernel.response == free_nodes(run.reader.mesh());
    choose_slices(run, fields);
    for (SliceFields &slice : fields.slices)
      slice.learned = learned_slice(run, slice);
    add_references(run, fields);
    add_coefficient(run, fields);
    add_samples(run, fields);
    return fields;
  }


  template <int dim>
  void
  write_run_vtu(const Space<dim>  &space,
                const RunFields   &fields,
                const std::string &path)
  {
    std::vector<Field>                 output;
    std::map<std::string, std::string> units;

    const auto add = [&](const std::string         &name,
                         const std::vector<double> &values) {
      if (values.empty())
        return;
      output.emplace_back(name, std::vector<double>());
      for (const auto node : space.local_nodes())
        output.back().values.push_back(values[node]);
      units[name] = "1";
    };
    const SampleFields &sample = fields.sample;
    add("diffusion", fields.coefficient);
    add("f", sample.forcing);
    add("u_fem", sample.solution);
    add("u_learned", sample.learned);
    add("u_error", absolute_difference(sample.solution, sample.learned));
    for (std::size_t i = 0; i < fields.shown.size(); ++i)
      {
        const SliceFields &slice = fields.slices[fields.shown[i]];
        const std::string  end   = "_s" + std::to_string(i);
        add("G_learned" + end, slice.learned);
        add("G_reference" + end, slice.reference);
        add("G_error" + end,
            absolute_difference(slice.learned, slice.reference));
      }
    write_vtu(space, output, path, units);
  }


#define INSTANTIATE(dim)                                                       \
  template double value_at_centre(                                             \
    const Space<dim> &,                                                        \
    const std::size_t,                                                         \
    const std::function<double(const Point<dim> &)> &);                        \
  template RunFields compute_run_fields(const RunResults<dim> &run);           \
  template void      write_run_vtu(const Space<dim> &,                         \
                                   const RunFields &,                          \
                                   const std::string &);
  INSTANTIATE(1)
  INSTANTIATE(2)
  INSTANTIATE(3)
#undef INSTANTIATE
} // namespace Evergreen
