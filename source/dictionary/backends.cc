#include <evergreen/base/collective.h>
#include <evergreen/base/error.h>
#include <evergreen/dictionary/backends.h>

#include <dlfcn.h>
#include <tbb/global_control.h>
#include <tbb/task_arena.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <filesystem>

// Set by the build system if it makes the module.
#ifndef EVERGREEN_BUILDS_CUDA
#  define EVERGREEN_BUILDS_CUDA 0
#endif

namespace Evergreen
{
  namespace
  {
    constexpr const char *module_file     = "libevergreen_cuda.so";
    constexpr const char *module_function = "evergreen_backend_module";
    constexpr const char *module_variable = "EVERGREEN_CUDA_MODULE";

    std::atomic<const BackendModule *> registered_module{nullptr};

    /** The variable's value; empty if it is not set. */
    std::string
    path_from_environment()
    {
      const char *const value = std::getenv(module_variable);
      return value == nullptr ? "" : value;
    }


    /** The file that the environment names, or the one beside libevergreen. */
    std::string
    module_path()
    {
      const std::string named = path_from_environment();
      if (!named.empty())
        return named;
      Dl_info library;
      if (dladdr(reinterpret_cast<void *>(&register_cuda_module), &library) ==
            0 ||
          library.dli_fname == nullptr)
        return module_file;
      std::error_code error;
      const auto      file =
        std::filesystem::path(library.dli_fname).parent_path() / module_file;
      const auto path = std::filesystem::weakly_canonical(file, error);
      return (error ? file : path).string();
    }


    [[noreturn]] void
    throw_not_found(const std::string &path)
    {
      if (!path_from_environment().empty())
        throw Error(
          "there is no module '", path, "', which ", module_variable, " names");
      if (EVERGREEN_BUILDS_CUDA)
        throw Error("its module is missing: '", path, "'");
      throw Error(
        "Evergreen was built without it (nvcc was not found, or "
        "EVERGREEN_WITH_CUDA = OFF)");
    }


    /** Opens the module, or throws an Error that tells why it cannot. */
    const BackendModule &
    load_module()
    {
      if (const BackendModule *const module = registered_module)
        return *module;
      // A library that was built without it takes no file that lies around.
      const std::string path = module_path();
      std::error_code   error;
      if ((!EVERGREEN_BUILDS_CUDA && path_from_environment().empty()) ||
          !std::filesystem::exists(path, error))
        throw_not_found(path);
      // It stays open for ever: threads and static objects of the device's
      // libraries do not survive closing.
      void *const handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
      if (handle == nullptr)
        {
          const char *const reason = dlerror();
          throw Error("its module '",
                      path,
                      "' cannot be loaded: ",
                      reason == nullptr ? "the loader gives no reason"
                                        : reason);
        }
      const auto function =
        reinterpret_cast<decltype(&evergreen_backend_module)>(
          dlsym(handle, module_function));
      if (function == nullptr)
        throw Error("'", path, "' is not a module of Evergreen");
      const BackendModule *const module = function(backend_module_version);
      if (module == nullptr)
        throw Error("the module '",
                    path,
                    "' belongs to another version of Evergreen");
      return *module;
    }


    BackendStatus
    probe()
    {
      try
        {
          return load_module().probe();
        }
      catch (...)
        {
          return {false, "", one_line_message()};
        }
    }


    std::string
    refusal(const std::string &reason)
    {
      return text("The backend 'cuda' cannot be used: ",
                  reason,
                  ". Choose 'Backend' = cpu or auto in section 'Compute' "
                  "('evergreen backends' tells more).");
    }


    /** Where this is, if that is a question. */
    std::string
    place(const MPI_Comm communicator)
    {
      int n_ranks = 1;
      MPI_Comm_size(communicator, &n_ranks);
      char host[256] = "";
      if (n_ranks == 1 || gethostname(host, sizeof(host) - 1) != 0)
        return "";
      return text(" (on ", host, ")");
    }
  } // namespace


  std::string
  BackendChoice::description() const
  {
    return reason.empty() ? name : name + " (" + reason + ")";
  }


  void
  register_cuda_module(const BackendModule *module)
  {
    registered_module = module;
  }


  const BackendModule &
  cuda_module()
  {
    const BackendStatus status = probe();
    if (!status.usable)
      throw Error(refusal(status.reason));
    return load_module();
  }


  std::vector<BackendInfo>
  list_backends()
  {
    BackendInfo cuda{"cuda", EVERGREEN_BUILDS_CUDA != 0, "", probe()};
    if (registered_module == nullptr &&
        (cuda.built || !path_from_environment().empty()))
      cuda.module = module_path();

    return {cuda,
            {"cpu", true, "", {true, text(n_cpu_threads(), " threads"), ""}},
            {"reference", true, "", {true, "for checking, slow", ""}}};
  }


  std::size_t
  n_cpu_threads()
  {
    return std::min<std::size_t>(
      tbb::this_task_arena::max_concurrency(),
      tbb::global_control::active_value(
        tbb::global_control::max_allowed_parallelism));
  }


  BackendChoice
  choose_backend(const std::string &wanted, const MPI_Comm communicator)
  {
    if (wanted == "cpu" || wanted == "reference")
      return {wanted, ""};
    if (wanted != "auto" && wanted != "cuda")
      throw UsageError("There is no backend '",
                       wanted,
                       "': choose 'auto', 'cpu', 'cuda' or 'reference'.");
    BackendStatus status;
    try
      {
        collectively(communicator, [&]() {
          status = probe();
          if (!status.usable)
            throw Error(status.reason, place(communicator));
        });
      }
    catch (const Error &e)
      {
        if (wanted == "cuda")
          throw Error(refusal(e.what()));
        return {"cpu", text("cuda cannot be used: ", e.what())};
      }
    return {"cuda", status.device};
  }
} // namespace Evergreen
