// Which atoms to offer: dictionaries from parameters, and the search for the
// kind of atoms that suits the data.

#ifndef evergreen_learning_dictionary_choice_h
#define evergreen_learning_dictionary_choice_h

#include <evergreen/dictionary/dictionary.h>
#include <evergreen/dictionary/fundamental.h>
#include <evergreen/fem/mesh_data.h>
#include <evergreen/fem/quadrature_rule.h>
#include <evergreen/greedy/coordinates.h>
#include <evergreen/learning/learning_parameters.h>

#include <mpi.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace Evergreen
{
  /** A kind of dictionary, with nothing left to choose. */
  struct DictionaryChoice
  {
    /** relu, fundamental or mixed. */
    std::string family = "relu";

    /** The radial atoms of the last two. */
    FundamentalSolution solution;

    /** Whether radial atoms take part. */
    bool
    has_radial_atoms() const
    {
      return family != "relu";
    }

    /** One line for people. */
    std::string
    description() const;
  };


  /** The dictionary of all slices, and the atoms of single slices (or none). */
  struct AtomSource
  {
    std::unique_ptr<Dictionary> dictionary;
    std::unique_ptr<SliceAtoms> slice_atoms;
  };


  /** Makes dictionaries for one mesh. */
  class DictionaryMaker
  {
  public:
    DictionaryMaker(const MeshData                  &mesh,
                    const std::vector<BoundaryFace> &faces,
                    const LearningParameters        &parameters);

    /**
     * A dictionary of @p size atoms an iteration: of atoms in y or, for a full
     * kernel, in (x, y).
     */
    AtomSource
    make(const DictionaryChoice &choice,
         const std::size_t       size,
         const bool              full) const;

    /** The radius of a ball around the domain. */
    double
    radius() const
    {
      return sphere_.radius;
    }

    /** A typical length of a cell's edge. */
    double
    cell_size() const
    {
      return cell_size_;
    }

    /**
     * The interval of wave numbers around @p wave_number that the parameters
     * ask for.
     */
    FundamentalSolution
    solution(const RadialFunction function, const double wave_number) const;

  private:
    LearningParameters              parameters_;
    unsigned int                    dim_;
    BoundingSphere                  sphere_;
    double                          cell_size_;
    std::shared_ptr<const Boundary> boundary_;

    /** Made at first use: a mesh without radial atoms needs none. */
    mutable std::vector<double> centres_;

    const std::vector<double> &
    centres() const;

    std::vector<Dictionary::Part>
    radial_parts(const FundamentalSolution &solution,
                 const std::size_t          size,
                 const bool                 full) const;
  };


  /** The data on which kinds of dictionaries are compared; a rank's part. */
  struct ScanData
  {
    const QuadratureRule      *rule;
    TrainingData               data;
    const std::vector<double> *points; // of all slices in data.response
    MPI_Comm                   communicator;

    /** The nodes of all slices of all ranks, sorted, and of this rank's. */
    const std::vector<std::int64_t> *response;
    const std::vector<std::int64_t> *local_response;

    /** Whether all samples do not exhaust the forcings, or are noisy. */
    bool is_poor;
  };


  /** A kind of dictionary that was tried. */
  struct ScanTrial
  {
    DictionaryChoice choice;
    double           validation_error;
  };


  /**
   * Decides what the parameters leave open (the family, the profile of the
   * radial atoms, the wave number) by learning a handful of slices with every
   * candidate and comparing the errors on samples that were held out. What was
   * tried is appended to @p trials. Collective; all ranks decide alike.
   */
  DictionaryChoice
  choose_dictionary(const DictionaryMaker    &maker,
                    const LearningParameters &parameters,
                    const ScanData           &scan,
                    std::vector<ScanTrial>   &trials);
} // namespace Evergreen

#endif
