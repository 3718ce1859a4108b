#include "packed_fit.h"

#include <evergreen/base/error.h>

namespace Evergreen
{
  namespace
  {
    template <typename Number>
    void
    put(const std::vector<Number> &values, std::vector<double> &numbers)
    {
      numbers.push_back(static_cast<double>(values.size()));
      numbers.insert(numbers.end(), values.begin(), values.end());
    }


    /** Reads numbers one after the other and notices when they end. */
    class Reader
    {
    public:
      explicit Reader(const std::vector<double> &numbers) : numbers(numbers)
      {}

      bool
      at_end() const
      {
        return position == numbers.size();
      }

      double
      next()
      {
        if (at_end())
          throw Error("A checkpoint record is too short: it is damaged.");
        return numbers[position++];
      }

      template <typename Number>
      void
      get(std::vector<Number> &values)
      {
        const double size = next();
        if (!(size >= 0 && size <= numbers.size() - position))
          throw Error("A checkpoint record is inconsistent: it is damaged.");
        values.resize(static_cast<std::size_t>(size));
        for (Number &value : values)
          value = static_cast<Number>(next());
      }

    private:
      const std::vector<double> &numbers;
      std::size_t                position = 0;
    };
  } // namespace


  void
  pack(const SliceFit &slice, std::vector<double> &numbers)
  {
    numbers.push_back(static_cast<double>(slice.node));
    numbers.push_back(static_cast<double>(slice.fit.reason));
    put(slice.fit.chosen, numbers);
    put(slice.fit.factor, numbers);
    put(slice.fit.projection, numbers);
    put(slice.fit.train_squares, numbers);
    put(slice.fit.validation_squares, numbers);
    put(slice.fit.coefficients, numbers);
    numbers.push_back(static_cast<double>(slice.levels.size()));
    for (const auto &[n, coefficients] : slice.levels)
      {
        numbers.push_back(static_cast<double>(n));
        put(coefficients, numbers);
      }
  }


  std::vector<SliceFit>
  unpack(const std::vector<double> &numbers)
  {
    std::vector<SliceFit> slices;
    for (Reader reader(numbers); !reader.at_end();)
      {
        SliceFit slice;
        slice.node       = static_cast<std::int64_t>(reader.next());
        slice.fit.reason = static_cast<StopReason>(reader.next());
        reader.get(slice.fit.chosen);
        reader.get(slice.fit.factor);
        reader.get(slice.fit.projection);
        reader.get(slice.fit.train_squares);
        reader.get(slice.fit.validation_squares);
        reader.get(slice.fit.coefficients);
        const auto n_levels = static_cast<std::size_t>(reader.next());
        for (std::size_t l = 0; l < n_levels; ++l)
          {
            const auto n = static_cast<std::size_t>(reader.next());
            reader.get(slice.levels[n]);
          }
        slices.push_back(std::move(slice));
      }
    return slices;
  }


  std::vector<std::size_t>
  history_levels(const std::size_t n_neurons)
  {
    std::vector<std::size_t> levels;
    for (std::size_t n = 1; n < n_neurons; n *= 2)
      {
        levels.push_back(n);
        if (n > 1 && 3 * n / 2 < n_neurons)
          levels.push_back(3 * n / 2);
      }
    levels.push_back(n_neurons);
    return levels;
  }
} // namespace Evergreen
