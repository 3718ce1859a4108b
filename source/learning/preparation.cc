#include "preparation.h"
#include "reciprocity.h"

#include <evergreen/base/collective.h>
#include <evergreen/base/error.h>
#include <evergreen/fem/boundary_faces.h>

#include <algorithm>
#include <cmath>
#include <sstream>

namespace Evergreen
{
  using namespace dealii;

  namespace
  {
    template <int dim>
    void
    check(const Space<dim> &space, const Samples &samples)
    {
      const std::size_t expected = samples.n_samples * space.n_local_nodes();
      if (samples.n_samples == 0 || samples.forcings.size() != expected ||
          samples.solutions.size() != expected)
        throw Error("There are ",
                    samples.n_samples,
                    " training samples with ",
                    samples.forcings.size(),
                    " values of forcings and ",
                    samples.solutions.size(),
                    " of solutions, where the finite element space has ",
                    space.n_local_nodes(),
                    " degrees of freedom on this rank: give at least one "
                    "sample, and all of this space.");
    }


    template <int dim>
    void
    choose_local_slices(const Space<dim> &space, Preparation &preparation)
    {
      const auto &response    = preparation.response;
      auto        all_weights = nodal_weights(space);
      space.condense(all_weights.data(), 1);
      for (std::size_t i = 0; i < space.n_local_nodes(); ++i)
        {
          const std::size_t node = space.local_nodes()[i];
          if (!std::binary_search(response.begin(), response.end(), node))
            continue;
          preparation.data.response.push_back(i);
          preparation.local_response.push_back(node);
          preparation.weights.push_back(all_weights[i]);
          for (unsigned int d = 0; d < dim; ++d)
            preparation.points.push_back(space.points()[node * dim + d]);
        }
    }


    template <int dim>
    void
    describe_data(const Space<dim>         &space,
                  const Samples            &samples,
                  const LearningParameters &parameters,
                  Preparation              &preparation)
    {
      const auto   &nodes = preparation.rule.nodes;
      TrainingData &data  = preparation.data;
      data.n_samples      = samples.n_samples;
      data.n_f_rows       = nodes.size();
      data.n_owned        = preparation.rule.n_owned;
      data.u              = samples.solutions.data();
      data.n_u_rows       = space.n_local_nodes();
      data.f              = values_at_rows(space,
                              preparation.rule,
                              samples.forcings.data(),
                              data.n_samples,
                              preparation.forcings);
      // The Tikhonov term that keeps what the data do not see quiet.
      data.penalty.node_weights = all_nodal_weights(space, samples.input);
      data.penalty.weight       = parameters.regularisation;
      data.penalty.nodes        = nodes;
      data.penalty.seed         = parameters.seed;
      if (parameters.reciprocity)
        data.penalty.constraints =
          boundary_functionals(space, data.penalty.node_weights);
    }


    /** The quadrature of the parameters, or that of data on the boundary. */
    std::string
    quadrature_of(const Samples &samples, const LearningParameters &parameters)
    {
      if (samples.input == Input::forcing)
        return parameters.quadrature;
      const auto refuse = [&](const std::string &key, const auto &value) {
        throw UsageError("'",
                         key,
                         "' = ",
                         value,
                         " is for forcings, but these data are ",
                         input_words(samples.input),
                         ".");
      };
      if (parameters.quadrature != LearningParameters().quadrature)
        refuse("Greedy/Quadrature", parameters.quadrature);
      if (parameters.reciprocity)
        refuse("Greedy/Reciprocity", "true");
      return input_name(samples.input);
    }


    /** The coordinates; decides whether samples are held out. */
    void
    compute_coordinates(const LearningParameters &parameters,
                        Preparation              &preparation)
    {
      TrainingData &data        = preparation.data;
      auto         &coordinates = preparation.coordinates;
      const auto    hold_out    = [&]() {
        data.validation = validation_split(data.n_samples,
                                           parameters.validation_share,
                                           parameters.seed);
      };
      if (parameters.stopping == "validation")
        hold_out();
      coordinates =
        std::make_unique<Coordinates>(data, preparation.communicator);
      preparation.data_are_poor =
        coordinates->rank() + data.validation.size() >= data.n_samples ||
        coordinates->relative_misfit() > LearningParameters::noisy_misfit;
      if (parameters.stopping == "auto" && data.n_samples > 1 &&
          preparation.data_are_poor)
        {
          hold_out();
          coordinates =
            std::make_unique<Coordinates>(data, preparation.communicator);
        }
    }


    /** What tells these data from others, the same on all ranks. Collective. */
    std::string
    identity_of(const Preparation &preparation)
    {
      const TrainingData &data    = preparation.data;
      double              sums[2] = {0., 0.};
      for (std::size_t j = 0; j < data.n_samples; ++j)
        for (std::size_t i = 0; i < data.n_owned; ++i)
          sums[0] += std::abs(data.f[j * data.n_f_rows + i]);
      for (std::size_t i = 0; i < data.n_samples * data.n_u_rows; ++i)
        sums[1] += std::abs(data.u[i]);
      Collective::sum(preparation.communicator, sums, 2);
      std::ostringstream text;
      // Sums over ranks differ in their last digits.
      text.precision(10);
      text << "samples " << data.n_samples << ", slices "
           << preparation.response.size() << ", |f| " << sums[0] << ", |u| "
           << sums[1];
      return text.str();
    }
  } // namespace


  template <int dim>
  Preparation::Preparation(const Space<dim>         &space,
                           const Samples            &samples,
                           const LearningParameters &parameters)
    : communicator(space.communicator())
    , quadrature(quadrature_of(samples, parameters))
    , rule(make_rule(space, quadrature_kind(quadrature)))
  {
    const MeshData &mesh = space.mesh_data();
    collectively(communicator, [&]() {
      parameters.check();
      check(space, samples);
      response = response_nodes(mesh, parameters.sensor_points());
    });
    choose_local_slices(space, *this);
    describe_data(space, samples, parameters, *this);
    compute_coordinates(parameters, *this);
    frame = parameters.usable_frame();
    if (!frame.is_trivial())
      {
        rule.rule = frame.image(rule.rule);
        points    = frame.images(dim, points);
      }
    choose_dictionary(frame.image(mesh),
                      frame.images(dim, boundary_faces(space)),
                      parameters,
                      *this);
    identity = identity_of(*this);
    // The coordinates have what is needed of the copies of other ranks' values.
    forcings = std::vector<double>();
    data.f   = nullptr;
  }


  GreedyParameters
  parameters_for(const DictionaryChoice   &choice,
                 const Preparation        &preparation,
                 const LearningParameters &parameters)
  {
    GreedyParameters greedy = parameters.greedy_parameters();
    if (parameters.selection == "auto" && choice.has_radial_atoms() &&
        preparation.input() == Input::boundary_values)
      greedy.selection = Selection::normalised;
    return greedy;
  }


  template Preparation::Preparation(const Space<1> &,
                                    const Samples &,
                                    const LearningParameters &);
  template Preparation::Preparation(const Space<2> &,
                                    const Samples &,
                                    const LearningParameters &);
  template Preparation::Preparation(const Space<3> &,
                                    const Samples &,
                                    const LearningParameters &);
} // namespace Evergreen
