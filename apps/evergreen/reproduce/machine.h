// What a document must say about where its figures come from.

#ifndef evergreen_app_reproduce_machine_h
#define evergreen_app_reproduce_machine_h

#include <string>
#include <utility>
#include <vector>

namespace Evergreen
{
  namespace Reproduce
  {
    /** The date and time in UTC, as in 2026-01-31 12:34 UTC. */
    std::string
    date_text();

    /** The version of the sources, as git names it; "unknown" without git. */
    std::string
    commit_text();

    /** Processor, cores, memory, versions of libraries and compiler. */
    std::vector<std::pair<std::string, std::string>>
    machine_facts();

    /** The processor time of this process so far, in seconds. */
    double
    processor_time();

    /**
     * The processor time that a virtual machine wanted, but its host gave to
     * others, in seconds since it was started; 0 where nobody says.
     */
    double
    stolen_time();

    /** The most memory that this process has had, in GiB. */
    double
    peak_memory();
  } // namespace Reproduce
} // namespace Evergreen

#endif
