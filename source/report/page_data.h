// The data of a page: named arrays of numbers and some facts, as two blocks of
// text that can stand in an HTML file whatever they hold.

#ifndef evergreen_report_page_data_h
#define evergreen_report_page_data_h

#include <nlohmann/json.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace Evergreen
{
  /**
   * Collects facts and arrays. The arrays are stored one after the other as
   * the machine has them (little-endian), in Base64; a list of their names,
   * types, places and lengths is among the facts.
   */
  class PageData
  {
  public:
    using Json = nlohmann::ordered_json;

    /** What is not an array. */
    Json facts;

    /** Adds an array; instantiated for the types that pages have. */
    template <typename T>
    void
    add(const std::string &name, const std::vector<T> &values);

    /**
     * Adds a table, row by row, each number rounded to a multiple of the
     * largest one of its row divided by the largest number of type T (signed,
     * of 8 or 16 bits): the arrays @p name and "name scale".
     */
    template <typename T>
    void
    add_rounded(const std::string         &name,
                const std::vector<double> &values,
                const std::size_t          n_columns);

    /** About how many bytes it takes in a page. */
    std::size_t
    size() const
    {
      return (bytes_.size() + 2) / 3 * 4;
    }

    /** The page with the data in place of its mark. */
    std::string
    insert_into(const std::string &page_template) const;

  private:
    std::string bytes_;
  };


  /** The Base64 form of some bytes. */
  std::string
  base64(const std::string &bytes);
} // namespace Evergreen

#endif
