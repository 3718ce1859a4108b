#include "page_data.h"
#include "run_figures.h"

#include <evergreen/base/error.h>
#include <evergreen/fem/galerkin_problem.h>
#include <evergreen/fem/mesh_space.h>
#include <evergreen/kernel/kernel_matrix.h>
#include <evergreen/report/explorer.h>
#include <evergreen/report/section.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace Evergreen
{
  using namespace dealii;

  namespace
  {
    // More lines on a slice than this would hide each other.
    constexpr std::size_t n_shown_atoms   = 40;
    constexpr std::size_t n_shown_samples = 3;

    // What one number of a slice and its row take in a page: values and rows,
    // in Base64, of the last level and of another one.
    constexpr double bytes_of_last  = 2. * sizeof(std::int16_t) * 4 / 3;
    constexpr double bytes_of_other = 2. * sizeof(std::int8_t) * 4 / 3;

    // What an entry of a sparse matrix takes: its column and value.
    constexpr double bytes_of_entry = 12. * 4 / 3;

    // What an atom of a slice takes, in Base64: its number and coefficient, and
    // its own data, which others may share.
    constexpr double bytes_of_atom = 12. * 4 / 3;

    // What the page takes without data.
    constexpr double size_of_program = 150000;


    std::vector<std::uint32_t>
    as_numbers(const std::vector<std::size_t> &values)
    {
      return {values.begin(), values.end()};
    }


    /** To six digits; JSON has no NaN: what is not known is null. */
    PageData::Json
    known_numbers(const std::vector<double> &values)
    {
      auto result = PageData::Json::array();
      for (const double value : values)
        result.push_back(std::isfinite(value)
                           ? PageData::Json(std::stod(text(value)))
                           : PageData::Json());
      return result;
    }


    /** Nodal values of some slices and their integrals against shape functions.
     */
    struct Tables
    {
      std::vector<double> values, rows;

      Tables &
      operator-=(const Tables &other)
      {
        for (std::size_t i = 0; i < values.size(); ++i)
          values[i] -= other.values[i];
        for (std::size_t i = 0; i < rows.size(); ++i)
          rows[i] -= other.rows[i];
        return *this;
      }
    };


    /** Composes the data of one page. */
    template <int dim>
    class Composer
    {
    public:
      explicit Composer(const ExplorerInput &input)
        : input_(input)
        , kernel_(input.kernel)
        , mesh_(kernel_.mesh, "The kernel", MPI_COMM_SELF)
        , space_(mesh_, kernel_.mesh, "The kernel")
        , rule_(make_rule(space_, quadrature_kind(kernel_.quadrature)))
      {}

      ExplorerPage
      page(const std::string &page_template)
      {
        add_facts();
        add_mesh();
        add_matrices();
        add_dataset();
        choose_slices_and_levels();
        add_atoms();
        add_levels();
        data_.facts["notes"] = notes_;
        return {data_.insert_into(page_template), notes_};
      }

    private:
      const ExplorerInput     &input_;
      const LearnedKernel     &kernel_;
      Mesh<dim>                mesh_;
      MeshSpace<dim>           space_;
      DistributedRule          rule_;
      PageData                 data_;
      std::vector<std::string> notes_;
      std::vector<std::size_t> slices_; // that the page has
      std::vector<std::size_t> levels_; // by numbers of neurons

      // Of an integral operator.
      typename LinearProblem<dim>::Kernel exact_kernel_;

      void
      add_facts()
      {
        auto &facts          = data_.facts;
        facts["format"]      = 1;
        facts["title"]       = input_.title;
        facts["dim"]         = dim;
        facts["method"]      = kernel_.is_pointwise() ? "pw-oga" : "oga";
        facts["quadrature"]  = kernel_.quadrature;
        facts["symmetrised"] = kernel_.table.has_value();
        facts["neurons"]     = kernel_.n_neurons();
        facts["slices"]      = kernel_.response.size();
        facts["parameters"]  = kernel_.parameters;
        const auto &history  = kernel_.history;
        facts["history"]     = {{"neurons", history.neurons},
                                {"training", known_numbers(history.train_error)},
                                {"validation",
                                 known_numbers(history.validation_error)},
                                {"test", known_numbers(history.test_error)},
                                {"kernel", known_numbers(history.kernel_error)}};
      }

      void
      add_mesh()
      {
        const MeshData shown        = subdivided_mesh<dim>(kernel_.mesh);
        data_.facts["cellType"]     = shown.cell_type;
        data_.facts["degree"]       = kernel_.mesh.degree;
        data_.facts["cellVertices"] = shown.vertices_per_cell();
        data_.facts["isComplete"] =
          kernel_.response == free_nodes(kernel_.mesh);
        data_.add("points", shown.points);
        data_.add("cells", as_numbers(shown.cells));
        data_.add("boundary", as_numbers(shown.boundary));
      }

      /** A matrix of the space by rows of nodes. */
      void
      add_matrix(const std::string                    &name,
                 const TrilinosWrappers::SparseMatrix &matrix)
      {
        std::vector<std::uint32_t> starts = {0}, columns;
        std::vector<double>        values;
        for (std::size_t node = 0; node < space_.n_nodes(); ++node)
          {
            const auto row = space_.dof_of_node(node);
            for (auto entry = matrix.begin(row); entry != matrix.end(row);
                 ++entry)
              if (entry->value() != 0)
                {
                  columns.push_back(space_.node_of_dof(entry->column()));
                  values.push_back(entry->value());
                }
            starts.push_back(columns.size());
          }
        data_.add(name + " starts", starts);
        data_.add(name + " columns", columns);
        data_.add(name + " values", values);
      }

      void
      add_matrices()
      {
        data_.facts["finiteElements"] = false;
        const double bytes =
          2. * bytes_of_entry * space_.mass_matrix().n_nonzero_elements();
        const bool has_room = bytes < 0.5 * input_.size_limit;
        if (has_room)
          add_mass();
        const auto problem =
          input_.problem ? make_problem<dim>(*input_.problem) : nullptr;
        auto *const galerkin =
          dynamic_cast<GalerkinProblem<dim> *>(problem.get());
        if (!problem)
          notes_.push_back(
            "the operator is not known, so there is nothing to "
            "compare with");
        else if (galerkin == nullptr)
          {
            exact_kernel_ = problem->exact_kernel();
            notes_.push_back(
              "the data come from an integral operator, so "
              "slices are compared with its kernel, and "
              "solutions with nothing");
          }
        else if (galerkin->is_singular())
          notes_.push_back(
            "solutions are determined up to a constant only, "
            "which the page's finite elements do not know, so "
            "there is nothing to compare with");
        else if (!has_room)
          notes_.push_back(
            "the mesh is too large for finite elements in a "
            "page, so there is nothing to compare with");
        else
          {
            galerkin->set_up(space_);
            add_matrix("operator", galerkin->matrix());
            data_.facts["finiteElements"] = true;
          }
      }

      /** The mass matrix, and the rule by which the page projects formulas. */
      void
      add_mass()
      {
        add_matrix("mass", space_.mass_matrix());
        std::vector<double> points;
        for (const Point<dim> &point : space_.quadrature().get_points())
          points.insert(points.end(),
                        point.begin_raw(),
                        point.begin_raw() + dim);
        data_.add("quadrature points", points);
        data_.add("quadrature weights", space_.quadrature().get_weights());
      }

      void
      add_dataset()
      {
        auto &facts             = data_.facts;
        facts["singularValues"] = PageData::Json::array();
        facts["samples"]        = PageData::Json::array();
        if (input_.reader == nullptr)
          return;
        const DatasetReader &reader = *input_.reader;
        facts["singularValues"] =
          known_numbers(forcing_singular_values(reader));
        auto samples = reader.valid_samples(Split::test);
        samples.resize(std::min(samples.size(), n_shown_samples));
        for (const std::size_t sample : samples)
          {
            std::vector<double> f(space_.n_nodes());
            reader.read_forcings(Split::test, sample, 1, f.data());
            facts["samples"].push_back(sample);
            data_.add(text("forcing ", sample),
                      std::vector<float>(f.begin(), f.end()));
          }
      }

      void
      choose_slices_and_levels()
      {
        const double m = static_cast<double>(space_.n_nodes());
        const double bytes_of_slice =
          bytes_of_last * m * (exact_kernel_ ? 1.5 : 1.) +
          bytes_of_atom * std::min(n_shown_atoms, kernel_.n_neurons());
        const double room =
          std::max(0.,
                   static_cast<double>(input_.size_limit) - size_of_program -
                     static_cast<double>(data_.size()));
        const auto most = static_cast<std::size_t>(room / bytes_of_slice) + 1;
        const std::size_t n = kernel_.response.size();
        slices_             = spread_slices(std::min(most, n));
        levels_             = {kernel_.n_neurons()};
        if (most < n)
          {
            notes_.push_back(text("the kernel is too large for a page: of its ",
                                  n,
                                  " slices there are ",
                                  slices_.size()));
            return;
          }
        add_other_levels(static_cast<std::size_t>((room - bytes_of_slice * n) /
                                                  (bytes_of_other * m * n)));
      }

      /** So many slices as far from each other as can be. */
      std::vector<std::size_t>
      spread_slices(const std::size_t n) const
      {
        const auto &response = kernel_.response;
        if (n == response.size())
          {
            std::vector<std::size_t> all(n);
            std::iota(all.begin(), all.end(), 0);
            return all;
          }
        std::vector<std::size_t> chosen =
          choose_slices(kernel_.mesh, response, 1);
        std::vector<double> distances(response.size(),
                                      std::numeric_limits<double>::max());
        while (chosen.size() < n)
          {
            const auto x = space_.point(response[chosen.back()]);
            for (std::size_t s = 0; s < response.size(); ++s)
              distances[s] =
                std::min(distances[s], x.distance(space_.point(response[s])));
            chosen.push_back(
              std::max_element(distances.begin(), distances.end()) -
              distances.begin());
          }
        std::sort(chosen.begin(), chosen.end());
        return chosen;
      }

      /** Every fourth power of two below the last level, as there is room. */
      void
      add_other_levels(const std::size_t most)
      {
        const auto &levels = kernel_.expansions.levels;
        std::size_t next   = kernel_.n_neurons() / 4;
        for (auto level = levels.rbegin();
             level != levels.rend() && levels_.size() <= most;
             ++level)
          if (level->n_neurons <= next && level->n_neurons > 0)
            {
              levels_.push_back(level->n_neurons);
              next = level->n_neurons / 4;
            }
        std::reverse(levels_.begin(), levels_.end());
      }

      /** The first atoms of every slice, and of the pool what they need. */
      void
      add_atoms()
      {
        const Expansions &all     = kernel_.expansions;
        const auto       &last    = all.levels.back();
        const auto        starts  = all.starts_on(last);
        const std::size_t n_lists = kernel_.is_pointwise() ? slices_.size() : 1;
        // In a frame, atoms are not where they seem to be.
        const std::size_t n_shown =
          kernel_.frame.is_trivial() ? n_shown_atoms : 0;
        constexpr auto none = std::numeric_limits<std::uint32_t>::max();
        std::vector<std::uint32_t> number(all.pool.size(), none);
        std::vector<std::uint32_t> list_starts = {0}, lists;
        std::vector<float>         coefficients;
        AtomList                   pool(all.pool.dim);
        for (std::size_t i = 0; i < n_lists; ++i)
          {
            const std::size_t s = kernel_.is_pointwise() ? slices_[i] : 0;
            const std::size_t n = std::min(n_shown, all.n_atoms(s, last));
            for (std::size_t k = 0; k < n; ++k)
              {
                const auto atom = all.atoms[all.starts[s] + k];
                if (number[atom] == none)
                  {
                    number[atom] = pool.size();
                    pool.push_back(all.pool, atom);
                  }
                lists.push_back(number[atom]);
                coefficients.push_back(last.coefficients[starts[s] + k]);
              }
            list_starts.push_back(lists.size());
          }
        std::vector<std::uint8_t> kinds;
        for (const AtomKind kind : pool.kinds)
          kinds.push_back(static_cast<std::uint8_t>(kind));
        data_.add("atom starts", list_starts);
        data_.add("atom numbers", lists);
        data_.add("atom coefficients", coefficients);
        data_.add("atom kinds", kinds);
        data_.add("atom weights",
                  std::vector<float>(pool.weights.begin(), pool.weights.end()));
        data_.add("atom biases",
                  std::vector<float>(pool.biases.begin(), pool.biases.end()));
      }

      /** The nodal values of the slices of a kernel with one level. */
      std::vector<double>
      values_of(const LearnedKernel &kernel) const
      {
        const std::size_t   m = space_.n_nodes(), n = slices_.size();
        std::vector<double> values(n * m, 0.);
        if (kernel.table)
          {
            for (std::size_t i = 0; i < n; ++i)
              for (std::size_t t = 0; t < kernel.response.size(); ++t)
                values[i * m + kernel.response[t]] =
                  (*kernel.table)(slices_[i], t);
            return values;
          }
        const Expansions expansions = kernel.slices(slices_);
        visit_values(expansions,
                     diagonal_rule(dim,
                                   kernel.frame.images(dim, kernel.mesh.points),
                                   std::vector<double>(m, 1.)),
                     [&](const auto    s,
                         const auto    first,
                         const auto    n_points,
                         const double *visited) {
                       for (std::size_t i = 0; i < n_points; ++i)
                         values[s * m + first + i] =
                           visited[i] *
                           kernel.frame.factor(
                             &kernel.mesh.points[(first + i) * dim]);
                     });
        // A singular slice is infinite at its own point.
        for (std::size_t i = 0; i < n; ++i)
          {
            const std::size_t node      = kernel.response[slices_[i]];
            const Expansion   expansion = expansions[i];
            values[i * m + node] =
              value_at_centre<dim>(space_, node, [&](const Point<dim> &y) {
                return kernel.value(expansion, y.begin_raw());
              });
          }
        return values;
      }

      /** The same for the kernel of an integral operator. */
      std::vector<double>
      exact_values() const
      {
        std::vector<double> values;
        for (const std::size_t s : slices_)
          {
            const std::size_t centre = kernel_.response[s];
            const auto        slice  = [&](const Point<dim> &y) {
              return exact_kernel_(space_.point(centre), y);
            };
            for (std::size_t node = 0; node < space_.n_nodes(); ++node)
              values.push_back(node == centre
                                 ? value_at_centre<dim>(space_, node, slice)
                                 : slice(space_.point(node)));
          }
        return values;
      }

      Tables
      tables_of(const std::size_t n_neurons) const
      {
        const LearnedKernel kernel = kernel_.with_neurons(n_neurons);
        Tables              tables;
        tables.values        = values_of(kernel);
        const auto unordered = KernelMatrix(kernel, rule_).rows(slices_);
        tables.rows.resize(unordered.size());
        const std::size_t m = space_.n_nodes();
        for (std::size_t i = 0; i < slices_.size(); ++i)
          for (std::size_t k = 0; k < m; ++k)
            tables.rows[i * m + rule_.nodes[k]] = unordered[i * m + k];
        return tables;
      }

      void
      add_levels()
      {
        std::vector<std::size_t> nodes;
        for (const std::size_t s : slices_)
          nodes.push_back(kernel_.response[s]);
        data_.add("response", as_numbers(nodes));
        data_.facts["levels"]  = levels_;
        const std::size_t m    = space_.n_nodes();
        const Tables      last = tables_of(levels_.back());
        data_.add_rounded<std::int16_t>("values", last.values, m);
        data_.add_rounded<std::int16_t>("rows", last.rows, m);
        if (exact_kernel_)
          data_.add_rounded<std::int16_t>("exact values", exact_values(), m);
        for (std::size_t l = 0; l + 1 < levels_.size(); ++l)
          {
            Tables tables = tables_of(levels_[l]);
            tables -= last;
            data_.add_rounded<std::int8_t>(text("values ", levels_[l]),
                                           tables.values,
                                           m);
            data_.add_rounded<std::int8_t>(text("rows ", levels_[l]),
                                           tables.rows,
                                           m);
          }
      }
    };
  } // namespace


  template <int dim>
  ExplorerPage
  make_explorer_page(const ExplorerInput &input,
                     const std::string   &page_template)
  {
    const Input what = input_of(quadrature_kind(input.kernel.quadrature));
    if (what != Input::forcing)
      throw Error("The explorer shows kernels for forcings; this one is for ",
                  input_words(what),
                  ".");
    return Composer<dim>(input).page(page_template);
  }


  template ExplorerPage
  make_explorer_page<1>(const ExplorerInput &, const std::string &);
  template ExplorerPage
  make_explorer_page<2>(const ExplorerInput &, const std::string &);
  template ExplorerPage
  make_explorer_page<3>(const ExplorerInput &, const std::string &);
} // namespace Evergreen
