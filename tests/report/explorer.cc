// The data of explorer pages, read back by other means: a kernel whose values
// and solutions are known, thinning, and text that would like to be markup.

#include "learning/small_dataset.h"
#include "report/exact_kernel.h"
#include "report/json.h"
#include "testing.h"

#include <evergreen/report/explorer.h>

#include <boost/beast/core/detail/base64.hpp>

#include <cstring>
#include <sstream>

namespace Evergreen
{
  namespace
  {
    using namespace Testing;

    const std::string page_template =
      "<html><!-- evergreen data --><script>run()</script></html>";


    std::size_t
    count(const std::string &text, const std::string &part)
    {
      std::size_t n = 0;
      for (auto at = text.find(part); at != std::string::npos;
           at      = text.find(part, at + 1))
        ++n;
      return n;
    }


    /** The facts and the arrays of a page. */
    struct ReadPage
    {
      Tree        facts;
      std::string bytes;

      explicit ReadPage(const std::string &html)
      {
        std::istringstream in(block(html, "\"facts\">"));
        boost::property_tree::read_json(in, facts);
        const std::string text = block(html, "\"numbers\">");
        namespace Base64       = boost::beast::detail::base64;
        bytes.resize(Base64::decoded_size(text.size()));
        bytes.resize(Base64::decode(&bytes[0], text.data(), text.size()).first);
      }

      static std::string
      block(const std::string &html, const std::string &begin)
      {
        const auto first = html.find(begin) + begin.size();
        return html.substr(first, html.find("</script>", first) - first);
      }

      template <typename T>
      std::vector<T>
      array(const std::string &name) const
      {
        const Tree    &entry = facts.get_child("arrays").get_child(name);
        std::vector<T> values(entry.get<std::size_t>("length"));
        const auto     offset = entry.get<std::size_t>("offset");
        EXPECT_LE(offset + values.size() * sizeof(T), bytes.size());
        EXPECT_EQ(offset % sizeof(T), 0U);
        std::memcpy(values.data(),
                    bytes.data() + offset,
                    values.size() * sizeof(T));
        return values;
      }

      /** A table of rounded numbers. */
      template <typename T>
      std::vector<double>
      table(const std::string &name) const
      {
        const auto          rounded = array<T>(name);
        const auto          scales  = array<float>(name + " scale");
        std::vector<double> values;
        for (std::size_t i = 0; i < rounded.size(); ++i)
          values.push_back(rounded[i] *
                           scales[i / (rounded.size() / scales.size())]);
        return values;
      }
    };


    /** The largest error of the values of G(x, y) = min(x, y)(1 - max(x, y)),
     *  and of the solution x (1 - x) / 2 for f = 1. */
    std::pair<double, double>
    errors_of(const ReadPage &page, const std::vector<double> &points)
    {
      const auto nodes  = page.array<std::uint32_t>("response");
      const auto values = page.table<std::int16_t>("values");
      const auto rows   = page.table<std::int16_t>("rows");
      const auto m      = points.size();
      EXPECT_EQ(values.size(), nodes.size() * m);
      EXPECT_EQ(rows.size(), nodes.size() * m);
      std::pair<double, double> errors(0, 0);
      for (std::size_t s = 0; s < nodes.size(); ++s)
        {
          const double x = points[nodes[s]];
          double       u = 0;
          for (std::size_t k = 0; k < m; ++k)
            {
              const double y     = points[k];
              const double exact = std::min(x, y) * (1 - std::max(x, y));
              errors.first =
                std::max(errors.first, std::abs(values[s * m + k] - exact));
              u += rows[s * m + k];
            }
          errors.second =
            std::max(errors.second, std::abs(u - x * (1 - x) / 2));
        }
      return errors;
    }
  } // namespace


  TEST(Explorer, HasTheKernelAndItsSolutions)
  {
    const TemporaryDirectory directory;
    SmallDataset<1>          data(small_interval(), directory / "data.h5");
    const auto              &mesh = data.space.mesh_data();
    for (const double perturbation : {0., 1e-3})
      {
        const LearnedKernel kernel = exact_kernel(mesh, perturbation);
        ExplorerInput       input{kernel, "Poisson"};
        input.problem      = ProblemParameters();
        input.reader       = &*data.reader;
        const auto page    = make_explorer_page<1>(input, page_template);
        const auto read    = ReadPage(page.html);
        const auto errors  = errors_of(read, mesh.points);
        const bool is_good = errors.first < 1e-4 && errors.second < 1e-5;
        EXPECT_EQ(is_good, perturbation == 0.)
          << errors.first << " " << errors.second;
        EXPECT_TRUE(page.notes.empty());
        EXPECT_EQ(read.array<double>("points"), mesh.points);
        EXPECT_EQ(read.facts.get<std::string>("title"), "Poisson");
        EXPECT_TRUE(read.facts.get<bool>("finiteElements"));
        EXPECT_EQ(read.facts.get_child("singularValues").size(), 41U);

        // The finite elements: A u = M f for u = x (1 - x) / 2, f = 1.
        const auto a           = read.array<double>("operator values");
        const auto m           = read.array<double>("mass values");
        const auto starts      = read.array<std::uint32_t>("operator starts");
        const auto columns     = read.array<std::uint32_t>("operator columns");
        const auto mass_starts = read.array<std::uint32_t>("mass starts");
        for (const auto node : kernel.response)
          {
            double left = 0, right = 0;
            for (auto k = starts[node]; k < starts[node + 1]; ++k)
              {
                const double x = mesh.points[columns[k]];
                left += a[k] * x * (1 - x) / 2;
              }
            for (auto k = mass_starts[node]; k < mass_starts[node + 1]; ++k)
              right += m[k];
            EXPECT_NEAR(left, right, 1e-12);
          }
      }
  }


  TEST(Explorer, IsThinnedWithANote)
  {
    const TemporaryDirectory directory;
    SmallDataset<1>          data(small_interval(), directory / "data.h5");
    const auto              &mesh   = data.space.mesh_data();
    const LearnedKernel      kernel = exact_kernel(mesh);
    ExplorerInput            input{kernel};
    input.size_limit = 156000;
    const auto page  = make_explorer_page<1>(input, page_template);
    ASSERT_EQ(page.notes.size(), 2U); // the operator is not known, either
    EXPECT_NE(page.notes.back().find("of its 39 slices"), std::string::npos);
    const auto read   = ReadPage(page.html);
    const auto nodes  = read.array<std::uint32_t>("response");
    const auto errors = errors_of(read, mesh.points);
    EXPECT_GE(nodes.size(), 5U);
    EXPECT_LT(nodes.size(), 39U);
    EXPECT_LT(errors.first, 1e-4);
    EXPECT_LT(errors.second, 1e-5);
    // They are spread over the interval.
    for (std::size_t i = 1; i < nodes.size(); ++i)
      EXPECT_LT(mesh.points[nodes[i]] - mesh.points[nodes[i - 1]],
                3. / nodes.size());
  }


  TEST(Explorer, LeavesMatricesOutIfTheyAreTooLarge)
  {
    const TemporaryDirectory directory;
    SmallDataset<1>          data(small_interval(), directory / "data.h5");
    const LearnedKernel      kernel = exact_kernel(data.space.mesh_data());
    ExplorerInput            input{kernel};
    input.problem    = ProblemParameters();
    input.size_limit = 1000;
    const auto page  = make_explorer_page<1>(input, page_template);
    ASSERT_EQ(page.notes.size(), 2U);
    EXPECT_NE(page.notes.front().find("mesh is too large"), std::string::npos);
    const auto read = ReadPage(page.html);
    EXPECT_FALSE(read.facts.get<bool>("finiteElements"));
    EXPECT_EQ(read.facts.get_child("arrays").count("mass values"), 0U);
    EXPECT_EQ(read.array<std::uint32_t>("response").size(), 1U);
  }


  TEST(Explorer, TakesOtherLevelsWhereThereIsRoom)
  {
    const TemporaryDirectory directory;
    SmallDataset<1>          data(small_interval(), directory / "data.h5");
    const auto               result =
      learn_kernel(data.space, data.samples, quick_learning(16));
    ExplorerInput input{result.kernel};
    const auto    read =
      ReadPage(make_explorer_page<1>(input, page_template).html);
    const auto levels = numbers(read.facts, "levels");
    ASSERT_GE(levels.size(), 2U);
    EXPECT_EQ(levels.back(), result.kernel.n_neurons());
    EXPECT_LE(4 * levels.front(), levels.back());
    const auto last  = read.table<std::int16_t>("values");
    const auto fewer = result.kernel.with_neurons(levels.front());
    const auto difference =
      read.table<std::int8_t>(text("values ", levels.front()));
    for (std::size_t s = 0; s < 39; s += 7)
      for (std::size_t k = 0; k < 41; ++k)
        {
          const double y     = data.space.mesh_data().points[k];
          const double exact = fewer.slice(s).value(&y);
          EXPECT_NEAR(last[s * 41 + k] + difference[s * 41 + k], exact, 2e-3);
        }
  }


  TEST(Explorer, NoTextCanBecomeMarkup)
  {
    const TemporaryDirectory directory;
    SmallDataset<1>          data(small_interval(), directory / "data.h5");
    LearnedKernel            kernel = exact_kernel(data.space.mesh_data());
    const std::string        hostile =
      "</script><script>alert(1)</script><!-- \xff \\\" <img src=x>";
    kernel.parameters = hostile;
    const auto page =
      make_explorer_page<1>(ExplorerInput{kernel, hostile}, page_template);
    EXPECT_EQ(count(page.html, "</script>"), 3U);
    EXPECT_EQ(count(page.html, "<script"), 3U);
    EXPECT_EQ(count(page.html, "<!--"), 0U);
    EXPECT_EQ(count(page.html, "<img"), 0U);
    const auto title = ReadPage(page.html).facts.get<std::string>("title");
    EXPECT_EQ(title.substr(0, 20), hostile.substr(0, 20));

    expect_error([&]() { make_explorer_page<1>(ExplorerInput{kernel}, "x"); },
                 "evergreen data");
  }
} // namespace Evergreen
