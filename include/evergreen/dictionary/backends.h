// Which backends there are, which of them can work here, and which one a run
// takes. The backends "cpu" and "reference" are part of the library; "cuda" is
// a module that is opened when it is asked for.

#ifndef evergreen_dictionary_backends_h
#define evergreen_dictionary_backends_h

#include <evergreen/dictionary/backend_module.h>

#include <mpi.h>

#include <string>
#include <vector>

namespace Evergreen
{
  /** One line of the list of backends. */
  struct BackendInfo
  {
    /** Its name, as in the parameter 'Backend'. */
    std::string name;

    /** Whether this library was built with it. */
    bool built = false;

    /** The file it is in; empty for what is part of the library. */
    std::string module;

    BackendStatus status;
  };

  /** All backends, the fastest first, as this process finds them. */
  std::vector<BackendInfo>
  list_backends();


  /** The number of threads that the backends of the library work with. */
  std::size_t
  n_cpu_threads();


  /** The backend of a run, and why it is this one. */
  struct BackendChoice
  {
    std::string name = "cpu";

    /** In words, for the user: empty if it was asked for by name. */
    std::string reason = "";

    /** Both, in one line. */
    std::string
    description() const;
  };

  /**
   * The backend for the parameter @p wanted, the same on all ranks. "auto"
   * takes "cuda" if every rank can use it, and "cpu" otherwise. A backend that
   * was asked for by name is taken or, if one rank cannot use it, an Error on
   * all ranks, which tells the reason. Other names give a UsageError.
   * Collective.
   */
  BackendChoice
  choose_backend(const std::string &wanted, const MPI_Comm communicator);


  /**
   * The module of the backend "cuda" if it can work here; otherwise throws an
   * Error that says why not.
   */
  const BackendModule &
  cuda_module();

  /**
   * Uses @p module as the backend "cuda" of this process from now on: for tests
   * with a device that is emulated or that fails, and for programs that link
   * their module. The nullptr returns to the file. A module of another process
   * or program is named by the environment variable EVERGREEN_CUDA_MODULE, the
   * path of a file, which is used instead of libevergreen_cuda.so beside
   * libevergreen.
   */
  void
  register_cuda_module(const BackendModule *module);
} // namespace Evergreen

#endif
