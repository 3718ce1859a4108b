#include "run_fields.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace Evergreen
{
  namespace
  {
    using Coordinates = std::array<double, 3>;

    Coordinates
    coordinates(const MeshData &mesh, const std::size_t node)
    {
      Coordinates point = {{0, 0, 0}};
      for (unsigned int d = 0; d < mesh.dim; ++d)
        point[d] = mesh.points[node * mesh.dim + d];
      return point;
    }


    double
    distance(const Coordinates &a, const Coordinates &b)
    {
      return std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
    }


    Coordinates
    middle_of(const MeshData &mesh)
    {
      Coordinates low, high;
      low.fill(std::numeric_limits<double>::infinity());
      high.fill(-std::numeric_limits<double>::infinity());
      for (std::size_t i = 0; i < mesh.n_nodes(); ++i)
        for (unsigned int d = 0; d < 3; ++d)
          {
            low[d]  = std::min(low[d], coordinates(mesh, i)[d]);
            high[d] = std::max(high[d], coordinates(mesh, i)[d]);
          }
      return {{(low[0] + high[0]) / 2,
               (low[1] + high[1]) / 2,
               (low[2] + high[2]) / 2}};
    }
  } // namespace


  std::vector<std::size_t>
  choose_slices(const MeshData                  &mesh,
                const std::vector<std::int64_t> &response,
                const std::size_t                n)
  {
    const auto place = [&](const std::size_t s) {
      return coordinates(mesh, response[s]);
    };
    const auto nearest = [&](const Coordinates              &target,
                             const std::vector<std::size_t> &candidates) {
      return *std::min_element(candidates.begin(),
                               candidates.end(),
                               [&](const auto a, const auto b) {
                                 return distance(place(a), target) <
                                        distance(place(b), target);
                               });
    };
    std::vector<std::size_t> all(response.size());
    for (std::size_t s = 0; s < all.size(); ++s)
      all[s] = s;
    if (all.empty())
      return {};

    std::vector<std::size_t> chosen = {nearest(middle_of(mesh), all)};
    const Coordinates        centre = place(chosen.front());
    std::vector<std::size_t> candidates;
    for (const auto s : all)
      if (mesh.dim < 3 || std::abs(place(s)[2] - centre[2]) < 1e-9)
        candidates.push_back(s);

    // Corners are far from each other and from the middle; half-way there is
    // the inside.
    std::vector<Coordinates> corners = {centre};
    for (std::size_t tries = 1; tries < n + 2 && chosen.size() < n; ++tries)
      {
        const auto far = [&](const std::size_t s) {
          double result = std::numeric_limits<double>::infinity();
          for (const auto &corner : corners)
            result = std::min(result, distance(place(s), corner));
          return result;
        };
        const Coordinates corner =
          place(*std::max_element(candidates.begin(),
                                  candidates.end(),
                                  [&](const auto a, const auto b) {
                                    return far(a) < far(b);
                                  }));
        corners.push_back(corner);
        Coordinates target;
        for (unsigned int d = 0; d < 3; ++d)
          target[d] = 0.45 * centre[d] + 0.55 * corner[d];
        const std::size_t s = nearest(target, candidates);
        if (std::find(chosen.begin(), chosen.end(), s) == chosen.end())
          chosen.push_back(s);
      }
    return chosen;
  }
} // namespace Evergreen
