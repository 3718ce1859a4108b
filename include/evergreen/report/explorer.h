// The explorer: a kernel and what it is compared with as one page that any
// browser opens from the disk. The page itself is a program of its own
// (apps/explorer); here it is given its data.

#ifndef evergreen_report_explorer_h
#define evergreen_report_explorer_h

#include <evergreen/data/dataset_file.h>
#include <evergreen/fem/linear_problem.h>
#include <evergreen/kernel/learned_kernel.h>

#include <optional>
#include <string>
#include <vector>

namespace Evergreen
{
  /** What a page shows. */
  struct ExplorerInput
  {
    const LearnedKernel &kernel;

    /** For example "Poisson on the disk". */
    std::string title = "";

    /**
     * The problem that the kernel was learned of, if it is known: the page
     * solves it by finite elements, too.
     */
    std::optional<ProblemParameters> problem = {};

    /** The dataset, for its spectrum and some forcings; may be nullptr. */
    const DatasetReader *reader = nullptr;

    /** About how large the page may be, in bytes. */
    std::size_t size_limit = 8000000;
  };


  /** A page, and a line for each thing that it had to leave out. */
  struct ExplorerPage
  {
    std::string              html;
    std::vector<std::string> notes;
  };


  /**
   * Puts the data of a kernel into a page. The @p page_template is an HTML
   * file with the line <tt>&lt;!-- evergreen data --&gt;</tt>.
   *
   * The page gets, for the last level of the kernel and as many others as
   * there is room for, the nodal values of the slices \f$G(x_s,\cdot)\f$ and
   * the rows \f$K_{sk}=\int G(x_s,y)\varphi_k(y)\,dy\f$, rounded to 16 bits
   * relative to the largest number of each row (for lower levels, the
   * difference to the last one to 8 bits); the first atoms of each slice; and
   * the matrices of the finite elements. Of a large kernel it gets some slices
   * only. For one process: nothing is collective.
   */
  template <int dim>
  ExplorerPage
  make_explorer_page(const ExplorerInput &input,
                     const std::string   &page_template);
} // namespace Evergreen

#endif
