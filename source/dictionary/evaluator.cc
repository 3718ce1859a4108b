#include <evergreen/base/error.h>
#include <evergreen/dictionary/backends.h>
#include <evergreen/dictionary/evaluator.h>

namespace Evergreen
{
  void
  Evaluator::reinit(const QuadratureRule      &quadrature_rule,
                    const std::vector<double> &coordinate_matrix,
                    const std::size_t          n_coordinate_rows)
  {
    quadrature_rule.check();
    const std::size_t m = quadrature_rule.n_rows;
    if (coordinate_matrix.empty()
          ? n_coordinate_rows < m
          : coordinate_matrix.size() != n_coordinate_rows * m)
      throw Error("The matrix of coordinates has ",
                  coordinate_matrix.size(),
                  " entries, but ",
                  n_coordinate_rows,
                  " rows for ",
                  m,
                  " shape functions.");
    rule   = &quadrature_rule;
    c      = &coordinate_matrix;
    n_rows = n_coordinate_rows;
  }


  std::vector<std::string>
  evaluator_names()
  {
    return {"cpu", "cuda", "reference"};
  }


  std::unique_ptr<Evaluator>
  make_evaluator(const std::string &name)
  {
    if (name == "cpu")
      return make_cpu_evaluator();
    if (name == "reference")
      return make_reference_evaluator();
    if (name == "cuda")
      return cuda_module().make_evaluator();
    throw UsageError("There is no backend '",
                     name,
                     "': choose 'cpu', 'cuda' or 'reference'.");
  }
} // namespace Evergreen
