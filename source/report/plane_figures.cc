// The figures of fields in two dimensions, and of plane sections in three.

#include "run_figures.h"

#include <evergreen/base/error.h>
#include <evergreen/report/section.h>

#include <algorithm>
#include <cmath>

namespace Evergreen
{
  namespace
  {
    /** What all figures of a mesh need. */
    struct Plane
    {
      const MeshData &mesh;
      Section         section;

      /** "", or ", z = 0.5". */
      std::string place;

      FieldFigure
      figure(const std::string &name, const std::string &title) const
      {
        FieldFigure result;
        result.name        = name;
        result.title       = title;
        result.mesh        = section.mesh();
        result.mesh.labels = {{"$x$", "$y$"}};
        return result;
      }

      std::array<double, 2>
      point(const std::size_t node) const
      {
        return {
          {mesh.points[node * mesh.dim], mesh.points[node * mesh.dim + 1]}};
      }

      FieldPanel
      panel(const std::string         &title,
            const std::vector<double> &nodal_values,
            const ColourScale          scale,
            const int                  range_group = -1) const
      {
        FieldPanel result;
        result.title               = title;
        result.values              = section.values(nodal_values);
        result.colours.scale       = scale;
        result.colours.range_group = range_group;
        return result;
      }
    };


    /** Values of both signs are centred at zero. */
    ColourScale
    scale_of(const std::vector<double> &values)
    {
      const auto [low, high] =
        std::minmax_element(values.begin(), values.end());
      return *low < -0.05 * std::abs(*high) ? ColourScale::diverging
                                            : ColourScale::sequential;
    }


    FieldFigure
    mesh_figure(const Plane         &plane,
                const LearnedKernel &kernel,
                const RunFields     &fields,
                const std::string   &title)
    {
      FieldFigure figure = plane.figure("mesh", title);
      figure.show_edges  = true;
      FieldPanel        panel;
      const MeshData   &mesh = kernel.mesh;
      const std::string kind = mesh.cell_type == "hexahedron" ? "hexahedra"
                               : mesh.cell_type == "tetrahedron"
                                 ? "tetrahedra"
                                 : mesh.cell_type + "s";
      panel.title = text(mesh.n_nodes(), " nodes, ", mesh.n_cells(), " ", kind);
      if (mesh.degree > 1)
        panel.title += text(" of degree ", mesh.degree);
      panel.title += plane.place;
      if (!fields.is_complete)
        for (const auto node : kernel.response)
          panel.markers.push_back(plane.point(node));
      figure.panels.push_back(panel);
      if (!fields.coefficient.empty())
        {
          const auto [least, greatest] =
            std::minmax_element(fields.coefficient.begin(),
                                fields.coefficient.end());
          figure.panels.push_back(plane.panel("diffusion coefficient $a$",
                                              fields.coefficient,
                                              *greatest > 20 * *least
                                                ? ColourScale::logarithmic
                                                : ColourScale::sequential));
        }
      return figure;
    }


    FieldFigure
    slice_figure(const Plane       &plane,
                 const RunFields   &fields,
                 const std::string &title)
    {
      FieldFigure figure =
        plane.figure("kernel_slices",
                     title + ": slices $G(x_s,\\,\\cdot\\,)$ of the kernel" +
                       plane.place);
      figure.n_columns = fields.reference.empty() ? 0 : 3;
      for (const std::size_t i : fields.shown)
        {
          const SliceFields &slice = fields.slices[i];
          const auto         group = static_cast<int>(i);
          const auto         scale =
            scale_of(slice.reference.empty() ? slice.learned : slice.reference);
          const std::size_t first = figure.panels.size();
          figure.panels.push_back(
            plane.panel("learned, $x_s=$" + point_text(plane.mesh, slice.node),
                        slice.learned,
                        scale,
                        group));
          if (!slice.reference.empty())
            {
              figure.panels.push_back(
                plane.panel(fields.reference, slice.reference, scale, group));
              figure.panels.push_back(
                plane.panel("absolute error",
                            absolute_difference(slice.learned, slice.reference),
                            ColourScale::logarithmic));
            }
          for (std::size_t p = first; p < figure.panels.size(); ++p)
            figure.panels[p].markers.push_back(plane.point(slice.node));
        }
      return figure;
    }


    FieldFigure
    solution_figure(const Plane         &plane,
                    const LearnedKernel &kernel,
                    const SampleFields  &sample,
                    const std::string   &title)
    {
      FieldFigure figure =
        plane.figure("solution", sample_title(title, sample) + plane.place);
      figure.n_columns = 4;
      figure.panels.push_back(
        plane.panel("forcing $f$", sample.forcing, scale_of(sample.forcing)));
      const auto scale = scale_of(sample.solution);
      figure.panels.push_back(
        plane.panel("$u$, finite elements", sample.solution, scale, 0));
      if (sample.learned.empty())
        {
          for (const auto node : kernel.response)
            figure.panels.back().markers.push_back(plane.point(node));
          return figure;
        }
      figure.panels.push_back(
        plane.panel("$u$, learned kernel", sample.learned, scale, 0));
      figure.panels.push_back(
        plane.panel("absolute error, $" + short_number(sample.error) +
                      "$ in $L_2$",
                    absolute_difference(sample.solution, sample.learned),
                    ColourScale::magnitude));
      return figure;
    }
  } // namespace


  void
  write_plane_figures(const std::string   &directory,
                      const MeshData      &mesh,
                      const LearnedKernel &kernel,
                      const RunFields     &fields,
                      const std::string   &title)
  {
    double z = 0;
    if (mesh.dim == 3 && !fields.shown.empty())
      z = mesh.points[3 * fields.slices[fields.shown.front()].node + 2];
    const Plane plane = {mesh,
                         Section(mesh, z),
                         mesh.dim == 3
                           ? text(", z = ", std::round(1e4 * z) / 1e4)
                           : ""};
    write_figure(directory, mesh_figure(plane, kernel, fields, title));
    write_figure(directory, slice_figure(plane, fields, title));
    if (!fields.sample.forcing.empty())
      write_figure(directory,
                   solution_figure(plane, kernel, fields.sample, title));
  }
} // namespace Evergreen
