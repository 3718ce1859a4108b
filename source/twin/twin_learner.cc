#include "stencils.h"

#include <evergreen/base/error.h>
#include <evergreen/twin/twin_learner.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace Evergreen
{
  std::string
  description(const TwinChoice &choice)
  {
    const auto rings = [](const unsigned int n) {
      return n == 0 ? std::string("its own node")
                    : text(n, n == 1 ? " ring" : " rings");
    };
    return text("values in ",
                rings(choice.value_rings),
                ", moments of ",
                choice.width == MomentWidth::half ? "half" : "full",
                " width in ",
                rings(choice.moment_rings),
                choice.width == MomentWidth::half ? " of half cells" : "",
                ", ridge ",
                choice.ridge,
                choice.pooled ? " towards the common row" : "");
  }


  namespace
  {
    // Rows with so many times more coefficients than samples are not tried, nor
    // those that leave most of the samples unused.
    constexpr double most_coefficients  = 2.;
    constexpr double least_coefficients = 0.15;

    // With so few samples rows are pulled towards their common one.
    constexpr std::size_t most_samples_to_pool = 20;
    constexpr int         n_sweeps             = 3;

    // Smaller rows are not tried any more if two sizes were worse by that much.
    constexpr double clearly_worse = 2.;

    // On its own mesh a twin with smaller errors has found the operator.
    constexpr double exact = 1e-9;

    // There rows with a larger condition are wrong by more than 1e-6 for
    // forcings that are rougher than those of the training.
    constexpr double worst_condition = 1e10;


    /** The ridges: none, and powers of ten. */
    std::vector<double>
    all_ridges()
    {
      std::vector<double> ridges = {0.};
      for (int exponent = -8; exponent <= -1; ++exponent)
        ridges.push_back(std::pow(10., exponent));
      return ridges;
    }


    /**
     * The shapes that can be best. A relation between values in a few rings has
     * a right-hand side that lives inside of these: moments of half width go up
     * to the last ring whose hats end there.
     */
    std::vector<StencilShape>
    all_shapes(const TwinMesh &mesh)
    {
      if (mesh.is_own)
        return {{1, 0, 0}, {1, 0, 1}, {2, 0, 1}};
      return {{1, 0, 1},
              {1, 1, 1},
              {2, 0, 1},
              {2, 1, 1},
              {2, 1, 2},
              {2, 1, 3},
              {3, 1, 3},
              {3, 1, 4},
              {3, 1, 5}};
    }


    /** The shapes worth trying, the longest rows first. */
    std::vector<StencilShape>
    make_candidates(const TwinData &data)
    {
      std::vector<std::pair<std::size_t, StencilShape>> all;
      for (const StencilShape &shape : all_shapes(data.mesh))
        all.emplace_back(longest_row(data, shape), shape);
      std::stable_sort(all.begin(),
                       all.end(),
                       [](const auto &x, const auto &y) {
                         return x.first > y.first;
                       });
      const double most =
        std::max<double>(all.back().first, most_coefficients * data.n_samples);
      const double least =
        std::min<double>(all.front().first,
                         least_coefficients * data.n_samples);
      std::vector<StencilShape> result;
      for (const auto &[size, shape] : all)
        if (data.mesh.is_own || (size >= least && size <= most))
          result.push_back(shape);
      // What is exact needs no more neighbours.
      if (data.mesh.is_own)
        std::reverse(result.begin(), result.end());
      return result;
    }


    /** What a candidate is with one of the ridges. */
    TwinChoice
    judge(const RowProblem &problem,
          const TwinMesh   &mesh,
          const Stencils   &stencils,
          const RowFits    &fits,
          const bool        pooled)
    {
      TwinChoice choice;
      choice.value_rings    = stencils.shape.value_rings;
      choice.moment_rings   = stencils.shape.moment_rings;
      choice.width          = mesh.families[stencils.shape.family].width;
      choice.ridge          = fits.ridge;
      choice.pooled         = pooled;
      choice.n_coefficients = stencils.max_size();

      const auto errors = problem.errors_of_answers(stencils, fits);
      double     sum    = 0;
      for (const double error : errors)
        {
          choice.error += error / errors.size();
          sum += std::log(error + 1e-300) / errors.size();
        }
      choice.typical = std::exp(sum);
      return choice;
    }


    /** The search for the best choice. */
    class Search
    {
    public:
      Search(const TwinData     &data,
             const RowProblem   &problem,
             const TwinObserver &observer)
        : data(data), problem(problem), observer(observer)
      {
        best.typical = best.error = std::numeric_limits<double>::infinity();
      }

      /** Returns the error of the best ridge for this shape. */
      double
      try_shape(const Stencils &stencils)
      {
        const auto ridges = all_ridges();
        auto       fits   = problem.fit(stencils, ridges);
        double     least  = try_fits(stencils, fits, false);
        if (data.n_samples > most_samples_to_pool || data.mesh.is_own)
          return least;
        const CommonRow common(data, stencils);
        if (!common.exists())
          return least;
        for (int sweep = 0; sweep < n_sweeps; ++sweep)
          {
            std::vector<std::vector<double>> priors;
            for (const RowFits &fit : fits)
              priors.push_back(common.like(fit.coefficients));
            fits = problem.fit(stencils, ridges, priors);
          }
        return std::min(least, try_fits(stencils, fits, true));
      }

      /** The best twin so far. */
      LearnedTwin
      twin() const
      {
        LearnedTwin twin;
        twin.mesh      = data.mesh.mesh;
        twin.is_own    = data.mesh.is_own;
        twin.free      = data.free;
        twin.a         = a;
        twin.b         = b;
        twin.choice    = best;
        twin.n_samples = data.n_samples;
        if (!data.unseen.empty())
          twin.unseen =
            *std::max_element(data.unseen.begin(), data.unseen.end());
        return twin;
      }

      TwinChoice best;

      /** The largest condition of the rows of the best. */
      double condition = 0;

    private:
      double
      try_fits(const Stencils             &stencils,
               const std::vector<RowFits> &fits,
               const bool                  pooled)
      {
        double least = std::numeric_limits<double>::infinity();
        for (const RowFits &fit : fits)
          {
            const auto choice =
              judge(problem, data.mesh, stencils, fit, pooled);
            if (observer)
              observer(choice);
            least = std::min(least, choice.typical);
            if (choice.typical < best.typical)
              {
                best      = choice;
                condition = fit.condition;
                a         = problem.value_matrix(stencils, fit);
                b         = problem.moment_matrix(stencils, fit);
              }
          }
        return least;
      }

      const TwinData     &data;
      const RowProblem   &problem;
      const TwinObserver &observer;
      CsrMatrix           a, b;
    };


    /** Refuses data that no twin can be learned from. */
    void
    check_data(const TwinData &data)
    {
      if (data.free.empty())
        throw Error(
          "The mesh of the twin has no node at which solutions are "
          "not zero: take a finer one.");
      for (const auto *numbers : {&data.values, &data.moments})
        if (!std::all_of(numbers->begin(), numbers->end(), [](double value) {
              return std::isfinite(value);
            }))
          throw Error("The samples of the twin are not all finite numbers.");
      if (std::all_of(data.values.begin(), data.values.end(), [](double value) {
            return value == 0;
          }))
        throw Error(
          "There are no samples to learn a twin from, or all their "
          "solutions are zero.");
      if (!data.mesh.is_own)
        return;
      const std::size_t size =
        Stencils(data, all_shapes(data.mesh).front()).max_size();
      if (data.n_samples <= size)
        throw Error("A twin on this mesh needs ",
                    size + 1,
                    " samples, but there are ",
                    data.n_samples,
                    ": its rows have up to ",
                    size,
                    " coefficients.");
    }


    /** Refuses a twin whose answers are wrong. */
    void
    check_error(const LearnedTwin    &twin,
                const TwinParameters &parameters,
                const std::size_t     smallest)
    {
      const double limit = parameters.tolerance > 0 ? parameters.tolerance
                           : twin.is_own            ? 1e-6
                                                    : 0.2;
      if (twin.choice.error <= limit)
        return;
      const std::string what = text(
        "The twin's answers to left-out samples "
        "are wrong by ",
        twin.choice.error,
        ", and ",
        limit,
        " is allowed (Twin/Tolerance): ");
      if (twin.n_samples < 2 * smallest)
        throw Error(what,
                    "it needs more samples than ",
                    twin.n_samples,
                    "; begin with ",
                    2 * smallest,
                    ".");
      throw Error(
        what,
        twin.is_own
          ? "the operator is not local on this mesh, or its solutions "
            "have noise; take a coarser one, or learn a kernel."
          : "the operator is not local, its forcings are too rough for "
            "the mesh, or its solutions have noise; take a finer mesh "
            "or more samples, or learn a kernel.");
    }
  } // namespace


  LearnedTwin
  learn_twin(const TwinData       &data,
             const TwinParameters &parameters,
             const MPI_Comm        communicator,
             const TwinObserver   &observer)
  {
    check_data(data);
    const RowProblem problem(data, communicator);
    const auto       candidates = make_candidates(data);
    Search           search(data, problem, observer);
    int              n_worse = 0;
    for (const StencilShape &shape : candidates)
      {
        const double before = search.best.typical;
        const double error  = search.try_shape(Stencils(data, shape));
        n_worse             = error > clearly_worse * before ? n_worse + 1 : 0;
        if (data.mesh.is_own ? search.best.error < exact : n_worse == 2)
          break;
      }
    const LearnedTwin twin = search.twin();
    check_error(twin,
                parameters,
                longest_row(data, all_shapes(data.mesh).front()));
    if (twin.is_own && search.condition > worst_condition)
      throw Error(
        "The forcings are too smooth for a twin on this mesh: other "
        "ones would be answered wrongly; draw rougher ones (a shorter "
        "Forcing/Wavelength or Forcing/Length), or take a coarser "
        "mesh for the twin.");
    return twin;
  }
} // namespace Evergreen
