#include "column_chunks.h"

#include <evergreen/base/blas.h>
#include <evergreen/base/error.h>
#include <evergreen/dictionary/simd.h>
#include <evergreen/surrogate/kernel_operator.h>

#include <algorithm>
#include <numeric>
#include <type_traits>
#include <utility>

namespace Evergreen
{
  namespace
  {
    /** How many rows are computed at once. */
    constexpr std::size_t panel = 128;


    /** Calls @p action with some rows from the first one on, for all rows. */
    template <typename Action>
    void
    for_each_panel(const RowSource &source, const Action &action)
    {
      for (std::size_t first = 0; first < source.n_rows; first += panel)
        {
          std::vector<std::size_t> rows(std::min(panel, source.n_rows - first));
          std::iota(rows.begin(), rows.end(), first);
          action(first, rows.size(), source.rows(rows));
        }
    }


    /** Up to so many rows a product is bound by reading the forcings. */
    constexpr std::size_t few_rows = 64;


    /**
     * The same as one gemm, for a matrix of few rows: no copies are made, and
     * each forcing is read from memory once.
     */
    void
    multiply_few_rows(const std::size_t n_rows,
                      const std::size_t n_columns,
                      const double     *matrix,
                      const double     *in,
                      double           *out,
                      const std::size_t n)
    {
      constexpr std::size_t length = 512, group = 24;
      const std::size_t     even = n_columns - n_columns % Simd::alignment;
      for_column_chunks(n, [&](const std::size_t begin, const std::size_t all) {
        for (std::size_t j = begin; j < begin + all; j += group)
          {
            const std::size_t   count = std::min(group, begin + all - j);
            const double       *columns[group];
            std::vector<double> part(n_rows * count);
            double *const       result = out + j * n_rows;
            std::fill_n(result, n_rows * count, 0.);
            for (std::size_t k = 0; k < even; k += length)
              {
                for (std::size_t c = 0; c < count; ++c)
                  columns[c] = in + (j + c) * n_columns + k;
                Simd::loops().correlate(std::min(length, even - k),
                                        matrix + k,
                                        n_columns,
                                        n_rows,
                                        columns,
                                        count,
                                        part.data());
                for (std::size_t i = 0; i < part.size(); ++i)
                  result[i] += part[i];
              }
            for (std::size_t k = even; k < n_columns; ++k)
              for (std::size_t c = 0; c < count; ++c)
                for (std::size_t i = 0; i < n_rows; ++i)
                  result[c * n_rows + i] +=
                    matrix[i * n_columns + k] * in[(j + c) * n_columns + k];
          }
      });
    }


    /** The assembled matrix, row by row. */
    template <typename Number>
    class DenseOperator : public KernelOperator
    {
    public:
      DenseOperator(const std::size_t   n_rows,
                    const std::size_t   n_columns,
                    std::vector<Number> rows)
        : KernelOperator(std::is_same<Number, double>::value
                           ? SurrogateForm::dense
                           : SurrogateForm::dense_single,
                         n_rows,
                         n_columns)
        , matrix_(std::move(rows))
      {}

      std::size_t
      memory() const override
      {
        return matrix_.size() * sizeof(Number);
      }

    private:
      std::vector<Number> matrix_;

      /** For BLAS the stored matrix is K^T. */
      void
      multiply(const double     *in,
               double           *out,
               const std::size_t n,
               const bool        transposed) const override
      {
        const char        op    = transposed ? 'N' : 'T';
        const std::size_t n_in  = transposed ? n_rows() : n_columns();
        const std::size_t n_out = transposed ? n_columns() : n_rows();
        if (n_out == 0 || n == 0)
          return;
        if constexpr (std::is_same<Number, double>::value)
          {
            if (n == 1)
              Blas::gemv(op,
                         n_columns(),
                         n_rows(),
                         1.,
                         matrix_.data(),
                         n_columns(),
                         in,
                         0.,
                         out);
            else if (!transposed && n_rows() <= few_rows)
              multiply_few_rows(
                n_rows(), n_columns(), matrix_.data(), in, out, n);
            else
              multiply_by_parts(op, n_out, n_in, in, out, n);
          }
        else
          {
            std::vector<float> single_in(n_in * n), single_out(n_out * n);
            for_column_chunks(n, [&](const auto first, const auto count) {
              std::copy_n(in + first * n_in,
                          n_in * count,
                          single_in.begin() + first * n_in);
            });
            multiply_by_parts(
              op, n_out, n_in, single_in.data(), single_out.data(), n);
            for_column_chunks(n, [&](const auto first, const auto count) {
              std::copy_n(single_out.begin() + first * n_out,
                          n_out * count,
                          out + first * n_out);
            });
          }
      }

      /** Every thread computes some rows of the result. */
      void
      multiply_by_parts(const char        op,
                        const std::size_t n_out,
                        const std::size_t n_in,
                        const Number     *in,
                        Number           *out,
                        const std::size_t n) const
      {
        for_parts(n_out, [&](const std::size_t first, const std::size_t count) {
          Blas::gemm(op,
                     'N',
                     count,
                     n,
                     n_in,
                     Number(1),
                     matrix_.data() + first * (op == 'T' ? n_columns() : 1),
                     n_columns(),
                     in,
                     n_in,
                     Number(0),
                     out + first,
                     n_out);
        });
      }
    };


    template <typename Number>
    std::unique_ptr<KernelOperator>
    make_dense(const RowSource &source)
    {
      const std::size_t   n = source.n_columns;
      std::vector<Number> matrix(source.n_rows * n);
      for_each_panel(
        source, [&](const auto first, const auto, const auto &rows) {
          std::copy(rows.begin(), rows.end(), matrix.begin() + first * n);
        });
      return std::make_unique<DenseOperator<Number>>(source.n_rows,
                                                     n,
                                                     std::move(matrix));
    }


    /** Rows are computed for every application, and forgotten. */
    class AtomOperator : public KernelOperator
    {
    public:
      explicit AtomOperator(const RowSource &source)
        : KernelOperator(SurrogateForm::atoms, source.n_rows, source.n_columns)
        , source_(source)
      {}

      std::size_t
      memory() const override
      {
        return 0;
      }

    private:
      RowSource source_;

      void
      multiply(const double     *in,
               double           *out,
               const std::size_t n,
               const bool        transposed) const override
      {
        const std::size_t m = n_columns();
        if (transposed)
          std::fill_n(out, m * n, 0.);
        for_each_panel(
          source_, [&](const auto first, const auto count, const auto &rows) {
            if (transposed)
              Blas::gemm('N',
                         'N',
                         1.,
                         {rows.data(), m, count},
                         {in + first, count, n, n_rows()},
                         1.,
                         {out, m, n});
            else
              Blas::gemm('T',
                         'N',
                         1.,
                         {rows.data(), m, count},
                         {in, m, n},
                         0.,
                         {out + first, count, n, n_rows()});
          });
      }
    };


    Error
    too_large(const SurrogateForm     form,
              const std::size_t       bytes,
              const SurrogateOptions &options)
    {
      return Error("The form '",
                   form_name(form),
                   "' of the kernel needs ",
                   (bytes >> 20) + 1,
                   " MiB, but may use ",
                   options.memory >> 20,
                   " MiB: allow more memory or choose the form 'auto'.");
    }


    std::unique_ptr<KernelOperator>
    make_automatically(const RowSource &source, const SurrogateOptions &options)
    {
      const std::size_t entries = source.n_rows * source.n_columns;
      if (entries * sizeof(double) <= options.memory)
        return make_dense<double>(source);
      if (entries * sizeof(float) <= options.memory)
        return make_dense<float>(source);
      return std::make_unique<AtomOperator>(source);
    }


    constexpr std::pair<SurrogateForm, const char *> names[] = {
      {SurrogateForm::automatic, "auto"},
      {SurrogateForm::dense, "dense"},
      {SurrogateForm::dense_single, "single"},
      {SurrogateForm::atoms, "atoms"}};
  } // namespace


  SurrogateForm
  form_from_name(const std::string &name)
  {
    for (const auto &[form, word] : names)
      if (name == word)
        return form;
    throw UsageError("There is no form '",
                     name,
                     "' of a surrogate: use auto, dense, single or atoms.");
  }


  std::string
  form_name(const SurrogateForm form)
  {
    for (const auto &[candidate, word] : names)
      if (form == candidate)
        return word;
    return "";
  }


  std::unique_ptr<KernelOperator>
  make_kernel_operator(const RowSource &source, const SurrogateOptions &options)
  {
    const std::size_t entries = source.n_rows * source.n_columns;
    const auto        check   = [&](const std::size_t bytes) {
      if (bytes > options.memory)
        throw too_large(options.form, bytes, options);
    };
    switch (options.form)
      {
        case SurrogateForm::dense:
          check(entries * sizeof(double));
          return make_dense<double>(source);
        case SurrogateForm::dense_single:
          check(entries * sizeof(float));
          return make_dense<float>(source);
        case SurrogateForm::atoms:
          return std::make_unique<AtomOperator>(source);
        default:
          return make_automatically(source, options);
      }
  }
} // namespace Evergreen
