// What one experiment found out, and how it is kept: a JSON file for each.

#ifndef evergreen_app_reproduce_measurement_h
#define evergreen_app_reproduce_measurement_h

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace Evergreen
{
  namespace Reproduce
  {
    /** The result of an experiment. What does not apply is NaN or empty. */
    struct Measurement
    {
      static constexpr double unknown =
        std::numeric_limits<double>::quiet_NaN();

      double eps_u = unknown;
      double eps_G = unknown;

      /** The errors on further test sets, in the experiment's order. */
      std::vector<double> other_eps_u;

      std::size_t neurons      = 0;
      std::size_t slices       = 0;
      std::size_t rank         = 0;
      std::size_t n_training   = 0;
      std::size_t n_validation = 0;
      std::size_t n_test       = 0;

      /** The atoms that were offered. */
      std::string atoms;

      /** The order of convergence that the theory promises, -n. */
      double theoretical_slope = unknown;

      /** Errors by number of neurons, where they were measured. */
      std::vector<std::int64_t> history_neurons;
      std::vector<double>       history_eps_u;
      std::vector<double>       history_eps_G;

      std::vector<double> singular_values;

      double seconds_data       = 0;
      double seconds_learning   = 0;
      double seconds_evaluation = 0;

      /** Processor time of all of it on this rank, over all threads. */
      double seconds_processor = unknown;

      /** The most memory that the program had until then, in GiB. */
      double peak_memory = unknown;

      /** Whether learning was interrupted: its seconds are then a part. */
      bool was_resumed = false;

      /** When and by which version of the sources it was computed. */
      std::string date;
      std::string commit;

      double
      seconds() const
      {
        return seconds_data + seconds_learning + seconds_evaluation;
      }

      /** As JSON text, with the key that it belongs to. */
      std::string
      to_json(const std::string &key) const;

      /**
       * Reads the text of to_json(). It is an Error if it is not whole, or if
       * it belongs to another key.
       */
      static Measurement
      from_json(const std::string &content, const std::string &key);
    };


    /**
     * The results of finished experiments in a directory, one file each,
     * written beside its place and renamed into it.
     */
    class RowStore
    {
    public:
      /** Makes the directory if it is missing. */
      explicit RowStore(const std::string &directory);

      /**
       * The file of an experiment: a readable @p name and the hash of its
       * @p key, which is all that determines its result.
       */
      std::string
      path(const std::string &name, const std::string &key) const;

      /**
       * The result of an earlier run, if there is one. For a file that cannot
       * be used @p notice says why; the caller computes it again.
       */
      std::optional<Measurement>
      find(const std::string &name,
           const std::string &key,
           std::string       &notice) const;

      /** Keeps a result. */
      void
      save(const std::string &name,
           const std::string &key,
           const Measurement &measurement) const;

    private:
      std::string directory;
    };


    /** A hash of a text that is the same on every machine: 16 hex digits. */
    std::string
    text_hash(const std::string &content);

    /** Writes a file beside its place and renames it, or throws an Error. */
    void
    write_file(const std::string &path, const std::string &content);
  } // namespace Reproduce
} // namespace Evergreen

#endif
