// What the greedy algorithms start from: a rank's part of the data, the
// coordinates of the semi-inner product, the slices and the dictionary.

#ifndef evergreen_source_learning_preparation_h
#define evergreen_source_learning_preparation_h

#include <evergreen/data/samples.h>
#include <evergreen/fem/space_rule.h>
#include <evergreen/greedy/coordinates.h>
#include <evergreen/learning/dictionary_choice.h>
#include <evergreen/learning/learning_parameters.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace Evergreen
{
  /** This rank's part of the data, as the greedy algorithms want it. */
  template <int dim>
  struct Preparation
  {
    /**
     * Takes the samples, which must outlive this object, and chooses the
     * dictionary. Collective.
     */
    Preparation(const Space<dim>         &space,
                const Samples            &samples,
                const LearningParameters &parameters);

    DistributedRule rule;
    TrainingData    data;

    /** The nodes of all slices, and of this rank's. */
    std::vector<std::int64_t> response, local_response;

    /** The points of this rank's slices and their nodal weights. */
    std::vector<double> points, weights;

    std::unique_ptr<Coordinates> coordinates;
    DictionaryChoice             choice;
    std::vector<ScanTrial>       trials;
    AtomSource                   atoms;

    /** Whether the samples do not exhaust the forcings, or are noisy. */
    bool data_are_poor = false;

    /** What tells these data from others, the same on all ranks. Collective. */
    std::string
    identity(const MPI_Comm communicator) const;

  private:
    /** The forcings with those that other ranks own, if there are any. */
    std::vector<double> forcings;

    void
    choose_local_slices(const Space<dim> &space);

    void
    describe_data(const Space<dim> &space, const Samples &samples);

    // The Tikhonov term that keeps what the data do not see quiet.
    void
    describe_penalty(const Space<dim>         &space,
                     const LearningParameters &parameters);

    // The coordinates; decides whether samples are held out.
    void
    compute_coordinates(const LearningParameters &parameters,
                        const MPI_Comm            communicator);

    void
    make_dictionary(const Space<dim>         &space,
                    const LearningParameters &parameters);
  };
} // namespace Evergreen

#endif
