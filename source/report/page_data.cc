#include "page_data.h"

#include <evergreen/base/error.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

namespace Evergreen
{
  namespace
  {
    constexpr const char *mark = "<!-- evergreen data -->";

    // Where typed arrays may begin in a browser.
    constexpr std::size_t alignment = 8;


    /** A name for a type of numbers: "f64", "u32", "i8". */
    template <typename T>
    std::string
    type_name()
    {
      const char kind = std::is_floating_point<T>::value ? 'f'
                        : std::is_signed<T>::value       ? 'i'
                                                         : 'u';
      return kind + std::to_string(8 * sizeof(T));
    }


    /** JSON in which no tag can begin: "<" is written as an escape. */
    std::string
    without_tags(const std::string &json)
    {
      std::string result;
      for (const char c : json)
        result += c == '<' ? std::string("\\u003c") : std::string(1, c);
      return result;
    }
  } // namespace


  std::string
  base64(const std::string &bytes)
  {
    static const char digits[] =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string result;
    result.reserve((bytes.size() + 2) / 3 * 4);
    for (std::size_t i = 0; i < bytes.size(); i += 3)
      {
        const std::size_t n    = std::min<std::size_t>(3, bytes.size() - i);
        std::uint32_t     bits = 0;
        for (std::size_t k = 0; k < 3; ++k)
          bits =
            bits << 8 | (k < n ? static_cast<unsigned char>(bytes[i + k]) : 0u);
        for (std::size_t k = 0; k < 4; ++k)
          result += k <= n ? digits[bits >> (18 - 6 * k) & 63] : '=';
      }
    return result;
  }


  template <typename T>
  void
  PageData::add(const std::string &name, const std::vector<T> &values)
  {
    bytes_.resize((bytes_.size() + alignment - 1) / alignment * alignment);
    facts["arrays"][name] = {{"type", type_name<T>()},
                             {"offset", bytes_.size()},
                             {"length", values.size()}};
    bytes_.append(reinterpret_cast<const char *>(values.data()),
                  values.size() * sizeof(T));
  }


  template <typename T>
  void
  PageData::add_rounded(const std::string         &name,
                        const std::vector<double> &values,
                        const std::size_t          n_columns)
  {
    std::vector<T>     rounded(values.size());
    std::vector<float> scales;
    for (std::size_t row = 0; row < values.size(); row += n_columns)
      {
        double largest = std::numeric_limits<float>::min();
        for (std::size_t k = row; k < row + n_columns; ++k)
          largest = std::max(largest, std::abs(values[k]));
        scales.push_back(
          static_cast<float>(largest / std::numeric_limits<T>::max()));
        for (std::size_t k = row; k < row + n_columns; ++k)
          rounded[k] = static_cast<T>(
            std::clamp<long>(std::lround(values[k] / scales.back()),
                             -std::numeric_limits<T>::max(),
                             std::numeric_limits<T>::max()));
      }
    add(name, rounded);
    add(name + " scale", scales);
  }


  std::string
  PageData::insert_into(const std::string &page_template) const
  {
    const auto place = page_template.find(mark);
    if (place == std::string::npos)
      throw Error("The explorer's page has no line '", mark, "'.");
    // Text that is not UTF-8 must not end in an error: it is only shown.
    const std::string json =
      facts.dump(-1, ' ', false, Json::error_handler_t::replace);
    return page_template.substr(0, place) +
           "<script type=\"application/json\" id=\"facts\">" +
           without_tags(json) +
           "</script>\n<script type=\"text/plain\" id=\"numbers\">" +
           base64(bytes_) + "</script>" +
           page_template.substr(place + std::string(mark).size());
  }


#define INSTANTIATE(T)                                                         \
  template void PageData::add(const std::string &, const std::vector<T> &);
  INSTANTIATE(double)
  INSTANTIATE(float)
  INSTANTIATE(std::uint32_t)
  INSTANTIATE(std::uint8_t)
  INSTANTIATE(std::int16_t)
  INSTANTIATE(std::int8_t)
#undef INSTANTIATE
  template void
  PageData::add_rounded<std::int16_t>(const std::string &,
                                      const std::vector<double> &,
                                      const std::size_t);
  template void
  PageData::add_rounded<std::int8_t>(const std::string &,
                                     const std::vector<double> &,
                                     const std::size_t);
} // namespace Evergreen
