// The two lists that all_tables() is made of.

#ifndef evergreen_app_reproduce_tables_h
#define evergreen_app_reproduce_tables_h

#include "experiments.h"

#include <vector>

namespace Evergreen
{
  namespace Reproduce
  {
    /** The tables and training curves of the paper, in its order. */
    std::vector<Table>
    paper_tables();

    /** Ours, on questions that the paper does not ask. */
    std::vector<Table>
    further_tables();
  } // namespace Reproduce
} // namespace Evergreen

#endif
