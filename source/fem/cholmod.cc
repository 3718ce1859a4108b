#include "cholmod.h"

#include <evergreen/base/collective.h>
#include <evergreen/base/error.h>

#include <deal.II/base/mpi.h>

#include <Epetra_CrsMatrix.h>
#include <Epetra_Import.h>
#include <Epetra_Map.h>
#include <Epetra_MpiComm.h>
#include <Epetra_MultiVector.h>
#include <cholmod.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <vector>

namespace Evergreen
{
  namespace
  {
    // More columns at a time gain nothing more by matrix products.
    constexpr std::size_t n_columns_at_a_time = 64;


    /** CHOLMOD's settings and workspace, one for each thread. */
    class Workspace
    {
    public:
      Workspace()
      {
        cholmod_l_start(&common);
        common.print      = 0;
        common.supernodal = CHOLMOD_SUPERNODAL;
      }
      ~Workspace()
      {
        cholmod_l_free_dense(&x, &common);
        cholmod_l_free_dense(&y, &common);
        cholmod_l_free_dense(&e, &common);
        cholmod_l_finish(&common);
      }
      Workspace(const Workspace &) = delete;
      Workspace &
      operator=(const Workspace &) = delete;

      cholmod_common common;
      cholmod_dense *x = nullptr, *y = nullptr, *e = nullptr;
    };
  } // namespace


  struct Cholmod::Data
  {
    explicit Data(const Epetra_CrsMatrix &matrix)
      : communicator(dynamic_cast<const Epetra_MpiComm &>(matrix.Comm()).Comm())
      , is_root(matrix.Comm().MyPID() == 0)
      , distributed(matrix.RowMap())
      , gathered(matrix.NumGlobalRows(),
                 is_root ? matrix.NumGlobalRows() : 0,
                 0,
                 matrix.Comm())
      , import(gathered, distributed)
    {}

    ~Data()
    {
      cholmod_l_free_factor(&factor, &workspace.common);
    }

    MPI_Comm      communicator;
    bool          is_root;
    Epetra_Map    distributed, gathered; // all rows on rank 0
    Epetra_Import import;

    Workspace       workspace;
    cholmod_factor *factor = nullptr;

    /** The lower triangle, column by column. */
    std::vector<SuiteSparse_long> starts = {0}, rows;
    std::vector<double>           values;

    void
    read(const Epetra_CrsMatrix &matrix);

    cholmod_sparse
    lower_triangle();

    /** Solves for columns of all rows. */
    void
    solve(const double *rhs, double *solution, const std::size_t n) const;
  };


  void
  Cholmod::Data::read(const Epetra_CrsMatrix &matrix)
  {
    Epetra_CrsMatrix whole(Copy, gathered, 0);
    whole.Import(matrix, import, Insert);
    whole.FillComplete();
    for (int i = 0; i < whole.NumMyRows(); ++i)
      {
        int     n_entries;
        double *entries;
        int    *columns;
        whole.ExtractMyRowView(i, n_entries, entries, columns);
        std::vector<std::pair<SuiteSparse_long, double>> column;
        for (int k = 0; k < n_entries; ++k)
          if (const auto j = whole.GCID64(columns[k]); j >= i)
            column.emplace_back(j, entries[k]);
        std::sort(column.begin(), column.end());
        for (const auto &[row, value] : column)
          {
            rows.push_back(row);
            values.push_back(value);
          }
        starts.push_back(rows.size());
      }
  }


  cholmod_sparse
  Cholmod::Data::lower_triangle()
  {
    cholmod_sparse matrix = {};
    matrix.nrow = matrix.ncol = starts.size() - 1;
    matrix.nzmax              = rows.size();
    matrix.p                  = starts.data();
    matrix.i                  = rows.data();
    matrix.x                  = values.data();
    matrix.stype              = -1;
    matrix.itype              = CHOLMOD_LONG;
    matrix.xtype              = CHOLMOD_REAL;
    matrix.dtype              = CHOLMOD_DOUBLE;
    matrix.sorted             = 1;
    matrix.packed             = 1;
    return matrix;
  }


  void
  Cholmod::Data::solve(const double     *rhs,
                       double           *solution,
                       const std::size_t n) const
  {
    const std::size_t n_rows = starts.size() - 1;
    // Threads share the columns evenly, in chunks of about the same size.
    const std::size_t n_chunks =
      std::max<std::size_t>(std::min<std::size_t>(n, 2),
                            (n + n_columns_at_a_time - 1) /
                              n_columns_at_a_time);
    tbb::parallel_for(std::size_t(0), n_chunks, [&](const std::size_t c) {
      const std::size_t first = c * n / n_chunks;
      cholmod_dense     b     = {};
      b.nrow = b.d = n_rows;
      b.ncol       = (c + 1) * n / n_chunks - first;
      b.nzmax      = b.nrow * b.ncol;
      b.x          = const_cast<double *>(rhs + first * n_rows);
      b.xtype      = CHOLMOD_REAL;
      b.dtype      = CHOLMOD_DOUBLE;
      Workspace local;
      if (cholmod_l_solve2(CHOLMOD_A,
                           factor,
                           &b,
                           nullptr,
                           &local.x,
                           nullptr,
                           &local.y,
                           &local.e,
                           &local.common) == 0)
        throw Error("CHOLMOD ran out of memory while it solved for ",
                    b.ncol,
                    " right-hand sides.");
      std::copy_n(static_cast<const double *>(local.x->x),
                  b.nzmax,
                  solution + first * n_rows);
    });
  }


  Cholmod::Cholmod(const Epetra_CrsMatrix &matrix)
    : data_(std::make_unique<Data>(matrix))
  {
    Data &data = *data_;
    data.read(matrix);
    collectively(data.communicator, [&]() {
      if (!data.is_root)
        return;
      cholmod_sparse lower = data.lower_triangle();
      data.factor          = cholmod_l_analyze(&lower, &data.workspace.common);
      if (data.factor == nullptr)
        throw Error("CHOLMOD cannot order the matrix (status ",
                    data.workspace.common.status,
                    "): memory ran out.");
      // Supernodes hold some zeros, too.
      factor_size_ =
        sizeof(double) *
        std::max<double>(data.factor->xsize, data.workspace.common.lnz);
    });
    factor_size_ =
      dealii::Utilities::MPI::broadcast(data.communicator, factor_size_);
  }


  Cholmod::~Cholmod() = default;


  void
  Cholmod::factor()
  {
    Data &data = *data_;
    collectively(data.communicator, [&]() {
      if (!data.is_root)
        return;
      cholmod_sparse lower = data.lower_triangle();
      cholmod_l_factorize(&lower, data.factor, &data.workspace.common);
      if (data.workspace.common.status == CHOLMOD_NOT_POSDEF)
        throw Error(
          "The matrix is not positive definite: set 'Solver' in section "
          "'Problem' to klu or mumps.");
      if (data.workspace.common.status < CHOLMOD_OK)
        throw Error("CHOLMOD cannot factor the matrix (status ",
                    data.workspace.common.status,
                    "): memory ran out; set 'Solver' in section 'Problem' to "
                    "cg-amg.");
    });
    data.rows   = {}; // the factor has it all
    data.values = {};
  }


  void
  Cholmod::solve(const double     *rhs,
                 double           *solution,
                 const std::size_t stride,
                 const std::size_t n_columns) const
  {
    const Data &data = *data_;
    if (data.distributed.Comm().NumProc() == 1)
      {
        data.solve(rhs, solution, n_columns);
        return;
      }
    const int                n = static_cast<int>(n_columns);
    const Epetra_MultiVector b(View,
                               data.distributed,
                               const_cast<double *>(rhs),
                               static_cast<int>(stride),
                               n);
    Epetra_MultiVector       x(
      View, data.distributed, solution, static_cast<int>(stride), n);
    Epetra_MultiVector whole(data.gathered, n);
    whole.Import(b, data.import, Insert);
    collectively(data.communicator, [&]() {
      if (data.is_root)
        data.solve(whole.Values(), whole.Values(), n_columns);
    });
    x.Export(whole, data.import, Insert);
  }
} // namespace Evergreen
