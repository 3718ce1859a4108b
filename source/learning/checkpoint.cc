#include <evergreen/base/collective.h>
#include <evergreen/base/error.h>
#include <evergreen/base/locations.h>
#include <evergreen/data/hdf5.h>
#include <evergreen/learning/checkpoint.h>

#include <deal.II/base/mpi.h>
#include <deal.II/base/utilities.h>

#include <filesystem>
#include <iomanip>

namespace Evergreen
{
  namespace fs = std::filesystem;
  using namespace dealii;

  namespace
  {
    std::string
    directory_of(const std::string &target)
    {
      return target + ".partial";
    }
  } // namespace


  Checkpoint::Checkpoint(const std::string &target,
                         const std::string &identity,
                         const bool         resume,
                         const MPI_Comm     communicator)
    : directory_(target.empty() ? "" : directory_of(target))
    , identity_(identity)
    , communicator_(communicator)
    , is_keeper_(Utilities::MPI::this_mpi_process(communicator) == 0)
  {
    if (directory_.empty())
      return;
    collectively(communicator, [&]() {
      if (!is_keeper_)
        return;
      std::error_code error;
      if (fs::exists(record_path(0), error))
        {
          if (!resume)
            throw Error("'",
                        directory_,
                        "' holds the work of an interrupted run: continue it "
                        "with --resume, or remove it.");
          found = load();
          return;
        }
      fs::remove_all(directory_, error);
      fs::create_directory(directory_, error);
      if (error)
        throw Error("Cannot make the directory '",
                    directory_,
                    "' for checkpoints: ",
                    error.message(),
                    ".");
    });
    if (Utilities::MPI::n_mpi_processes(communicator) > 1)
      found = Utilities::MPI::broadcast(communicator, found);
  }


  void
  Checkpoint::append(const std::vector<SliceFit> &local)
  {
    if (directory_.empty())
      return;
    const auto parts =
      Utilities::MPI::gather(communicator_, Utilities::pack(local, false));
    collectively(communicator_, [&]() {
      std::vector<SliceFit> record;
      for (const auto &part : parts)
        for (auto &fit : Utilities::unpack<std::vector<SliceFit>>(part, false))
          record.push_back(std::move(fit));
      if (is_keeper_ && !record.empty())
        write(record);
    });
  }


  void
  Checkpoint::replace(const SliceFit &fit)
  {
    if (directory_.empty())
      return;
    collectively(communicator_, [&]() {
      n_records_ = 0;
      if (is_keeper_)
        write({fit});
    });
  }


  void
  Checkpoint::remove(const std::string &target)
  {
    std::error_code ignored;
    fs::remove_all(directory_of(target), ignored);
  }


  std::string
  Checkpoint::record_path(const std::size_t number) const
  {
    std::ostringstream name;
    name << "record-" << std::setw(6) << std::setfill('0') << number << ".h5";
    return (fs::path(directory_) / name.str()).string();
  }


  std::vector<SliceFit>
  Checkpoint::load()
  {
    std::vector<SliceFit> all;
    for (; fs::exists(record_path(n_records_)); ++n_records_)
      {
        const std::string path = record_path(n_records_);
        const auto file = Hdf5::File::open(path, Hdf5::Access::read_only);
        if (file.string_attribute("/", "identity") != identity_ ||
            !file.exists("/fits"))
          throw Error("The checkpoint '",
                      directory_,
                      "' belongs to a run with other parameters or other "
                      "data: remove it, or give the parameters of that run.");
        const auto bytes = file.read<std::uint8_t>("/fits");
        try
          {
            for (auto &fit : Utilities::unpack<std::vector<SliceFit>>(
                   std::vector<char>(bytes.begin(), bytes.end()), false))
              all.push_back(std::move(fit));
          }
        catch (const std::exception &)
          {
            throw Error("The checkpoint '", path, "' is damaged: remove it.");
          }
      }
    return all;
  }


  void
  Checkpoint::write(const std::vector<SliceFit> &record)
  {
    const std::vector<char> packed = Utilities::pack(record, false);
    replace_file(record_path(n_records_), [&](const std::string &beside) {
      auto file = Hdf5::File::create(beside);
      file.write_attribute("/", "identity", identity_);
      file.write("/fits",
                 {packed.size()},
                 reinterpret_cast<const std::uint8_t *>(packed.data()));
      file.close();
    });
    ++n_records_;
  }
} // namespace Evergreen
