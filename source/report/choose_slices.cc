#include "run_figures.h"

#include <deal.II/base/bounding_box.h>
#include <deal.II/base/point.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace Evergreen
{
  std::vector<std::size_t>
  choose_slices(const MeshData                 &mesh,
                const std::vector<std::size_t> &response,
                const std::size_t               n)
  {
    if (response.empty())
      return {};
    using Point = dealii::Point<3>;
    std::vector<Point> nodes(mesh.n_nodes());
    for (std::size_t i = 0; i < nodes.size(); ++i)
      std::copy_n(&mesh.points[i * mesh.dim], mesh.dim, nodes[i].begin_raw());
    const auto place = [&](const std::size_t s) -> const Point & {
      return nodes[response[s]];
    };
    std::vector<std::size_t> candidates(response.size());
    std::iota(candidates.begin(), candidates.end(), 0);
    const auto nearest = [&](const Point &target) {
      return *std::min_element(candidates.begin(),
                               candidates.end(),
                               [&](const auto a, const auto b) {
                                 return place(a).distance(target) <
                                        place(b).distance(target);
                               });
    };

    std::vector<std::size_t> chosen = {
      nearest(dealii::BoundingBox<3>(nodes).center())};
    const Point centre = place(chosen.front());
    if (mesh.dim == 3)
      candidates.erase(std::remove_if(candidates.begin(),
                                      candidates.end(),
                                      [&](const auto s) {
                                        return std::abs(place(s)[2] -
                                                        centre[2]) >= 1e-9;
                                      }),
                       candidates.end());

    // Corners are far from each other and from the middle; half-way there is
    // the inside.
    std::vector<Point> corners = {centre};
    for (std::size_t tries = 1; tries < n + 2 && chosen.size() < n; ++tries)
      {
        const auto far = [&](const std::size_t s) {
          double result = std::numeric_limits<double>::infinity();
          for (const auto &corner : corners)
            result = std::min(result, place(s).distance(corner));
          return result;
        };
        const auto corner = std::max_element(candidates.begin(),
                                             candidates.end(),
                                             [&](const auto a, const auto b) {
                                               return far(a) < far(b);
                                             });
        corners.push_back(place(*corner));
        const std::size_t s =
          nearest(Point(0.45 * centre + 0.55 * corners.back()));
        if (std::find(chosen.begin(), chosen.end(), s) == chosen.end())
          chosen.push_back(s);
      }
    return chosen;
  }
} // namespace Evergreen
