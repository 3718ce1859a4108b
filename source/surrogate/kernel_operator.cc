#include "column_chunks.h"

#include <evergreen/base/blas.h>
#include <evergreen/base/error.h>
#include <evergreen/surrogate/hierarchical_operator.h>
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


    /** Calls @p action with the rows [first, last), panel by panel. */
    template <typename Action>
    void
    for_each_panel(const RowSource &source, const Action &action)
    {
      for (std::size_t first = 0; first < source.n_rows; first += panel)
        {
          const std::size_t last = std::min(first + panel, source.n_rows);
          std::vector<std::size_t> rows(last - first);
          std::iota(rows.begin(), rows.end(), first);
          action(first, last, source.rows(rows));
        }
    }


    /** The assembled matrix, row by row. */
    template <typename Number>
    class DenseOperator : public KernelOperator
    {
    public:
      explicit DenseOperator(const RowSource &source)
        : KernelOperator(source.n_rows, source.n_columns)
        , matrix_(source.n_rows * source.n_columns)
      {
        for_each_panel(source,
                       [&](const std::size_t first,
                           const std::size_t,
                           const std::vector<double> &rows) {
                         std::copy(rows.begin(),
                                   rows.end(),
                                   matrix_.begin() + first * source.n_columns);
                       });
      }

      DenseOperator(const std::size_t   n_rows,
                    const std::size_t   n_columns,
                    std::vector<Number> rows)
        : KernelOperator(n_rows, n_columns), matrix_(std::move(rows))
      {}

      void
      apply(const double     *forcings,
            double           *solutions,
            const std::size_t n) const override
      {
        multiply('T', n_rows(), n_columns(), forcings, solutions, n);
      }

      void
      apply_transposed(const double     *solutions,
                       double           *forcings,
                       const std::size_t n) const override
      {
        multiply('N', n_columns(), n_rows(), solutions, forcings, n);
      }

      SurrogateForm
      form() const override
      {
        return std::is_same<Number, double>::value
                 ? SurrogateForm::dense
                 : SurrogateForm::dense_single;
      }

      std::size_t
      memory() const override
      {
        return matrix_.size() * sizeof(Number);
      }

    private:
      std::vector<Number> matrix_;

      /** For BLAS the stored matrix is K^T. */
      void
      multiply(const char        op,
               const std::size_t n_out,
               const std::size_t n_in,
               const double     *in,
               double           *out,
               const std::size_t n) const
      {
        if (n_out == 0 || n == 0)
          return;
        if (n == 1 && std::is_same<Number, double>::value)
          multiply_chunk(op, n_out, n_in, in, out, n); // with BLAS's threads
        else
          for_column_chunks(
            n, [&](const std::size_t first, const std::size_t count) {
              multiply_chunk(
                op, n_out, n_in, in + first * n_in, out + first * n_out, count);
            });
      }

      void
      multiply_chunk(const char        op,
                     const std::size_t n_out,
                     const std::size_t n_in,
                     const double     *in,
                     double           *out,
                     const std::size_t n) const
      {
        const int ld = static_cast<int>(std::max<std::size_t>(1, n_columns()));
        if constexpr (std::is_same<Number, double>::value)
          {
            if (n == 1)
              Blas::gemv(op, ld, n_rows(), 1., matrix_.data(), ld, in, 0., out);
            else
              Blas::gemm(op,
                         'N',
                         n_out,
                         n,
                         n_in,
                         1.,
                         matrix_.data(),
                         ld,
                         in,
                         n_in,
                         0.,
                         out,
                         n_out);
          }
        else
          {
            const std::vector<float> single_in(in, in + n_in * n);
            std::vector<float>       single_out(n_out * n);
            Blas::gemm(op,
                       'N',
                       n_out,
                       n,
                       n_in,
                       1.f,
                       matrix_.data(),
                       ld,
                       single_in.data(),
                       n_in,
                       0.f,
                       single_out.data(),
                       n_out);
            std::copy(single_out.begin(), single_out.end(), out);
          }
      }
    };


    /** Rows are computed for every application, and forgotten. */
    class AtomOperator : public KernelOperator
    {
    public:
      explicit AtomOperator(const RowSource &source)
        : KernelOperator(source.n_rows, source.n_columns), source_(source)
      {}

      void
      apply(const double     *forcings,
            double           *solutions,
            const std::size_t n) const override
      {
        for_each_panel(source_,
                       [&](const std::size_t          first,
                           const std::size_t          last,
                           const std::vector<double> &rows) {
                         Blas::gemm('T',
                                    'N',
                                    last - first,
                                    n,
                                    n_columns(),
                                    1.,
                                    rows.data(),
                                    n_columns(),
                                    forcings,
                                    n_columns(),
                                    0.,
                                    solutions + first,
                                    n_rows());
                       });
      }

      void
      apply_transposed(const double     *solutions,
                       double           *forcings,
                       const std::size_t n) const override
      {
        std::fill_n(forcings, n_columns() * n, 0.);
        for_each_panel(source_,
                       [&](const std::size_t          first,
                           const std::size_t          last,
                           const std::vector<double> &rows) {
                         Blas::gemm('N',
                                    'N',
                                    n_columns(),
                                    n,
                                    last - first,
                                    1.,
                                    rows.data(),
                                    n_columns(),
                                    solutions + first,
                                    n_rows(),
                                    1.,
                                    forcings,
                                    n_columns());
                       });
      }

      SurrogateForm
      form() const override
      {
        return SurrogateForm::atoms;
      }

      std::size_t
      memory() const override
      {
        return 0;
      }

    private:
      RowSource source_;
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
    make_automatically(const RowSource &source, SurrogateOptions options)
    {
      const std::size_t entries = source.n_rows * source.n_columns;
      if (entries * sizeof(double) <= options.memory)
        return std::make_unique<DenseOperator<double>>(source);
      if (auto compressed = HierarchicalOperator::make_if_fits(source, options))
        return compressed;
      if (entries * sizeof(float) <= options.memory)
        return std::make_unique<DenseOperator<float>>(source);
      return std::make_unique<AtomOperator>(source);
    }


    constexpr std::pair<SurrogateForm, const char *> names[] = {
      {SurrogateForm::automatic, "auto"},
      {SurrogateForm::dense, "dense"},
      {SurrogateForm::dense_single, "single"},
      {SurrogateForm::hierarchical, "hierarchical"},
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
                     "' of a surrogate: use auto, dense, single, "
                     "hierarchical or atoms.");
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
          return std::make_unique<DenseOperator<double>>(source);
        case SurrogateForm::dense_single:
          check(entries * sizeof(float));
          return std::make_unique<DenseOperator<float>>(source);
          case SurrogateForm::hierarchical: {
            auto result = HierarchicalOperator::make_if_fits(source, options);
            if (result == nullptr)
              throw too_large(options.form, options.memory, options);
            return result;
          }
        case SurrogateForm::atoms:
          return std::make_unique<AtomOperator>(source);
        default:
          return make_automatically(source, options);
      }
  }


  std::unique_ptr<KernelOperator>
  make_dense_operator(const std::size_t   n_rows,
                      const std::size_t   n_columns,
                      std::vector<double> rows)
  {
    return std::make_unique<DenseOperator<double>>(n_rows,
                                                   n_columns,
                                                   std::move(rows));
  }
} // namespace Evergreen
