// Tutorial 2: where is the source? A surrogate solver in a loop that needs
// 200,000 solves.
//
// A source of heat stands somewhere in an H-shaped building whose walls are
// kept at temperature zero. A dozen thermometers report, each with some noise.
// Where is the source, how strong is it, and how large?
//
// The temperature solves -Laplace u = f with u = 0 on the boundary. The source
// is a Gaussian with four unknown numbers: two coordinates of its centre, its
// strength Q (heat per time) and its width w,
//
//     f(y) = Q / (2 pi w^2) exp( -|y - c|^2 / (2 w^2) ).
//
// Because of the noise the answer is not a point but a probability
// distribution, the posterior: all sources that explain the data, each with its
// weight. We draw from it with a Markov chain, and each of its steps asks: what
// would the thermometers show if the source were this one? That takes a hundred
// thousand solutions of the equation.
//
// Only the values at the thermometers are wanted. So we learn the Green's
// function G(x_s, .) at these few nodes only, and a solve becomes a dozen dot
// products. At the end some of the questions are put to the finite elements:
// the posterior must not depend on who answers.
//
//     tutorial_source_identification [source_identification.prm]
//         [--set "Section/Key=value"]... [-o DIRECTORY]
//
// Under mpirun the ranks share the mesh and the work, here as everywhere.

// @sect{Include files}
#include <evergreen/evergreen.h>

#include <deal.II/base/conditional_ostream.h>
#include <deal.II/base/timer.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <iostream>
#include <limits>

namespace SourceIdentification
{
  using namespace dealii;
  using namespace Evergreen;

  constexpr int dim = 2;

  // @sect{Sources and what is known of them beforehand}
  //
  // A source is four numbers. The prior: the centre is anywhere in the
  // building, strength and width are between the bounds below, all equally
  // likely. The H is the square (-1, 1)^2 without two notches above and below
  // its bar.
  constexpr unsigned int n_unknowns    = 4;
  using Source                         = std::array<double, n_unknowns>;
  const std::vector<std::string> names = {"x", "y", "strength", "width"};
  constexpr Source               truth = {{-0.55, 0.45, 1., 0.15}};
  constexpr Source               lower = {{-1., -1., 0., 0.06}};
  constexpr Source               upper = {{1., 1., 5., 0.3}};

  bool
  is_possible(const Source &source)
  {
    for (unsigned int i = 0; i < n_unknowns; ++i)
      if (source[i] <= lower[i] || source[i] >= upper[i])
        return false;
    return std::abs(source[0]) > 1. / 3. || std::abs(source[1]) < 1. / 3.;
  }

  // The nodal values of some sources; far away we save the exponential.
  std::vector<double>
  forcings_of(const std::vector<Source> &sources, const Space<dim> &space)
  {
    std::vector<double> values;
    values.reserve(sources.size() * space.n_nodes());
    for (const auto &[x, y, strength, width] : sources)
      for (const auto node : space.local_nodes())
        {
          const double *const p = &space.points()[node * dim];
          const double        square =
            (std::pow(p[0] - x, 2) + std::pow(p[1] - y, 2)) / (width * width);
          values.push_back(square < 36. ? strength * std::exp(-square / 2.) /
                                            (2. * M_PI * width * width)
                                        : 0.);
        }
    return values;
  }

  // @sect{Parameters}
  struct Parameters : public RunParameters
  {
    Parameters()
    {
      domain.name        = "h";
      domain.refinements = 1;
      learning.family    = "mixed";
      learning.function  = "log";
      learning.neurons   = 192;
      // Where the thermometers are (the nearest nodes are taken).
      learning.sensors =
        "-0.7,0.7; -0.5,0.25; -0.8,-0.1; -0.5,-0.4; "
        "-0.75,-0.8; -0.15,0.1; 0.2,-0.1; 0.5,0.2; "
        "0.8,0.6; 0.5,0.8; 0.75,-0.3; 0.5,-0.75";
    }
  };

  // @sect{What the thermometers would show}
  //
  // An instrument maps sources to the values at the sensors, a column for each
  // source. That of finite elements computes solutions everywhere (with a
  // matrix that is factored once) and throws most of them away.
  using Instrument =
    std::function<std::vector<double>(const std::vector<Source> &)>;

  struct FiniteElements
  {
    Mesh<dim>                                mesh;
    MeshSpace<dim>                           space;
    Poisson<dim>                             problem;
    std::vector<Interpolation<dim>::Weights> sensors;

    FiniteElements(const DomainParameters &domain, const MPI_Comm communicator)
      : mesh(domain, communicator), space(mesh, /*degree=*/1)
    {
      problem.set_up(space);
    }

    std::vector<double>
    operator()(const std::vector<Source> &sources)
    {
      const std::vector<double> f = forcings_of(sources, space);
      std::vector<double>       u(f.size()), values;
      if (!problem.solve_block(f.data(), u.data(), sources.size()).empty())
        throw Error("A finite element solution failed.");
      for (std::size_t j = 0; j < sources.size(); ++j)
        {
          const auto all = space.values_of_all(&u[j * space.n_local_nodes()]);
          for (const auto &weights : sensors)
            {
              values.push_back(0.);
              for (const auto &[node, weight] : weights)
                values.back() += weight * all[space.dof_of_node(node)];
            }
        }
      return values;
    }
  };

  // @sect{The posterior}
  //
  // With normal noise of standard deviation sigma, the logarithm of the
  // posterior is minus a sum of squares, and minus infinity without a prior.
  struct Posterior
  {
    Instrument          instrument;
    std::vector<double> data;
    double              sigma;

    std::vector<double>
    log_densities(const std::vector<Source> &sources) const
    {
      const std::vector<double> values = instrument(sources);
      std::vector<double>       result;
      for (std::size_t j = 0; j < sources.size(); ++j)
        {
          double square = 0;
          for (std::size_t s = 0; s < data.size(); ++s)
            square +=
              std::pow((values[j * data.size() + s] - data[s]) / sigma, 2);
          result.push_back(is_possible(sources[j])
                             ? -square / 2.
                             : -std::numeric_limits<double>::infinity());
        }
      return result;
    }
  };

  // @sect{The Markov chain}
  //
  // A hundred walkers explore the posterior together (Goodman and Weare, 2010).
  // In each step one half of them moves, all at once: walker k chooses a
  // partner j of the other half, proposes the point x_j + z (x_k - x_j) on the
  // line through both, and goes there with the probability that is the ratio of
  // the two densities, times z^3 in four dimensions. So the walkers themselves
  // tell how far and in which direction it is worth while to step. They begin
  // anywhere in the prior, at a temperature that divides log densities and
  // falls to 1; lost ones join the best; this half is forgotten. Random numbers
  // are functions of a seed, a stream (ours are far from those of the library)
  // and two counters.
  std::vector<Source>
  draw(const Posterior &posterior)
  {
    constexpr std::size_t n = 100, n_steps = 2000;
    const auto random = [](const int what, std::size_t i, std::size_t j) {
      return Random::uniform(/*seed=*/1, Random::Stream(1000 + what), i, j);
    };
    std::vector<Source> walkers(n);
    for (std::size_t k = 0; k < n; ++k)
      for (unsigned int i = 0; i < n_unknowns; ++i)
        walkers[k][i] = lower[i] + (upper[i] - lower[i]) * random(0, k, i);
    std::vector<double> densities = posterior.log_densities(walkers);

    std::vector<Source> states;
    for (std::size_t step = 0; step < 2 * n_steps; ++step)
      {
        const std::size_t   mine = step % 2 * n / 2, others = n / 2 - mine;
        std::vector<Source> proposals(n / 2);
        std::vector<double> z(n / 2);
        for (std::size_t k = 0; k < n / 2; ++k)
          {
            z[k] = std::pow(1. + random(1, step, k), 2) / 2.;
            const Source &partner =
              walkers[others +
                      static_cast<std::size_t>(random(2, step, k) * (n / 2))];
            for (unsigned int i = 0; i < n_unknowns; ++i)
              proposals[k][i] =
                partner[i] + z[k] * (walkers[mine + k][i] - partner[i]);
          }
        const auto   proposed = posterior.log_densities(proposals);
        const double temperature =
          std::pow(1e4, std::max(0., 1. - 1.25 * step / n_steps));
        for (std::size_t k = 0; k < n / 2; ++k)
          if (std::log(random(3, step, k)) <
              (proposed[k] - densities[mine + k]) / temperature +
                3. * std::log(z[k]))
            {
              walkers[mine + k]   = proposals[k];
              densities[mine + k] = proposed[k];
            }
        const auto best = std::max_element(densities.begin(), densities.end());
        for (std::size_t k = 0; k < n && step < n_steps; ++k)
          if (densities[k] < *best - 8. * temperature)
            {
              walkers[k]   = walkers[best - densities.begin()];
              densities[k] = *best;
            }
        if (step > n_steps && step % 2 == 1)
          states.insert(states.end(), walkers.begin(), walkers.end());
      }
    return states;
  }

  // @sect{Results, and what the finite elements say}
  //
  // Some states are put to the finite elements. Weighted by the ratio of the
  // two densities they are draws from the posterior of the finite elements. If
  // the weights are nearly the same, the sample is worth as much.
  void
  report(const std::vector<Source> &states,
         const Posterior           &by_kernel,
         const Posterior           &by_fem,
         ConditionalOStream        &out,
         const MPI_Comm             communicator)
  {
    const double        n_states = states.size();
    std::vector<double> mean(n_unknowns), spread(n_unknowns), off(n_unknowns);
    for (unsigned int i = 0; i < n_unknowns; ++i)
      {
        for (const Source &state : states)
          mean[i] += state[i] / n_states;
        for (const Source &state : states)
          spread[i] += std::pow(state[i] - mean[i], 2) / n_states;
        spread[i] = std::sqrt(spread[i]);
        off[i]    = (mean[i] - truth[i]) / spread[i];
      }
    print_table({{"truth", {truth.begin(), truth.end()}},
                 {"mean", mean},
                 {"spread", spread},
                 {"off by", off}},
                communicator,
                names);

    constexpr std::size_t n_checks = 200;
    double sum = 0, squares = 0, seconds_of_kernel = 0, seconds_of_fem = 0;
    for (std::size_t k = 0; k < n_checks; ++k)
      {
        const Source &source = states[k * states.size() / n_checks];
        Timer         timer;
        const double  log_p = by_kernel.log_densities({source}).front();
        seconds_of_kernel += timer.wall_time();
        timer.restart();
        const double log_p_fem = by_fem.log_densities({source}).front();
        seconds_of_fem += timer.wall_time();
        sum += std::exp(log_p_fem - log_p);
        squares += std::exp(2. * (log_p_fem - log_p));
      }
    out << "Finite elements: " << n_checks << " sources checked, worth "
        << 100. * sum * sum / squares / n_checks
        << " % of them after reweighting; "
        << seconds_of_fem / seconds_of_kernel << " times the time of the kernel"
        << std::endl;
  }

  // @sect{Putting it together}
  //
  // With 'Greedy/Sensors' we learn a dozen slices instead of thousands.
  // SensorSolver has a row of numbers for each sensor, and one matrix product
  // answers. There are no real thermometers, so we must make the data
  // ourselves, on a mesh that is refined once more: otherwise errors would
  // cancel, and we would look better than we are.
  struct Tutorial
  {
    const Parameters  &parameters;
    const std::string &directory;
    const MPI_Comm     communicator;

    void
    run() const
    {
      parameters.require_domain("h", "the prior is that of the H");
      const auto         rank = Utilities::MPI::this_mpi_process(communicator);
      ConditionalOStream out(std::cout, rank == 0);
      FiniteElements     fem(parameters.domain, communicator);
      const LearningResult result =
        learn_kernel(fem.space,
                     generate_samples(fem.problem,
                                      parameters.forcing,
                                      Split::train,
                                      parameters.dataset.n_training_samples),
                     parameters.learning);
      if (result.interrupted)
        throw Error("Interrupted.");
      std::vector<Point<dim>>  points;
      std::vector<TableColumn> table = {{"x", {}}, {"y", {}}};
      for (const auto node : result.kernel.response)
        {
          points.push_back(fem.space.point(node));
          table[0].second.push_back(points.back()[0]);
          table[1].second.push_back(points.back()[1]);
        }
      const SurrogateSolver<dim> solver(result.kernel, fem.space);
      const SensorSolver<dim>    sensor_solver = solver.sensors(points);
      const Instrument kernel = [&](const std::vector<Source> &sources) {
        std::vector<double> values(points.size() * sources.size());
        sensor_solver.apply(forcings_of(sources, fem.space).data(),
                            values.data(),
                            sources.size());
        return values;
      };
      out << "Learned: " << points.size() << " of " << fem.space.n_nodes()
          << " slices, up to " << result.kernel.n_neurons() << " atoms, in "
          << result.seconds << " s" << std::endl;

      // A solve is now so small that threads would only wait for each other.
      const Blas::SingleThread one_thread;
      DomainParameters         finer = parameters.domain;
      finer.refinements += 1;
      FiniteElements reality(finer, communicator);
      for (FiniteElements *const elements : {&fem, &reality})
        elements->sensors = Interpolation<dim>(elements->space).weights(points);
      std::vector<double> data = reality({truth});
      const double sigma = 0.01 * *std::max_element(data.begin(), data.end());
      for (std::size_t s = 0; s < data.size(); ++s)
        data[s] += sigma * Random::normal(1, Random::Stream::noise, 0, s);
      table.push_back({"measured", data});
      table.push_back({"at_truth", kernel({truth})});
      write_csv(table, directory + "/sensors.csv", communicator);

      const Posterior           by_kernel{kernel, data, sigma};
      const Timer               timer;
      const std::vector<Source> states = draw(by_kernel);
      out << "Drawn: " << states.size() << " states in " << timer.wall_time()
          << " s, noise " << sigma << std::endl;
      report(
        states, by_kernel, {std::ref(fem), data, sigma}, out, communicator);

      std::vector<TableColumn> columns;
      for (unsigned int i = 0; i < n_unknowns; ++i)
        {
          columns.push_back({names[i], {}});
          for (std::size_t j = 0; j < states.size(); j += 7)
            columns[i].second.push_back(states[j][i]);
        }
      write_csv(columns, directory + "/posterior.csv", communicator);
      const std::vector<double> f = forcings_of({truth}, fem.space);
      std::vector<double>       u(f.size());
      fem.problem.solve_block(f.data(), u.data(), 1);
      write_vtu(fem.space,
                {{"source", f}, {"temperature", u}},
                directory + "/temperature.vtu");
      out << "Written: " << directory
          << "/{sensors.csv, posterior.csv, temperature.vtu}" << std::endl;
    }
  };
} // namespace SourceIdentification

int
main(int argc, char **argv)
{
  using namespace SourceIdentification;
  return run_with_parameters<Parameters, Tutorial>(
    argc,
    argv,
    "tutorial_source_identification",
    "Finds a source of heat from a few noisy thermometers with a learned "
    "kernel.",
    "source_identification_output");
}
