#include "measurement.h"

#include <evergreen/base/error.h>
#include <evergreen/base/locations.h>

#include <nlohmann/json.hpp>

#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>

namespace Evergreen
{
  namespace Reproduce
  {
    namespace
    {
      using nlohmann::json;

      constexpr const char *row_format  = "evergreen-row";
      constexpr int         row_version = 2;


      json
      number(const double value)
      {
        return std::isfinite(value) ? json(value) : json();
      }


      json
      numbers(const std::vector<double> &values)
      {
        json list = json::array();
        for (const double value : values)
          list.push_back(number(value));
        return list;
      }


      void
      read(const json &row, const char *const name, double &value)
      {
        const json &entry = row.at(name);
        value = entry.is_null() ? Measurement::unknown : entry.get<double>();
      }


      void
      read(const json &row, const char *const name, std::vector<double> &values)
      {
        values.clear();
        for (const json &entry : row.at(name))
          values.push_back(entry.is_null() ? Measurement::unknown
                                           : entry.get<double>());
      }


      template <typename Value>
      void
      read(const json &row, const char *const name, Value &value)
      {
        row.at(name).get_to(value);
      }


      void
      read_members(const json &row, Measurement &result)
      {
        read(row, "eps_u", result.eps_u);
        read(row, "eps_G", result.eps_G);
        read(row, "other_eps_u", result.other_eps_u);
        read(row, "neurons", result.neurons);
        read(row, "slices", result.slices);
        read(row, "rank", result.rank);
        read(row, "n_training", result.n_training);
        read(row, "n_validation", result.n_validation);
        read(row, "n_test", result.n_test);
        read(row, "atoms", result.atoms);
        read(row, "theoretical_slope", result.theoretical_slope);
        const json &history = row.at("history");
        read(history, "neurons", result.history_neurons);
        read(history, "eps_u", result.history_eps_u);
        read(history, "eps_G", result.history_eps_G);
        read(row, "singular_values", result.singular_values);
        read(row, "seconds_data", result.seconds_data);
        read(row, "seconds_learning", result.seconds_learning);
        read(row, "seconds_evaluation", result.seconds_evaluation);
        read(row, "seconds_processor", result.seconds_processor);
        read(row, "peak_memory", result.peak_memory);
        read(row, "was_resumed", result.was_resumed);
        read(row, "date", result.date);
        read(row, "commit", result.commit);
      }
    } // namespace


    std::string
    Measurement::to_json(const std::string &key) const
    {
      json row;
      row["format"]             = row_format;
      row["version"]            = row_version;
      row["key"]                = key;
      row["eps_u"]              = number(eps_u);
      row["eps_G"]              = number(eps_G);
      row["other_eps_u"]        = numbers(other_eps_u);
      row["neurons"]            = neurons;
      row["slices"]             = slices;
      row["rank"]               = rank;
      row["n_training"]         = n_training;
      row["n_validation"]       = n_validation;
      row["n_test"]             = n_test;
      row["atoms"]              = atoms;
      row["theoretical_slope"]  = number(theoretical_slope);
      row["history"]["neurons"] = history_neurons;
      row["history"]["eps_u"]   = numbers(history_eps_u);
      row["history"]["eps_G"]   = numbers(history_eps_G);
      row["singular_values"]    = numbers(singular_values);
      row["seconds_data"]       = seconds_data;
      row["seconds_learning"]   = seconds_learning;
      row["seconds_evaluation"] = seconds_evaluation;
      row["seconds_processor"]  = number(seconds_processor);
      row["peak_memory"]        = number(peak_memory);
      row["was_resumed"]        = was_resumed;
      row["date"]               = date;
      row["commit"]             = commit;
      return row.dump(1) + "\n";
    }


    Measurement
    Measurement::from_json(const std::string &content, const std::string &key)
    {
      try
        {
          const json row = json::parse(content);
          if (row.at("format") != row_format ||
              row.at("version") != row_version)
            throw Error("it is not a row of this version");
          if (row.at("key") != key)
            throw Error("it belongs to another experiment");
          Measurement result;
          read_members(row, result);
          const std::size_t n = result.history_neurons.size();
          if (result.history_eps_u.size() != n ||
              result.history_eps_G.size() != n)
            throw Error("its history is not whole");
          return result;
        }
      catch (const json::exception &)
        {
          throw Error("it is not whole");
        }
    }


    std::string
    text_hash(const std::string &content)
    {
      std::uint64_t hash = 14695981039346656037u; // FNV-1a
      for (const unsigned char c : content)
        hash = (hash ^ c) * 1099511628211u;
      char digits[17];
      std::snprintf(digits,
                    sizeof(digits),
                    "%016llx",
                    static_cast<unsigned long long>(hash));
      return digits;
    }


    void
    write_file(const std::string &path, const std::string &content)
    {
      const std::string beside = path + ".new";
      {
        std::ofstream out(beside, std::ios::binary);
        out << content;
        if (!out.flush())
          throw Error("Cannot write '",
                      beside,
                      "': check the directory and the space on the disk.");
      }
      std::error_code error;
      std::filesystem::rename(beside, path, error);
      if (error)
        throw Error("Cannot write '", path, "': ", error.message(), ".");
    }


    RowStore::RowStore(const std::string &store_directory)
      : directory(store_directory)
    {
      make_directory(directory);
    }


    std::string
    RowStore::path(const std::string &name, const std::string &key) const
    {
      return directory + "/" + name + "-" + text_hash(key) + ".json";
    }


    std::optional<Measurement>
    RowStore::find(const std::string &name,
                   const std::string &key,
                   std::string       &notice) const
    {
      notice.clear();
      const std::string file = path(name, key);
      std::ifstream     in(file, std::ios::binary);
      if (!in)
        return std::nullopt;
      const std::string content{std::istreambuf_iterator<char>(in), {}};
      try
        {
          return Measurement::from_json(content, key);
        }
      catch (const Error &e)
        {
          notice = text("'", file, "' cannot be used (", e.what(), ")");
          return std::nullopt;
        }
    }


    void
    RowStore::save(const std::string &name,
                   const std::string &key,
                   const Measurement &measurement) const
    {
      write_file(path(name, key), measurement.to_json(key));
    }
  } // namespace Reproduce
} // namespace Evergreen
