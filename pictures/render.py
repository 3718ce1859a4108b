#!/usr/bin/env python3
"""Draws the figures of a directory: every NAME.figure.json, as Evergreen writes
it (include/evergreen/report/figure.h), becomes NAME.png and NAME.svg.

    render.py DIRECTORY

Needs Python 3.9 with matplotlib and numpy, and no display. The look is decided
here and nowhere else: change STYLE, PALETTE and COLOUR_MAPS to taste and call
`evergreen pictures DIRECTORY`; nothing is computed again.
"""

import json
import math
import pathlib
import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402
import numpy as np  # noqa: E402
from matplotlib import collections, colors, ticker, tri  # noqa: E402

DPI = 150
STYLE = {
    "font.size": 9,
    "axes.titlesize": 9.5,
    "axes.labelsize": 9,
    "figure.titlesize": 11,
    "xtick.labelsize": 8,
    "ytick.labelsize": 8,
    "legend.fontsize": 8,
    "axes.linewidth": 0.7,
    "lines.linewidth": 1.5,
    "lines.markersize": 4,
    "legend.framealpha": 0.85,
    "legend.edgecolor": "0.85",
    "svg.hashsalt": "evergreen",  # the same figure gives the same file
    "axes.formatter.use_mathtext": True,
    "axes.formatter.limits": (-2, 4),
}

# Okabe and Ito's colours, which everybody can tell apart; yellow, which is
# faint on white, comes last.
PALETTE = ["#0072B2", "#D55E00", "#009E73", "#CC79A7",
           "#E69F00", "#56B4E9", "#000000", "#F0E442"]
MARKERS = ["o", "s", "^", "D", "v", "P", "X", "<"]

COLOUR_MAPS = {"sequential": "viridis", "diverging": "RdBu_r",
               "magnitude": "cividis", "logarithmic": "cividis"}
LINES = {"markers": "-", "line": "-", "dashed": "--", "dotted": ":", "points": "none"}

PANEL_WIDTH = 2.5  # inches, of a field or an image
COLOUR_BAR_DECADES = (2, 4)  # least and most of a logarithmic scale


def numbers(values):
    """A list with null for what is unknown, as an array."""
    return np.array([math.nan if v is None else v for v in values], dtype=float)


def grid_of(figure, n_panels):
    """Rows and columns of the panels."""
    columns = min(figure["n_columns"] or 3, n_panels)
    return math.ceil(n_panels / columns), columns


def make_axes(figure, n_panels, width, height, fixed_shape):
    """A figure with exactly as many axes as there are panels."""
    rows, columns = grid_of(figure, n_panels)
    heading = 0.3 if figure["title"] else 0
    canvas = plt.figure(figsize=(columns * width, rows * height + heading),
                        layout="compressed" if fixed_shape else "constrained")
    canvas.get_layout_engine().set(w_pad=0.08, h_pad=0.08, wspace=0.03, hspace=0.03)
    if figure["title"]:
        canvas.suptitle(figure["title"])
    grid = canvas.add_gridspec(rows, columns)
    return canvas, [canvas.add_subplot(grid[i // columns, i % columns])
                    for i in range(n_panels)]


# --- curves ---------------------------------------------------------------------


def visible(panel, series):
    """The points of a curve that can be shown on the panel's axes."""
    x, y = numbers(series["x"]), numbers(series["y"])
    keep = np.isfinite(x) & np.isfinite(y)
    if panel["log_x"]:
        keep &= x > 0
    if panel["log_y"]:
        keep &= y > 0
    return x[keep], y[keep]


def draw_series(axes, series, x, y, colour):
    style = series["style"]
    if style == "reference":
        axes.plot(x, y, color="0.25", linestyle=(0, (4, 3)), linewidth=1.0,
                  label=series["label"] or None, zorder=3)
        return
    marked = style in ("markers", "points")
    axes.plot(x, y, color=PALETTE[colour % len(PALETTE)], linestyle=LINES[style],
              marker=MARKERS[colour % len(MARKERS)] if marked else None,
              markersize=2.5 if style == "points" else None,
              alpha=0.6 if style == "points" else None,
              label=series["label"] or None, zorder=2.5 if style == "dashed" else 2)


def tidy_log_axis(axis):
    """Plain numbers, such as 1, 10 and 100, where they are short."""
    low, high = axis.get_view_interval()
    if low > 0.05 and high < 2e4:
        axis.set_major_formatter(ticker.FuncFormatter(lambda v, _: f"{v:g}"))
        few = high / low < 30
        axis.set_minor_formatter(ticker.FuncFormatter(
            lambda v, _: f"{v:g}" if few and f"{v:e}"[0] in "25" else ""))


def label_short_log_axis(axis):
    """Numbers between the powers of ten as well where there are hardly any of these."""
    def text(value, _):
        digit, exponent = f"{value:e}"[0], math.floor(math.log10(value) + 1e-9)
        return rf"${digit}\times10^{{{exponent}}}$" if digit in "25" else ""

    low, high = axis.get_view_interval()
    if high / low < 100:
        axis.set_minor_formatter(ticker.FuncFormatter(text))


def draw_curve_panel(axes, panel):
    colour = 0
    for series in panel["series"]:
        x, y = visible(panel, series)
        if x.size == 0:
            continue
        own = series["colour"]
        draw_series(axes, series, x, y, colour if own < 0 else own)
        if own < 0 and series["style"] != "reference":
            colour += 1
    axes.set(title=panel["title"], xlabel=panel["x_label"], ylabel=panel["y_label"])
    if panel["log_x"]:
        axes.set_xscale("log")
        tidy_log_axis(axes.xaxis)
    if panel["log_y"]:
        axes.set_yscale("log")
        label_short_log_axis(axes.yaxis)
    for mark in panel["marks"]:
        axes.axvline(mark, color="0.6", linewidth=0.8, linestyle=":", zorder=1)
    axes.grid(True, which="major", color="0.9", linewidth=0.6)
    axes.set_axisbelow(True)
    labels = axes.get_legend_handles_labels()[1]
    if labels:
        if panel.get("legend_below"):
            # Two columns of longer labels are wider than the panel, which would
            # be squeezed to make room.
            columns = 2 if max(map(len, labels)) <= 24 else 1
            axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.16), ncol=columns,
                        frameon=False)
        else:
            axes.legend(loc="best")


def draw_curves(figure):
    panels = [panel for panel in figure["panels"]
              if any(visible(panel, series)[0].size for series in panel["series"])]
    if not panels:
        return None
    width = 5.2 if len(panels) == 1 else 4.2
    canvas, axes = make_axes(figure, len(panels), width, 3.4, False)
    for ax, panel in zip(axes, panels):
        draw_curve_panel(ax, panel)
    return canvas


# --- colours --------------------------------------------------------------------


def norm_of(scale, values):
    """How the values of the panels that share a range become colours."""
    values = values[np.isfinite(values)]
    low, high = (values.min(), values.max()) if values.size else (0.0, 1.0)
    if scale == "diverging":
        high = max(abs(low), abs(high)) or 1.0
        return colors.Normalize(-high, high)
    if scale == "logarithmic":
        positive = values[values > 0]
        high = positive.max() if positive.size else 1.0
        low = np.percentile(positive, 20) if positive.size else high / 100
        low = np.clip(low, high * 10.0**-COLOUR_BAR_DECADES[1], high * 10.0**-COLOUR_BAR_DECADES[0])
        return colors.LogNorm(low, high, clip=True)
    if scale == "magnitude":
        low = 0.0
    if not high > low:
        high = low + (abs(low) or 1.0)
    return colors.Normalize(low, high)


def norms_of(panels):
    """One norm for each panel; those of a group share one."""
    def members(i):
        group = panels[i]["colours"]["range_group"]
        return [p for j, p in enumerate(panels)
                if p["values"] and (j == i or (group >= 0 and p["colours"]["range_group"] == group))]
    return [norm_of(panel["colours"]["scale"],
                    np.concatenate([numbers(p["values"]) for p in members(i)] or [np.zeros(0)]))
            for i, panel in enumerate(panels)]


def add_colour_bar(axes, artist, panel):
    """A bar as high as the panel, beside it."""
    bar = axes.figure.colorbar(artist, cax=axes.inset_axes([1.035, 0, 0.045, 1]))
    bar.outline.set_linewidth(0.5)
    bar.solids.set_rasterized(True)
    if panel["colours"]["scale"] != "logarithmic":
        bar.formatter.set_powerlimits((-2, 3))
        bar.locator = ticker.MaxNLocator(nbins=6, steps=[1, 2, 2.5, 5, 10])
        bar.ax.yaxis.set_offset_position("left")
        bar.ax.yaxis.get_offset_text().set_size(7)
        bar.update_ticks()
    bar.ax.tick_params(labelsize=7, length=2)
    if panel["colours"]["label"]:
        bar.set_label(panel["colours"]["label"], size=8)


# --- fields ---------------------------------------------------------------------


class PlaneMesh:
    """Cells to draw: triangles as they are, quadrilaterals as four triangles around a
    middle point, whose value is the mean of the corners."""

    def __init__(self, mesh):
        self.points = numbers(mesh["points"]).reshape(-1, 2)
        self.cells = np.array(mesh["cells"], dtype=int).reshape(-1, mesh["vertices_per_cell"])
        self.extent = self.points.max(axis=0) - self.points.min(axis=0)

    def with_middles(self, values):
        """Values (or coordinates) at the points and, of quadrilaterals, the middles."""
        if self.cells.shape[1] == 3:
            return values
        return np.concatenate([values, values[self.cells].mean(axis=1)])

    def triangles(self):
        if self.cells.shape[1] == 3:
            return self.cells
        middles = len(self.points) + np.arange(len(self.cells))
        return np.concatenate([np.stack([self.cells[:, i], self.cells[:, (i + 1) % 4], middles],
                                        axis=1) for i in range(4)])

    def outline(self):
        """The edges that belong to one cell only, joined to closed curves."""
        edges = np.concatenate([np.stack([self.cells[:, i], np.roll(self.cells, -1, axis=1)[:, i]],
                                         axis=1) for i in range(self.cells.shape[1])])
        edges, counts = np.unique(np.sort(edges, axis=1), axis=0, return_counts=True)
        neighbours = {}
        for a, b in edges[counts == 1]:
            neighbours.setdefault(a, []).append(b)
            neighbours.setdefault(b, []).append(a)
        curves = []
        while neighbours:
            curve = [next(iter(neighbours))]
            while neighbours.get(curve[-1]):
                here, there = curve[-1], neighbours[curve[-1]].pop()
                neighbours[there].remove(here)
                curve.append(there)
            for point in curve:
                if not neighbours.get(point):
                    neighbours.pop(point, None)
            curves.append(self.points[curve])
        return collections.LineCollection(curves, colors="0.25", linewidths=0.6, snap=False)


def draw_field(axes, panel, norm, mesh):
    values = mesh.with_middles(numbers(panel["values"]))
    points = mesh.with_middles(mesh.points)
    triangulation = tri.Triangulation(points[:, 0], points[:, 1], mesh.triangles())
    known = np.isfinite(values)
    triangulation.set_mask(~known[triangulation.triangles].all(axis=1))
    values = np.where(known, values, norm.vmin)
    if panel["colours"]["scale"] == "logarithmic":
        values = np.maximum(values, norm.vmin)
    artist = axes.tripcolor(triangulation, values, shading="gouraud", norm=norm,
                            cmap=COLOUR_MAPS[panel["colours"]["scale"]], rasterized=True)
    add_colour_bar(axes, artist, panel)
    axes.add_collection(mesh.outline())


def draw_markers(axes, markers):
    """Rings that can be seen on any ground; dots if there are many."""
    for x, y in markers:
        if len(markers) > 30:
            axes.plot(x, y, marker="o", markersize=2, color=PALETTE[1])
            continue
        for colour, thickness in (("white", 2.0), ("black", 0.8)):
            axes.plot(x, y, marker="o", markersize=8, markerfacecolor="none",
                      markeredgecolor=colour, markeredgewidth=thickness, clip_on=False)


def draw_field_panel(axes, panel, norm, mesh, show_edges):
    alone = not panel["values"]
    if not alone:
        draw_field(axes, panel, norm, mesh)
    if show_edges or alone:
        axes.add_collection(collections.PolyCollection(
            mesh.points[mesh.cells], facecolors="#EAF2F8" if alone else "none",
            edgecolors="#33475B" if alone else "k", linewidths=0.35 if alone else 0.15))
    draw_markers(axes, panel.get("markers", []))
    low, margin = mesh.points.min(axis=0), 0.03 * mesh.extent.max()
    axes.set(xlim=(low[0] - margin, low[0] + mesh.extent[0] + margin),
             ylim=(low[1] - margin, low[1] + mesh.extent[1] + margin))
    axes.set_aspect("equal")
    axes.set_title(panel["title"], loc="center" if alone else "left")
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_locator(ticker.MaxNLocator(nbins=4, steps=[1, 2, 2.5, 5, 10]))


def draw_fields(figure):
    mesh = PlaneMesh(figure["mesh"])
    panels = [p for p in figure["panels"]
              if not p["values"] or np.isfinite(numbers(p["values"])).any()]
    if not panels or not len(mesh.cells):
        return None
    width = PANEL_WIDTH if any(p["values"] for p in panels) else 1.8 * PANEL_WIDTH
    height = width * min(2.0, mesh.extent[1] / mesh.extent[0])
    canvas, axes = make_axes(figure, len(panels), width + 0.95, height + 0.6, True)
    columns = grid_of(figure, len(panels))[1]
    for i, (ax, panel, norm) in enumerate(zip(axes, panels, norms_of(panels))):
        draw_field_panel(ax, panel, norm, mesh, figure["show_edges"])
        label_outer(ax, i, len(panels), columns, figure["mesh"]["labels"])
    return canvas


def label_outer(axes, i, n_panels, columns, labels):
    """Names of axes along the left and the lower side only."""
    if i % columns == 0:
        axes.set_ylabel(labels[1])
    else:
        axes.tick_params(labelleft=False)
    if i + columns >= n_panels:
        axes.set_xlabel(labels[0])
    else:
        axes.tick_params(labelbottom=False)


# --- images ---------------------------------------------------------------------


def draw_images(figure):
    x, y = numbers(figure["x"]), numbers(figure["y"])
    panels = [p for p in figure["panels"] if np.isfinite(numbers(p["values"])).any()]
    if not panels:
        return None
    canvas, axes = make_axes(figure, len(panels), PANEL_WIDTH + 0.95, PANEL_WIDTH + 0.6, True)
    columns = grid_of(figure, len(panels))[1]
    for i, (ax, panel, norm) in enumerate(zip(axes, panels, norms_of(panels))):
        values = numbers(panel["values"]).reshape(y.size, x.size)
        artist = ax.pcolormesh(x, y, np.ma.masked_invalid(values), shading="nearest", norm=norm,
                               cmap=COLOUR_MAPS[panel["colours"]["scale"]], rasterized=True)
        ax.set_box_aspect((y[-1] - y[0]) / (x[-1] - x[0]))
        ax.set_title(panel["title"], loc="left")
        add_colour_bar(ax, artist, panel)
        label_outer(ax, i, len(panels), columns, (figure["x_label"], figure["y_label"]))
    return canvas


# --- all of a directory -----------------------------------------------------------

KINDS = {"curves": draw_curves, "fields": draw_fields, "images": draw_images}


def render(path):
    """Makes the pictures of one description."""
    figure = json.loads(path.read_text(encoding="utf-8"))
    if figure.get("format") != "evergreen-figure" or figure.get("version") != 1:
        raise ValueError("not a figure that this program knows")
    canvas = KINDS[figure["kind"]](figure)
    if canvas is None:
        raise ValueError("there is nothing to draw")
    # The layout is the same for both files: find it once.
    canvas.draw_without_rendering()
    canvas.set_layout_engine("none")
    frame = canvas.get_tightbbox().padded(0.08)
    stem = str(path)[: -len(".figure.json")]
    for ending, metadata in ((".png", {"Software": None}), (".svg", {"Date": None})):
        canvas.savefig(stem + ending + ".part", format=ending[1:], dpi=DPI,
                       bbox_inches=frame, metadata=metadata)
        pathlib.Path(stem + ending + ".part").replace(stem + ending)
    plt.close(canvas)


def main(arguments):
    if len(arguments) != 2:
        print(__doc__)
        return 2
    plt.rcParams.update(STYLE)
    failures = 0
    for path in sorted(pathlib.Path(arguments[1]).glob("*.figure.json")):
        try:
            render(path)
        except (ValueError, KeyError, TypeError, OSError) as error:
            print(f"{path}: {type(error).__name__}: {error}".replace("\n", " "))
            failures += 1
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
