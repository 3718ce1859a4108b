// What the greedy algorithms start from: a rank's part of the data, the
// coordinates of the semi-inner product, the slices and the dictionary.

#ifndef evergreen_source_learning_preparation_h
#define evergreen_source_learning_preparation_h

#include <evergreen/data/samples.h>
#include <evergreen/dictionary/dictionary.h>
#include <evergreen/dictionary/fundamental.h>
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
  /** The dictionary of all slices, and the atoms of single slices (or none). */
  struct AtomSource
  {
    std::unique_ptr<Dictionary> dictionary;
    std::unique_ptr<SliceAtoms> slice_atoms;
  };


  /** This rank's part of the data, as the greedy algorithms want it. */
  struct Preparation
  {
    /**
     * Takes the samples, which must outlive this object, and chooses the
     * dictionary. Collective.
     */
    template <int dim>
    Preparation(const Space<dim>         &space,
                const Samples            &samples,
                const LearningParameters &parameters);

    MPI_Comm communicator;

    /** The name of the rule that integrates against the forcings. */
    std::string     quadrature;
    DistributedRule rule;

    /** What it integrates against. */
    Input
    input() const
    {
      return input_of(quadrature_kind(quadrature));
    }

    /** Of the forcings only until the coordinates are there. */
    TrainingData data;

    /** The same with those that other ranks own, if there are any. */
    std::vector<double> forcings;

    /** The nodes of all slices, and of this rank's, in increasing order. */
    std::vector<std::size_t> response, local_response;

    /** The variables that atoms are functions of: those of rule and points. */
    Frame frame;

    /** The points of this rank's slices and their nodal weights. */
    std::vector<double> points, weights;

    std::unique_ptr<Coordinates> coordinates;
    DictionaryChoice             choice;
    std::vector<ScanTrial>       trials;
    AtomSource                   atoms;

    /** Whether the samples do not exhaust the forcings, or are noisy. */
    bool data_are_poor = false;

    /** Whether this is the rank that speaks and writes. */
    bool
    is_root() const
    {
      return dealii::Utilities::MPI::this_mpi_process(communicator) == 0;
    }

    /** What tells these data from others, the same on all ranks. */
    std::string identity;
  };


  /** The parameters of PW-OGA for a kind of atoms. */
  GreedyParameters
  parameters_for(const DictionaryChoice   &choice,
                 const Preparation        &preparation,
                 const LearningParameters &parameters);


  /**
   * Makes the dictionary of a preparation that has all else. What the
   * parameters leave open (the family, the profile of the radial atoms, the
   * wave number) is decided by learning a handful of slices with every
   * candidate and comparing the errors on samples that were held out.
   * Collective; all ranks decide alike.
   */
  void
  choose_dictionary(const MeshData                  &mesh,
                    const std::vector<BoundaryFace> &faces,
                    const LearningParameters        &parameters,
                    Preparation                     &preparation);
} // namespace Evergreen

#endif
