// Which atoms are offered: the outcome of the search for the kind of atoms that
// suits the data.

#ifndef evergreen_learning_dictionary_choice_h
#define evergreen_learning_dictionary_choice_h

#include <evergreen/dictionary/fundamental.h>

#include <string>

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


  /** A kind of dictionary that was tried. */
  struct ScanTrial
  {
    DictionaryChoice choice;
    double           validation_error;
  };
} // namespace Evergreen

#endif
