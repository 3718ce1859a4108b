// Tutorial 2: where is the source? A surrogate solver in a loop that needs a
// hundred thousand solves.
//
// A source of heat stands somewhere in an H-shaped building whose walls are
// kept at temperature zero. A dozen thermometers report, each with some noise.
// Where is the source, how large is it, and how strong?
//
// The temperature solves -Laplace u = f with u = 0 on the boundary. The source
// is a Gaussian with four unknown numbers: two coordinates of its centre c, its
// width w and its strength Q (heat per time),
//
//     f(y) = Q / (2 pi w^2) exp( -|y - c|^2 / (2 w^2) ).
//
// Because of the noise the honest answer is a probability distribution, the
// posterior: all sources that explain the data, each with its weight. We draw
// from it with Markov chains, each step of which asks what the thermometers
// would show for another source: a solution for a new right-hand side.
//
// Only the values at the thermometers are wanted. So we learn the Green's
// function G(x_s, .) at these few nodes only, and a solve becomes a dozen dot
// products. At the end the finite elements answer some of the questions, too.
//
//     tutorial_source_identification [source_identification.prm]
//         [--set "Section/Key=value"]... [-o DIRECTORY]

// @sect{Include files}
#include <evergreen/evergreen.h>

#include <deal.II/base/conditional_ostream.h>
#include <deal.II/base/timer.h>
#include <deal.II/lac/vector.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <iostream>
#include <numeric>

namespace SourceIdentification
{
  using namespace dealii;
  using namespace Evergreen;

  constexpr int dim = 2;
  using VectorType  = Space<dim>::VectorType;
  using Random::Stream;

  // @sect{Sources and what is known of them beforehand}
  //
  // Centre and width of a source are its shape (x, y, w). The prior: the centre
  // is anywhere in the H, which is the square (-1, 1)^2 without two notches,
  // the width between 0.06 and 0.3, all equally likely; the strength is normal
  // with mean 0 (a negative one is a cooler) and standard deviation 5.
  using Shape                          = Point<3>;
  const std::vector<std::string> names = {"x", "y", "width", "strength"};
  const Shape                    truth(-0.55, 0.45, 0.15); // with strength 1

  bool
  is_possible(const Shape &shape)
  {
    const double x = std::abs(shape[0]), y = std::abs(shape[1]);
    return x < 1. && y < 1. && (x > 1. / 3. || y < 1. / 3.) &&
           shape[2] > 0.06 && shape[2] < 0.3;
  }

  // The forcing for strength 1; far away we save the exponential.
  VectorType
  forcing_of(const Shape &shape, const Space<dim> &space)
  {
    const double w2 = shape[2] * shape[2];
    return interpolate<dim>(space, [&](const Point<dim> &p) {
      const double square =
        p.distance_square(Point<dim>(shape[0], shape[1])) / w2;
      return square < 36. ? std::exp(-square / 2.) / (2. * M_PI * w2) : 0.;
    });
  }

  // @sect{Parameters}
  //
  // The seed of the random forcings is also that of noise and chains.
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
  // The finite elements map a shape (of strength 1) to the values at the
  // sensors. They solve everywhere and throw most of it away.
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
    operator()(const Shape &shape)
    {
      VectorType u = space.make_vector();
      problem.solve(forcing_of(shape, space), u);
      const std::vector<double> all = space.values_of_all(u.begin());
      std::vector<double>       values;
      for (const auto &weights : sensors)
        {
          values.push_back(0.);
          for (const auto &[node, weight] : weights)
            values.back() += weight * all[space.dof_of_node(node)];
        }
      return values;
    }
  };

  // @sect{The posterior}
  //
  // Values are proportional to the strength. So for a given shape the strength
  // is normally distributed, with a mean and a deviation that we can write
  // down, and the integral over it belongs to the density of the shape. The
  // chains need not creep along the valley between weak and strong sources.
  struct State
  {
    Shape  shape;
    double log_density, strength, deviation;
  };

  struct Posterior
  {
    std::function<std::vector<double>(const Shape &)> instrument;
    std::vector<double>                               data;
    double                                            sigma; // of the noise

    State
    operator()(const Shape &shape) const
    {
      const std::vector<double> g = instrument(shape);
      const double              gd =
        std::inner_product(g.begin(), g.end(), data.begin(), 0.);
      const double gg =
        std::inner_product(g.begin(), g.end(), g.begin(), sigma * sigma / 25.);
      const double log_density =
        (gd * gd / gg / (sigma * sigma) - std::log(gg)) / 2.;
      return {shape, log_density, gd / gg, sigma / std::sqrt(gg)};
    }
  };

  // @sect{Markov chains}
  //
  // Random-walk Metropolis: propose another shape, go there if it is more
  // likely, and otherwise only with a probability that is the ratio of the two
  // densities. Forty walkers do so, each for itself. Random numbers are
  // functions of a seed, a stream (not one of the library's) and two counters.
  constexpr std::size_t n_walkers = 40, n_steps = 2500;

  struct Walkers
  {
    const Posterior   &posterior;
    const std::size_t  seed;
    std::vector<State> states = {}, guides = {};
    std::size_t        time = 0;

    // Proposals are multiples of the difference of two guides: nearly draws
    // from the posterior, so their differences have its directions and lengths.
    void
    step(const double beta)
    {
      for (std::size_t k = 0; k < n_walkers; ++k)
        {
          const auto pair = Random::uniform_pair(seed, Stream(1001), time, k);
          const std::size_t a = n_walkers * pair[0], b = n_walkers * pair[1];
          const Shape       shape =
            states[k].shape + 1.4 *
                                Random::normal(seed, Stream(1002), time, k) *
                                (guides[a].shape - guides[b].shape);
          if (!is_possible(shape))
            continue;
          const State proposed = posterior(shape);
          if (std::log(Random::uniform(seed, Stream(1003), time, k)) <
              beta * (proposed.log_density - states[k].log_density))
            states[k] = proposed;
        }
      ++time;
    }

    // To find a good start, the data are given their weight beta little by
    // little, as if there were more noise at first, and each time the worse
    // half of the walkers is replaced by copies of the better one. After that
    // the guides do not change any more, and the chains are plain ones.
    void
    cool()
    {
      for (std::size_t i = 0; states.size() < n_walkers; ++i)
        {
          Shape shape;
          for (unsigned int d = 0; d < 3; ++d)
            shape[d] = 2. * Random::uniform(seed, Stream(1004), i, d) - 1.;
          if (is_possible(shape))
            states.push_back(posterior(shape));
        }
      const auto middle   = states.begin() + n_walkers / 2;
      const auto is_worse = [](const State &a, const State &b) {
        return a.log_density < b.log_density;
      };
      for (int power = -14; power <= 10; ++power)
        {
          std::sort(states.begin(), states.end(), is_worse);
          if (power <= 0)
            std::copy(middle, states.end(), states.begin());
          guides = states;
          for (unsigned int i = 0; i < 10; ++i)
            step(std::pow(2., std::min(power, 0)));
        }
      guides = states;
    }

    std::vector<TableColumn>
    draw()
    {
      cool();
      std::vector<TableColumn> draws;
      for (const std::string &name : names)
        draws.push_back({name, {}});
      for (std::size_t i = 0; i < n_steps * n_walkers; ++i)
        {
          if (i % n_walkers == 0)
            step(1.);
          const State &state = states[i % n_walkers];
          for (unsigned int d = 0; d < 3; ++d)
            draws[d].second.push_back(state.shape[d]);
          const double z = Random::normal(seed, Stream(1005), 0, i);
          draws[3].second.push_back(state.strength + state.deviation * z);
        }
      return draws;
    }
  };

  // @sect{Results, and what the finite elements say}
  //
  // Have the chains converged? The number R-hat of Gelman and Rubin compares
  // the variance between them with that inside of them, and is 1 if they agree.
  // Then some draws are put to the finite elements. Weighted by the ratio of
  // the two densities they are draws from the posterior of the finite elements:
  // if the kernel is good, the weights are nearly the same.
  void
  report(const std::vector<TableColumn> &draws,
         const Posterior                &by_kernel,
         const Posterior                &by_fem,
         ConditionalOStream             &out,
         const MPI_Comm                  communicator)
  {
    std::vector<TableColumn> table = {{"truth", {}},
                                      {"mean", {}},
                                      {"spread", {}},
                                      {"R-hat", {}}};
    for (unsigned int i = 0; i < 4; ++i)
      {
        Vector<double> means(n_walkers), chain(n_steps);
        double         within = 0.;
        for (unsigned int c = 0; c < n_walkers; ++c)
          {
            for (unsigned int t = 0; t < n_steps; ++t)
              chain(t) = draws[i].second[t * n_walkers + c];
            means(c) = chain.mean_value();
            chain.add(-means(c));
            within += chain.norm_sqr() / (n_walkers * n_steps);
          }
        const double mean = means.mean_value();
        means.add(-mean);
        const double between = means.norm_sqr() / (n_walkers - 1);
        table[0].second.push_back(i < 3 ? truth[i] : 1.);
        table[1].second.push_back(mean);
        table[2].second.push_back(std::sqrt(within + between));
        table[3].second.push_back(std::sqrt(1. + between / within));
      }
    print_table(table, communicator, names);

    constexpr unsigned int n_checks = 400;
    double                 sum = 0., squares = 0.;
    const Timer            timer;
    for (std::size_t j = 0; j < 249 * n_checks; j += 249)
      {
        const Shape  shape(draws[0].second[j],
                          draws[1].second[j],
                          draws[2].second[j]);
        const double ratio =
          std::exp(by_fem(shape).log_density - by_kernel(shape).log_density);
        sum += ratio;
        squares += ratio * ratio;
      }
    out << "Finite elements: " << n_checks << " sources checked in "
        << timer.wall_time() << " s, worth "
        << 100. * sum * sum / squares / n_checks
        << " % of them after reweighting" << std::endl;
  }

  // @sect{Putting it together}
  //
  // With 'Greedy/Sensors' we learn a dozen slices instead of thousands, and
  // SensorSolver has a row of numbers for each. There are no real thermometers,
  // so we must make the data ourselves, on a mesh that is refined once more:
  // otherwise errors would cancel, and we would look better than we are.
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
      FiniteElements     all_ranks(parameters.domain, communicator);
      const LearningResult result =
        learn_kernel(all_ranks.space,
                     generate_samples(all_ranks.problem,
                                      parameters.forcing,
                                      Split::train,
                                      parameters.dataset.n_training_samples),
                     parameters.learning);
      if (result.interrupted)
        throw Error("Interrupted.");
      out << "Learned: " << result.kernel.response.size() << " of "
          << all_ranks.space.n_nodes() << " slices in " << result.seconds
          << " s" << std::endl;

      // Solves are small now: every rank does all of them alone, on one thread.
      const Blas::SingleThread one_thread;
      DomainParameters         finer = parameters.domain;
      finer.refinements += 1;
      FiniteElements fem(parameters.domain, MPI_COMM_SELF),
        reality(finer, MPI_COMM_SELF);
      std::vector<Point<dim>> points;
      for (const auto node : result.kernel.response)
        points.push_back(fem.space.point(node));
      for (FiniteElements *const elements : {&fem, &reality})
        elements->sensors = Interpolation<dim>(elements->space).weights(points);
      const unsigned int  seed = parameters.forcing.seed;
      std::vector<double> data = reality(truth);
      const double sigma = 0.01 * *std::max_element(data.begin(), data.end());
      for (std::size_t s = 0; s < data.size(); ++s)
        data[s] += sigma * Random::normal(seed, Stream::noise, 0, s);

      const SurrogateSolver<dim> solver(result.kernel, fem.space);
      const SensorSolver<dim>    kernel     = solver.sensors(points);
      const auto                 ask_kernel = [&](const Shape &shape) {
        return kernel(forcing_of(shape, fem.space));
      };
      const Posterior                posterior{ask_kernel, data, sigma};
      const Timer                    timer;
      const std::vector<TableColumn> draws = Walkers{posterior, seed}.draw();
      out << "Drawn: " << draws[0].second.size() << " sources in "
          << timer.wall_time() << " s, noise " << sigma << std::endl;
      report(draws, posterior, {std::ref(fem), data, sigma}, out, communicator);
      write_csv(draws, directory + "/posterior.csv", communicator);
      std::vector<TableColumn> table = {{"x", {}}, {"y", {}}};
      for (const Point<dim> &point : points)
        for (unsigned int d = 0; d < dim; ++d)
          table[d].second.push_back(point[d]);
      table.push_back({"measured", data});
      write_csv(table, directory + "/sensors.csv", communicator);
      const VectorType f = forcing_of(truth, all_ranks.space);
      VectorType       u = f;
      all_ranks.problem.solve(f, u);
      write_vtu(all_ranks.space,
                {{"source", f}, {"temperature", u}},
                directory + "/temperature.vtu");
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
    "Finds a source of heat from a few noisy thermometers.",
    "source_identification_output");
}
