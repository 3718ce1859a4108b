// Tutorial 2: where is the source? A surrogate solver in a loop that needs tens
// of thousands of solves.
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
// Noise makes the answer uncertain, so the honest answer is not a point but a
// probability distribution, the posterior: all sources that explain the data
// within the noise, each with its weight. We draw from it with a Markov chain,
// and each of its steps asks: what would the thermometers show if the source
// were this one? That is a solution of the equation, for a right-hand side that
// nobody has seen before, and we need a hundred thousand of them.
//
// Only the values at the thermometers are wanted. So we learn the Green's
// function G(x_s, .) at these few nodes only, and a solve becomes a dozen dot
// products. At the end the same questions are put to the finite elements, for
// some of the sources: the posterior must not depend on who answers.
//
//     tutorial_source_identification [source_identification.prm]
//         [--set "Section/Key=value"]... [-o DIRECTORY]
//
// Under mpirun the ranks learn together and then run different chains; the
// results are the same.

// @sect{Include files}
#include <evergreen/base/compat.h>

#include <evergreen/base/blas.h>
#include <evergreen/base/collective.h>
#include <evergreen/base/error.h>
#include <evergreen/base/parameters.h>
#include <evergreen/base/program.h>
#include <evergreen/base/random.h>
#include <evergreen/data/generator.h>
#include <evergreen/fem/functions.h>
#include <evergreen/fem/mesh_space.h>
#include <evergreen/fem/problems.h>
#include <evergreen/kernel/errors.h>
#include <evergreen/learning/learner.h>
#include <evergreen/surrogate/surrogate_solver.h>

#include <deal.II/base/conditional_ostream.h>
#include <deal.II/base/table_handler.h>
#include <deal.II/base/timer.h>
#include <deal.II/lac/full_matrix.h>
#include <deal.II/lac/vector.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <iostream>

namespace SourceIdentification
{
  using namespace dealii;
  using namespace Evergreen;

  constexpr int dim = 2;

  // @sect{Sources and what is known of them beforehand}
  //
  // A source is four numbers.
  constexpr unsigned int n_unknowns = 4;
  using Source                      = std::array<double, n_unknowns>;
  constexpr std::array<const char *, n_unknowns> names = {
    {"x", "y", "strength", "width"}};

  // The prior: the centre is anywhere in the building, the strength between 0
  // and 5, the width between 0.06 and 0.3, all equally likely.
  constexpr Source lower = {{-1., -1., 0., 0.06}};
  constexpr Source upper = {{1., 1., 5., 0.3}};

  // The H is the square (-1, 1)^2 without the two notches above and below its
  // bar, whose thickness is a third of the square's.
  bool
  is_possible(const Source &source)
  {
    for (unsigned int i = 0; i < n_unknowns; ++i)
      if (source[i] <= lower[i] || source[i] >= upper[i])
        return false;
    return std::abs(source[0]) > 1. / 3. || std::abs(source[1]) < 1. / 3.;
  }


  // Random numbers are functions of a seed, a stream and two counters, so they
  // do not depend on which rank asks for them. The library numbers its own
  // streams; ours are far from them.
  constexpr auto prior_stream    = static_cast<Random::Stream>(1001);
  constexpr auto proposal_stream = static_cast<Random::Stream>(1002);
  constexpr auto accept_stream   = static_cast<Random::Stream>(1003);


  // @sect{Parameters}
  struct Parameters
  {
    DomainParameters   domain;
    ForcingParameters  forcing;
    DatasetParameters  dataset;
    LearningParameters learning;

    Source       truth        = {{-0.55, 0.45, 1., 0.15}};
    double       noise        = 0.01;
    unsigned int n_guesses    = 2000;
    unsigned int n_chains     = 4;
    unsigned int n_steps      = 25000;
    unsigned int n_fem_checks = 400;
    unsigned int seed         = 1;

    Parameters()
    {
      domain.name            = "h";
      domain.refinements     = 1;
      learning.family        = "mixed";
      learning.function      = "log";
      learning.neurons       = 192;
      dataset.n_test_samples = 200;
      // Where the thermometers are (the nearest nodes are taken).
      learning.sensors =
        "-0.7,0.7; -0.5,0.25; -0.8,-0.1; -0.5,-0.4; "
        "-0.75,-0.8; -0.15,0.1; 0.2,-0.1; 0.5,0.2; "
        "0.8,0.6; 0.5,0.8; 0.75,-0.3; 0.5,-0.75";
    }

    void
    add_parameters(ParameterHandler &prm)
    {
      domain.add_parameters(prm);
      forcing.add_parameters(prm);
      dataset.add_parameters(prm);
      learning.add_parameters(prm);
      prm.enter_subsection("Source");
      prm.add_parameter("X", truth[0], "The centre of the source to be found.");
      prm.add_parameter("Y", truth[1], "Its second coordinate.");
      prm.add_parameter("Strength", truth[2], "The strength of the source.");
      prm.add_parameter("Width", truth[3], "The width of the source.");
      prm.leave_subsection();
      prm.enter_subsection("Identification");
      prm.add_parameter("Noise",
                        noise,
                        "The standard deviation of the noise, relative to the "
                        "largest value at a sensor.",
                        Patterns::Double(1e-6, 1));
      prm.add_parameter("Guesses",
                        n_guesses,
                        "So many random sources are tried to begin with.",
                        Patterns::Integer(1));
      prm.add_parameter("Chains",
                        n_chains,
                        "The number of Markov chains.",
                        Patterns::Integer(2));
      prm.add_parameter("Steps",
                        n_steps,
                        "The number of steps of each chain.",
                        Patterns::Integer(100));
      prm.add_parameter("FEM checks",
                        n_fem_checks,
                        "For so many sources the finite elements are asked, "
                        "too.",
                        Patterns::Integer(2));
      prm.add_parameter("Seed", seed, "The seed of noise, guesses and chains.");
      prm.leave_subsection();
    }

    void
    check() const
    {
      domain.check();
      forcing.check();
      dataset.check();
      learning.check();
      if (domain.name != "h")
        throw UsageError("'Domain/Name = ",
                         domain.name,
                         "' is not possible here: the prior is that of the H.");
      if (learning.sensor_points().size() < n_unknowns)
        throw UsageError("'Greedy/Sensors' must have at least ",
                         n_unknowns,
                         " points for as many unknowns.");
      if (!is_possible(truth))
        throw UsageError(
          "The source in the section 'Source' is not one that "
          "the prior allows: inside of the H, strength up to ",
          upper[2],
          ", width from ",
          lower[3],
          " to ",
          upper[3],
          ".");
      if (n_fem_checks > n_chains * (n_steps / 2))
        throw UsageError("'Identification/FEM checks' must not exceed the ",
                         n_chains * (n_steps / 2),
                         " states that the chains keep.");
    }
  };


  // @sect{What the thermometers would show}
  //
  // The map from a source to the values at the sensors comes in two makes, by
  // learned kernel and by finite elements. All that follows does not care which
  // of them it is given. Both work for several sources at once, and return a
  // column of values for each.
  class Instrument
  {
  public:
    Instrument(const Space<dim>                &space,
               const std::vector<std::int64_t> &sensors)
      : space(space), sensors(sensors)
    {}
    virtual ~Instrument() = default;

    std::vector<double>
    operator()(const std::vector<Source> &sources)
    {
      const std::size_t   m = space.n_nodes();
      std::vector<double> f(m * sources.size()),
        values(sensors.size() * sources.size());
      for (std::size_t j = 0; j < sources.size(); ++j)
        set_forcing(sources[j], &f[j * m]);
      apply(f, values, sources.size());
      n_solves += sources.size();
      return values;
    }

    std::vector<double>
    operator()(const Source &source)
    {
      return (*this)(std::vector<Source>(1, source));
    }

    std::size_t n_solves = 0;

    // The nodal values of a source. Six widths away from the centre it is
    // 1e-8 of what it is there, and we save ourselves the exponential function.
    void
    set_forcing(const Source &source, double *f) const
    {
      const double w2     = source[3] * source[3];
      const double height = source[2] / (2. * M_PI * w2);
      const auto  &points = space.mesh_data().points;
      for (std::size_t i = 0; i < space.n_nodes(); ++i)
        {
          const double *const y = &points[space.local_nodes()[i] * dim];
          const double        square =
            std::pow(y[0] - source[0], 2) + std::pow(y[1] - source[1], 2);
          f[i] =
            square < 36. * w2 ? height * std::exp(-square / (2. * w2)) : 0.;
        }
    }

  protected:
    const Space<dim>                &space;
    const std::vector<std::int64_t> &sensors;

    virtual void
    apply(const std::vector<double> &forcings,
          std::vector<double>       &values,
          const std::size_t          n) = 0;
  };


  // The learned kernel: SensorSolver holds a row of numbers for each sensor,
  // and one matrix product answers.
  class SurrogateInstrument : public Instrument
  {
  public:
    SurrogateInstrument(const Space<dim>                &space,
                        const std::vector<std::int64_t> &sensors,
                        const SensorSolver<dim>         &solver)
      : Instrument(space, sensors), solver(solver)
    {}

  private:
    const SensorSolver<dim> &solver;

    void
    apply(const std::vector<double> &forcings,
          std::vector<double>       &values,
          const std::size_t          n) override
    {
      solver.apply(forcings.data(), values.data(), n);
    }
  };


  // Finite elements compute the solution everywhere, and most of it is thrown
  // away. The matrix is factored already; this is the best that they can do
  // with forward solves.
  class FiniteElementInstrument : public Instrument
  {
  public:
    FiniteElementInstrument(const Space<dim>                &space,
                            const std::vector<std::int64_t> &sensors)
      : Instrument(space, sensors)
    {
      problem.set_up(space);
    }

  private:
    Poisson<dim> problem;

    void
    apply(const std::vector<double> &forcings,
          std::vector<double>       &values,
          const std::size_t          n) override
    {
      std::vector<double> u(forcings.size());
      if (const auto failures =
            problem.solve_block(forcings.data(), u.data(), n);
          !failures.empty())
        throw Error(
          "A finite element solution failed: ", failures.front().reason, ".");
      for (std::size_t j = 0; j < n; ++j)
        for (std::size_t s = 0; s < sensors.size(); ++s)
          values[j * sensors.size() + s] =
            u[j * space.n_nodes() + space.dof_of_node(sensors[s])];
    }
  };


  // @sect{The posterior}
  //
  // With independent normal noise of standard deviation sigma, the logarithm of
  // the posterior is minus the sum of squares below, up to a constant, and
  // minus infinity where the prior is zero.
  struct Posterior
  {
    Instrument         &instrument;
    std::vector<double> data;
    double              sigma;

    double
    log_density(const double *values) const
    {
      double square = 0;
      for (std::size_t s = 0; s < data.size(); ++s)
        square += std::pow((values[s] - data[s]) / sigma, 2);
      return -square / 2.;
    }

    double
    log_density(const Source &source) const
    {
      return is_possible(source) ? log_density(instrument(source).data())
                                 : -std::numeric_limits<double>::infinity();
    }
  };


  // @sect{A good start: guesses and Gauss-Newton}
  //
  // Chains that begin far away lose their time on the way. First we try many
  // sources from the prior, all in one block, and keep the best.
  Source
  best_guess(const Posterior &posterior, const Parameters &parameters)
  {
    std::vector<Source> guesses;
    for (std::size_t draw = 0; guesses.size() < parameters.n_guesses; ++draw)
      {
        Source source;
        for (unsigned int i = 0; i < n_unknowns; ++i)
          source[i] = lower[i] +
                      (upper[i] - lower[i]) *
                        Random::uniform(parameters.seed, prior_stream, draw, i);
        if (is_possible(source))
          guesses.push_back(source);
      }
    const auto          values = posterior.instrument(guesses);
    std::vector<double> densities;
    for (std::size_t j = 0; j < guesses.size(); ++j)
      densities.push_back(
        posterior.log_density(&values[j * posterior.data.size()]));
    return guesses[std::max_element(densities.begin(), densities.end()) -
                   densities.begin()];
  }


  // Then Gauss-Newton steps, with difference quotients for the derivatives of
  // the sensors' values: five solves a step, again in one block. H, the
  // matrix of the least-squares problem, also says how certain the answer is:
  // near the best source the posterior is almost normal with the covariance
  // H^{-1}. The term of the prior (the variance of a uniform distribution is
  // a twelfth of the square of its length) keeps H regular where the data leave
  // an unknown open.
  FullMatrix<double>
  gauss_newton_matrix(const Posterior &posterior,
                      const Source    &source,
                      Vector<double>  &gradient,
                      double          &log_density)
  {
    constexpr double    relative_step = 1e-4;
    std::vector<Source> sources(1 + n_unknowns, source);
    for (unsigned int i = 0; i < n_unknowns; ++i)
      sources[1 + i][i] += relative_step * (upper[i] - lower[i]);
    const auto        values = posterior.instrument(sources);
    const std::size_t n      = posterior.data.size();
    const auto        slope  = [&](const unsigned int i, const std::size_t s) {
      return (values[(1 + i) * n + s] - values[s]) /
             (relative_step * (upper[i] - lower[i]) * posterior.sigma);
    };

    FullMatrix<double> H(n_unknowns, n_unknowns);
    gradient.reinit(n_unknowns);
    for (unsigned int i = 0; i < n_unknowns; ++i)
      {
        H(i, i) = 12. / std::pow(upper[i] - lower[i], 2);
        for (std::size_t s = 0; s < n; ++s)
          {
            gradient(i) +=
              slope(i, s) * (posterior.data[s] - values[s]) / posterior.sigma;
            for (unsigned int j = 0; j < n_unknowns; ++j)
              H(i, j) += slope(i, s) * slope(j, s);
          }
      }
    log_density = posterior.log_density(values.data());
    return H;
  }

  // Steps that make things worse, or leave the prior, are halved.
  Source
  best_fit(const Posterior    &posterior,
           Source              source,
           FullMatrix<double> &covariance)
  {
    for (unsigned int iteration = 0; iteration < 20; ++iteration)
      {
        Vector<double> gradient, step(n_unknowns);
        double         before;
        const auto H = gauss_newton_matrix(posterior, source, gradient, before);
        covariance.reinit(n_unknowns, n_unknowns);
        covariance.invert(H);
        covariance.vmult(step, gradient);
        double gain = 0;
        for (unsigned int halving = 0; halving < 8 && gain <= 0; ++halving)
          {
            Source next = source;
            for (unsigned int i = 0; i < n_unknowns; ++i)
              next[i] += step(i);
            gain = posterior.log_density(next) - before;
            if (gain > 0)
              source = next;
            step /= 2.;
          }
        if (gain < 1e-6)
          break;
      }
    return source;
  }


  // @sect{The Markov chain}
  //
  // Random-walk Metropolis: propose a nearby source, go there if it is more
  // likely, and otherwise only with the probability that is the ratio of the
  // two densities. The proposals are normal with 2.38^2 / 4 times the
  // covariance that Gauss-Newton has found, which is known to be about the best
  // scaling. The first half is forgotten.
  struct Chain
  {
    std::vector<Source> states;
    std::vector<double> log_densities;
    std::size_t         n_accepted = 0;
  };

  Chain
  run_chain(const Posterior          &posterior,
            const Source             &start,
            const FullMatrix<double> &covariance,
            const unsigned int        number,
            const Parameters         &parameters)
  {
    FullMatrix<double> factor(n_unknowns, n_unknowns);
    factor.cholesky(covariance);
    factor *= 2.38 / std::sqrt(n_unknowns);

    Chain  chain;
    Source state   = start;
    double density = posterior.log_density(state);
    for (std::size_t step = 0; step < parameters.n_steps; ++step)
      {
        Vector<double> z(n_unknowns), move(n_unknowns);
        for (unsigned int i = 0; i < n_unknowns; ++i)
          z(i) = Random::normal(parameters.seed,
                                proposal_stream,
                                number,
                                step * n_unknowns + i);
        factor.vmult(move, z);
        Source proposal = state;
        for (unsigned int i = 0; i < n_unknowns; ++i)
          proposal[i] += move(i);

        const double proposed = posterior.log_density(proposal);
        if (std::log(
              Random::uniform(parameters.seed, accept_stream, number, step)) <
            proposed - density)
          {
            state   = proposal;
            density = proposed;
            ++chain.n_accepted;
          }
        if (step >= parameters.n_steps / 2)
          {
            chain.states.push_back(state);
            chain.log_densities.push_back(density);
          }
      }
    return chain;
  }


  // @sect{Statistics}
  //
  // Mean and standard deviation of weighted states; and the number of Gelman
  // and Rubin, which compares the variance between chains with that inside of
  // them and is 1 when the chains agree.
  struct Moments
  {
    Source mean = {}, deviation = {};
  };

  Moments
  moments(const std::vector<Source> &states, const std::vector<double> &weights)
  {
    Moments result;
    double  sum = 0;
    for (const double weight : weights)
      sum += weight;
    for (unsigned int i = 0; i < n_unknowns; ++i)
      {
        for (std::size_t j = 0; j < states.size(); ++j)
          result.mean[i] += weights[j] * states[j][i] / sum;
        for (std::size_t j = 0; j < states.size(); ++j)
          result.deviation[i] +=
            weights[j] * std::pow(states[j][i] - result.mean[i], 2) / sum;
        result.deviation[i] = std::sqrt(result.deviation[i]);
      }
    return result;
  }

  Moments
  moments(const std::vector<Source> &states)
  {
    return moments(states, std::vector<double>(states.size(), 1.));
  }

  double
  gelman_rubin(const std::vector<Chain> &chains, const unsigned int unknown)
  {
    const double        n      = chains.front().states.size();
    double              within = 0;
    std::vector<double> means;
    for (const Chain &chain : chains)
      {
        const Moments m = moments(chain.states);
        means.push_back(m.mean[unknown]);
        within += std::pow(m.deviation[unknown], 2) / chains.size();
      }
    double mean = 0, between = 0;
    for (const double value : means)
      mean += value / means.size();
    for (const double value : means)
      between += std::pow(value - mean, 2) / (means.size() - 1);
    return std::sqrt((n - 1) / n + between / within);
  }


  // @sect{The program's class}
  class Tutorial
  {
  public:
    Tutorial(const Parameters  &parameters,
             const std::string &dataset_text,
             const std::string &directory,
             const MPI_Comm     communicator)
      : parameters(parameters)
      , dataset_text(dataset_text)
      , directory(directory)
      , communicator(communicator)
      , out(std::cout, Utilities::MPI::this_mpi_process(communicator) == 0)
    {}

    void
    run();

  private:
    LearnedKernel
    learn_kernel_at_sensors() const;
    std::vector<double>
    measure(const std::vector<std::int64_t> &sensors) const;
    std::vector<Chain>
    run_chains(const Posterior          &posterior,
               const Source             &start,
               const FullMatrix<double> &covariance) const;
    void
    report(const std::vector<Chain> &chains,
           const Posterior          &by_surrogate,
           const Posterior          &by_fem,
           const Source             &fit) const;
    void
    write_files(const Space<dim>                &space,
                const std::vector<Chain>        &chains,
                const Posterior                 &posterior,
                const std::vector<std::int64_t> &sensors) const;

    Parameters         parameters;
    std::string        dataset_text;
    std::string        directory;
    MPI_Comm           communicator;
    ConditionalOStream out;
  };


  // @sect{Learning at the sensors only}
  //
  // This is the program of the first tutorial with one more parameter,
  // 'Greedy/Sensors': a dozen slices instead of thousands. All ranks work
  // together here.
  LearnedKernel
  Tutorial::learn_kernel_at_sensors() const
  {
    const Mesh<dim>      mesh(parameters.domain, communicator);
    const MeshSpace<dim> space(mesh, /*degree=*/1);
    Poisson<dim>         problem;
    problem.set_up(space);

    GenerationOptions options;
    options.resume         = true;
    options.parameter_text = dataset_text;
    const std::string file = directory + "/data.h5";
    const auto        made = generate_dataset(
      problem, parameters.forcing, parameters.dataset, file, options);
    if (made.interrupted)
      throw Error("Interrupted. The next run will continue with the data.");
    const auto data   = open_dataset(file, communicator);
    const auto result = learn_kernel(space,
                                     load_samples(*data, Split::train, space),
                                     parameters.learning);
    if (result.interrupted)
      throw Error("Interrupted.");

    const auto tests =
      read_test_set<dim>(space, *data, Split::test, result.kernel.response);
    const double eps_u =
      kernel_errors<dim>(result.kernel, space, &tests, nullptr).eps_u.back();
    out << "Mesh: " << space.n_nodes() << " nodes\n"
        << "Learned: " << result.kernel.response.size() << " sensors, up to "
        << result.kernel.n_neurons() << " atoms, from "
        << data->n_samples(Split::train) << " pairs in "
        << made.seconds + result.seconds << " s; eps_u " << eps_u << std::endl;
    return result.kernel;
  }


  // @sect{Measurements}
  //
  // There are no real thermometers, so we must make the data ourselves. If we
  // used the same mesh and the same solver as for the inversion, the errors of
  // both would cancel, and we would look better than we are. So the "truth" is
  // computed by finite elements on a mesh that is refined once more. The
  // sensors are nodes of that mesh, too.
  std::vector<double>
  Tutorial::measure(const std::vector<std::int64_t> &sensors) const
  {
    DomainParameters finer = parameters.domain;
    finer.refinements += 1;
    const Mesh<dim>      coarse_mesh(parameters.domain, MPI_COMM_SELF);
    const MeshSpace<dim> coarse_space(coarse_mesh, 1);
    const Mesh<dim>      mesh(finer, MPI_COMM_SELF);
    const MeshSpace<dim> space(mesh, 1);

    std::vector<std::int64_t> nodes;
    for (const auto sensor : sensors)
      {
        const double *const p = &coarse_space.mesh_data().points[sensor * dim];
        nodes.push_back(
          response_nodes(space.mesh_data(), {{p[0], p[1]}}).front());
      }
    FiniteElementInstrument instrument(space, nodes);
    return instrument(parameters.truth);
  }


  // @sect{Chains on many ranks}
  //
  // A Markov chain cannot be divided, but there can be several. Every rank has
  // its own copy of everything (the kernel is plain data), computes its share
  // of the chains without a word to the others, and sends the states round.
  std::vector<Chain>
  Tutorial::run_chains(const Posterior          &posterior,
                       const Source             &start,
                       const FullMatrix<double> &covariance) const
  {
    const unsigned int  rank = Utilities::MPI::this_mpi_process(communicator);
    const unsigned int  n_ranks = Utilities::MPI::n_mpi_processes(communicator);
    std::vector<double> mine;
    for (unsigned int c = rank; c < parameters.n_chains; c += n_ranks)
      {
        const Chain chain =
          run_chain(posterior, start, covariance, c, parameters);
        mine.push_back(chain.n_accepted);
        for (std::size_t j = 0; j < chain.states.size(); ++j)
          {
            mine.insert(mine.end(),
                        chain.states[j].begin(),
                        chain.states[j].end());
            mine.push_back(chain.log_densities[j]);
          }
      }

    const auto all = Utilities::MPI::all_gather(communicator, mine);
    std::vector<std::size_t> position(n_ranks, 0);
    std::vector<Chain>       chains(parameters.n_chains);
    for (unsigned int c = 0; c < parameters.n_chains; ++c)
      {
        const auto  &from    = all[c % n_ranks];
        std::size_t &i       = position[c % n_ranks];
        chains[c].n_accepted = from[i++];
        for (std::size_t step = parameters.n_steps / 2;
             step < parameters.n_steps;
             ++step)
          {
            Source state;
            for (auto &unknown : state)
              unknown = from[i++];
            chains[c].states.push_back(state);
            chains[c].log_densities.push_back(from[i++]);
          }
      }
    return chains;
  }


  // @sect{Results, and what the finite elements say}
  //
  // Some states of the chains, evenly spread, are put to the finite elements.
  // If p and p' are the densities with kernel and finite elements, the states,
  // weighted by p'/p, are draws from the posterior of the finite elements. If
  // the surrogate is good, the weights are nearly the same for all and the mean
  // hardly moves. Both moves are measured in units of the posterior's spread.
  void
  Tutorial::report(const std::vector<Chain> &chains,
                   const Posterior          &by_surrogate,
                   const Posterior          &by_fem,
                   const Source             &fit) const
  {
    std::vector<Source> states;
    std::vector<double> log_densities;
    std::size_t         n_accepted = 0;
    for (const Chain &chain : chains)
      {
        states.insert(states.end(), chain.states.begin(), chain.states.end());
        log_densities.insert(log_densities.end(),
                             chain.log_densities.begin(),
                             chain.log_densities.end());
        n_accepted += chain.n_accepted;
      }

    std::vector<Source> subset;
    std::vector<double> weights, differences;
    for (std::size_t k = 0; k < parameters.n_fem_checks; ++k)
      {
        const std::size_t j = k * states.size() / parameters.n_fem_checks;
        subset.push_back(states[j]);
        differences.push_back(by_fem.log_density(states[j]) - log_densities[j]);
      }
    const double largest =
      *std::max_element(differences.begin(), differences.end());
    double sum = 0, squares = 0;
    for (const double difference : differences)
      {
        weights.push_back(std::exp(difference - largest));
        sum += weights.back();
        squares += std::pow(weights.back(), 2);
      }

    const Moments all      = moments(states);
    const Moments thinned  = moments(subset);
    const Moments with_fem = moments(subset, weights);
    TableHandler  table;
    for (unsigned int i = 0; i < n_unknowns; ++i)
      {
        table.add_value("unknown", std::string(names[i]));
        table.add_value("truth", parameters.truth[i]);
        table.add_value("best fit", fit[i]);
        table.add_value("mean", all.mean[i]);
        table.add_value("spread", all.deviation[i]);
        table.add_value("off by",
                        (all.mean[i] - parameters.truth[i]) / all.deviation[i]);
        table.add_value("FEM shift",
                        (with_fem.mean[i] - thinned.mean[i]) /
                          all.deviation[i]);
        table.add_value("R-hat", gelman_rubin(chains, i));
      }
    for (const char *column : {"truth",
                               "best fit",
                               "mean",
                               "spread",
                               "off by",
                               "FEM shift",
                               "R-hat"})
      table.set_precision(column, 4);
    if (out.is_active())
      table.write_text(std::cout);
    out << "Chains: " << chains.size() << " of " << parameters.n_steps
        << " steps, "
        << 100. * n_accepted / (chains.size() * parameters.n_steps)
        << " % accepted\n"
        << "Finite elements: " << subset.size() << " sources checked, worth "
        << 100. * sum * sum / squares / subset.size()
        << " % of them after reweighting" << std::endl;

    // How fast are they, one source after the other as a chain asks for them?
    const auto solves_per_second = [&](Instrument &instrument) {
      Timer             timer;
      const std::size_t before = instrument.n_solves;
      while (timer.wall_time() < 0.3)
        instrument(subset[instrument.n_solves % subset.size()]);
      return (instrument.n_solves - before) / timer.wall_time();
    };
    const double surrogate = solves_per_second(by_surrogate.instrument);
    const double fem       = solves_per_second(by_fem.instrument);
    out << "Speed: " << std::round(surrogate) << " solves per second by the "
        << "kernel, " << std::round(fem) << " by finite elements, ratio "
        << surrogate / fem << std::endl;
  }


  // For the pictures: the chains' states, the sensors, and the solution.
  void
  Tutorial::write_files(const Space<dim>                &space,
                        const std::vector<Chain>        &chains,
                        const Posterior                 &posterior,
                        const std::vector<std::int64_t> &sensors) const
  {
    std::vector<TableColumn> states = {{"chain", {}}};
    for (const char *name : names)
      states.push_back({name, {}});
    for (std::size_t c = 0; c < chains.size(); ++c)
      for (std::size_t j = 0; j < chains[c].states.size(); j += 10)
        {
          states[0].second.push_back(c);
          for (unsigned int i = 0; i < n_unknowns; ++i)
            states[1 + i].second.push_back(chains[c].states[j][i]);
        }
    write_csv(states, directory + "/chains.csv", communicator);

    const auto               fitted = posterior.instrument(parameters.truth);
    std::vector<TableColumn> table  = {{"x", {}},
                                       {"y", {}},
                                       {"measured", posterior.data},
                                       {"at_truth", fitted}};
    for (const auto sensor : sensors)
      for (unsigned int d = 0; d < dim; ++d)
        table[d].second.push_back(space.mesh_data().points[sensor * dim + d]);
    write_csv(table, directory + "/sensors.csv", communicator);

    collectively(communicator, [&]() {
      if (Utilities::MPI::this_mpi_process(communicator) != 0)
        return;
      std::vector<double> f(space.n_nodes()), u(space.n_nodes());
      posterior.instrument.set_forcing(parameters.truth, f.data());
      Poisson<dim> problem;
      problem.set_up(space);
      problem.solve_block(f.data(), u.data(), 1);
      write_vtu<dim>(space,
                     {{"source", f}, {"temperature", u}},
                     directory + "/temperature.vtu");
    });
  }


  // @sect{Putting it together}
  void
  Tutorial::run()
  {
    const LearnedKernel              kernel  = learn_kernel_at_sensors();
    const std::vector<std::int64_t> &sensors = kernel.response;

    // From here on every rank is alone, with the whole mesh to itself. A solve
    // is now so small that threads would only wait for each other.
    const Blas::SingleThread   one_thread;
    const Mesh<dim>            mesh(parameters.domain, MPI_COMM_SELF);
    const MeshSpace<dim>       space(mesh, 1);
    const SurrogateSolver<dim> solver(kernel, space);
    std::vector<Point<dim>>    points;
    for (const auto sensor : sensors)
      points.emplace_back(space.mesh_data().points[sensor * dim],
                          space.mesh_data().points[sensor * dim + 1]);
    const SensorSolver<dim> sensor_solver = solver.sensors(points);
    SurrogateInstrument     surrogate(space, sensors, sensor_solver);
    FiniteElementInstrument fem(space, sensors);

    std::vector<double> data = measure(sensors);
    const double        sigma =
      parameters.noise * *std::max_element(data.begin(), data.end());
    for (std::size_t s = 0; s < data.size(); ++s)
      data[s] +=
        sigma * Random::normal(parameters.seed, Random::Stream::noise, 0, s);
    const Posterior by_surrogate{surrogate, data, sigma};
    const Posterior by_fem{fem, data, sigma};
    out << "Sensors: values up to "
        << *std::max_element(data.begin(), data.end()) << ", noise " << sigma
        << std::endl;

    Timer              timer;
    FullMatrix<double> covariance;
    const Source       fit =
      best_fit(by_surrogate, best_guess(by_surrogate, parameters), covariance);
    const auto chains  = run_chains(by_surrogate, fit, covariance);
    const auto seconds = timer.wall_time();
    out << "Inversion: "
        << Utilities::MPI::sum(surrogate.n_solves, communicator)
        << " solves in " << seconds << " s" << std::endl;

    report(chains, by_surrogate, by_fem, fit);
    write_files(space, chains, by_surrogate, sensors);
    out << "Written: " << directory
        << "/{chains.csv, sensors.csv, temperature.vtu}" << std::endl;
  }
} // namespace SourceIdentification


// @sect{The main function}
//
// As in the first tutorial.
int
main(int argc, char **argv)
{
  using namespace SourceIdentification;
  const std::string name = "tutorial_source_identification";

  return run_program(argc, argv, name, [&](const MPI_Comm communicator) {
    Parameters       parameters;
    ParameterHandler prm;
    parameters.add_parameters(prm);
    const ProgramOptions options =
      read_program_options(argc,
                           argv,
                           name,
                           "Finds a source of heat from a few noisy "
                           "thermometers with a learned kernel.",
                           "source_identification_output",
                           prm,
                           communicator);
    if (options.finished)
      return 0;
    parameters.check();

    const std::string dataset_text = text_of_sections(prm,
                                                      parameters.domain,
                                                      parameters.forcing,
                                                      parameters.dataset);
    Tutorial(parameters, dataset_text, options.output, communicator).run();
    return 0;
  });
}
