#include <evergreen/base/error.h>
#include <evergreen/data/hdf5.h>
#include <evergreen/learning/checkpoint.h>

#include <filesystem>
#include <iomanip>

namespace Evergreen
{
  namespace fs = std::filesystem;

  Checkpoint::Checkpoint(const std::string &target, const std::string &identity)
    : directory_(target + ".partial"), identity_(identity)
  {}


  bool
  Checkpoint::exists() const
  {
    std::error_code ignored;
    return fs::exists(record_path(0), ignored);
  }


  void
  Checkpoint::begin()
  {
    remove();
    std::error_code error;
    fs::create_directory(directory_, error);
    if (error)
      throw Error("Cannot make the directory '",
                  directory_,
                  "' for checkpoints: ",
                  error.message(),
                  ".");
  }


  std::vector<std::vector<double>>
  Checkpoint::load()
  {
    std::vector<std::vector<double>> records;
    for (n_records_ = 0; fs::exists(record_path(n_records_)); ++n_records_)
      {
        const auto file =
          Hdf5::File::open(record_path(n_records_), Hdf5::Access::read_only);
        if (file.string_attribute("/", "identity") != identity_)
          throw Error("The checkpoint '",
                      directory_,
                      "' belongs to a run with other parameters or other "
                      "data: remove it, or give the parameters of that run.");
        records.push_back(file.read<double>("/record"));
      }
    return records;
  }


  void
  Checkpoint::append(const std::vector<double> &record)
  {
    const std::string path = record_path(n_records_);
    {
      auto file = Hdf5::File::create(path + ".new");
      file.write_attribute("/", "identity", identity_);
      file.write("/record", {record.size()}, record.data());
      file.close();
    }
    std::error_code error;
    fs::rename(path + ".new", path, error);
    if (error)
      throw Error("Cannot write '", path, "': ", error.message(), ".");
    ++n_records_;
  }


  void
  Checkpoint::replace(const std::vector<double> &record)
  {
    n_records_ = 0;
    append(record);
  }


  void
  Checkpoint::remove()
  {
    std::error_code ignored;
    fs::remove_all(directory_, ignored);
    n_records_ = 0;
  }


  std::string
  Checkpoint::record_path(const std::size_t number) const
  {
    std::ostringstream name;
    name << "record-" << std::setw(6) << std::setfill('0') << number << ".h5";
    return (fs::path(directory_) / name.str()).string();
  }
} // namespace Evergreen
