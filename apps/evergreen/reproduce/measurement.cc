#include "measurement.h"

#include <evergreen/base/error.h>
#include <evergreen/base/locations.h>

#include <nlohmann/json.hpp>

#include <cstdio>
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


      /** Where the members of a measurement are in its row. */
      template <typename AnyMeasurement, typename Action>
      void
      for_all_members(AnyMeasurement &m, const Action &action)
      {
        action("/eps_u", m.eps_u);
        action("/eps_G", m.eps_G);
        action("/other_eps_u", m.other_eps_u);
        action("/neurons", m.neurons);
        action("/slices", m.slices);
        action("/rank", m.rank);
        action("/n_training", m.n_training);
        action("/n_validation", m.n_validation);
        action("/n_test", m.n_test);
        action("/atoms", m.atoms);
        action("/theoretical_slope", m.theoretical_slope);
        action("/history/neurons", m.history_neurons);
        action("/history/eps_u", m.history_eps_u);
        action("/history/eps_G", m.history_eps_G);
        action("/singular_values", m.singular_values);
        action("/seconds_data", m.seconds_data);
        action("/seconds_learning", m.seconds_learning);
        action("/seconds_evaluation", m.seconds_evaluation);
        action("/seconds_processor", m.seconds_processor);
        action("/peak_memory", m.peak_memory);
        action("/was_resumed", m.was_resumed);
        action("/date", m.date);
        action("/commit", m.commit);
      }


      // Numbers that are not known are null in a row.

      void
      read(const json &entry, double &value)
      {
        value = entry.is_null() ? Measurement::unknown : entry.get<double>();
      }

      void
      read(const json &entry, std::vector<double> &values)
      {
        values.resize(entry.size());
        for (std::size_t i = 0; i < values.size(); ++i)
          read(entry.at(i), values[i]);
      }

      template <typename Value>
      void
      read(const json &entry, Value &value)
      {
        entry.get_to(value);
      }
    } // namespace


    std::string
    Measurement::to_json(const std::string &key) const
    {
      json row = {{"format", row_format},
                  {"version", row_version},
                  {"key", key}};
      for_all_members(*this, [&](const char *const place, const auto &value) {
        row[json::json_pointer(place)] = value;
      });
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
          for_all_members(result, [&](const char *const place, auto &value) {
            read(row.at(json::json_pointer(place)), value);
          });
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
      replace_file(path, [&](const std::string &beside) {
        std::ofstream out(beside, std::ios::binary);
        out << content;
        if (!out.flush())
          throw Error("Cannot write '",
                      beside,
                      "': check the directory and the space on the disk.");
      });
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
