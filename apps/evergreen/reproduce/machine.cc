#include "machine.h"

#include <evergreen/base/compat.h>

#include <evergreen/base/blas.h>
#include <evergreen/base/commit.h>
#include <evergreen/base/error.h>
#include <evergreen/base/version.h>

#include <deal.II/base/config.h>
#include <deal.II/base/multithread_info.h>

#include <dlfcn.h>
#include <sys/resource.h>
#include <unistd.h>

#include <ctime>
#include <fstream>

namespace Evergreen
{
  namespace Reproduce
  {
    namespace
    {
      std::string
      processor()
      {
        std::ifstream in("/proc/cpuinfo");
        for (std::string line; std::getline(in, line);)
          if (line.rfind("model name", 0) == 0)
            return line.substr(line.find(':') + 2);
        return "unknown";
      }


      std::string
      memory()
      {
        const double bytes = static_cast<double>(sysconf(_SC_PHYS_PAGES)) *
                             static_cast<double>(sysconf(_SC_PAGE_SIZE));
        return text(static_cast<int>(bytes / (1 << 30) + 0.5), " GiB");
      }


      std::string
      blas_library()
      {
        using Function      = const char *(*)();
        const auto function = reinterpret_cast<Function>(
          dlsym(RTLD_DEFAULT, "openblas_get_config"));
        return function != nullptr ? function() : "unknown";
      }
    } // namespace


    std::string
    date_text()
    {
      const std::time_t now = std::time(nullptr);
      std::tm           parts{};
      gmtime_r(&now, &parts);
      char content[32];
      std::strftime(content, sizeof(content), "%Y-%m-%d %H:%M UTC", &parts);
      return content;
    }


    std::string
    commit_text()
    {
      return EVERGREEN_COMMIT;
    }


    std::vector<std::pair<std::string, std::string>>
    machine_facts()
    {
      return {
        {"processor",
         text(processor(),
              ", ",
              dealii::MultithreadInfo::n_cores(),
              " cores, ",
              dealii::MultithreadInfo::n_threads(),
              " threads used")},
        {"memory", memory()},
        {"Evergreen", text(EVERGREEN_VERSION, ", commit ", commit_text())},
        {"deal.II", DEAL_II_PACKAGE_VERSION},
        {"BLAS", text(blas_library(), ", ", Blas::n_threads(), " threads")},
        {"compiler", "g++-compatible " __VERSION__}};
    }


    double
    processor_time()
    {
      rusage usage{};
      getrusage(RUSAGE_SELF, &usage);
      return static_cast<double>(usage.ru_utime.tv_sec +
                                 usage.ru_stime.tv_sec) +
             1e-6 * static_cast<double>(usage.ru_utime.tv_usec +
                                        usage.ru_stime.tv_usec);
    }


    double
    stolen_time()
    {
      // cpu user nice system idle iowait irq softirq steal ...
      std::ifstream file("/proc/stat");
      std::string   name;
      double        ticks[8] = {};
      file >> name;
      for (double &value : ticks)
        file >> value;
      const auto per_second = static_cast<double>(sysconf(_SC_CLK_TCK));
      return file && name == "cpu" ? ticks[7] / per_second : 0.;
    }


    double
    peak_memory()
    {
      rusage usage{};
      getrusage(RUSAGE_SELF, &usage);
      return static_cast<double>(usage.ru_maxrss) / (1 << 20);
    }
  } // namespace Reproduce
} // namespace Evergreen
