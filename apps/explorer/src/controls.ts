// The column of controls beside the panels.

import { short } from "./colour";
import { pointText } from "./fields";
import { Model, Solution } from "./model";
import { button, checkbox, choice, element, field, range, select } from "./ui";

/** Controls that show the state, too, and so can be told that it changed. */
export interface Controls {
  root: HTMLElement;
  refresh(): void;
}

function group(title: string, ...children: (Node | undefined)[]): HTMLElement {
  return element("section", { class: "group" }, element("h2", {}, title), ...children);
}

/** How many atoms, if the file has several answers. */
function levelControl(model: Model, changed: () => void): Controls {
  const { levels } = model.kernel,
    output = element("output");
  const refresh = () => (output.textContent = String(model.nNeurons));
  refresh();
  if (levels.length === 1)
    return {
      root: element("p", { class: "hint" }, `All ${levels[0]} atoms. (Pages of “evergreen run” have fewer atoms to choose, too.)`),
      refresh,
    };
  const slider = range(0, levels.length - 1, 1, model.state.level, (value) => {
    model.state.level = value;
    changed();
  });
  slider.className = "level";
  return {
    root: field("Atoms", slider, output),
    refresh: () => {
      slider.value = String(model.state.level);
      slider.setAttribute("aria-valuetext", model.nNeurons + " atoms");
      refresh();
    },
  };
}

/** The source as numbers. */
function sourceControl(model: Model, changed: () => void): Controls {
  const input = element("input", { type: "text", id: "source", inputmode: "decimal", autocomplete: "off" });
  const refresh = () => {
    if (document.activeElement !== input) input.value = model.state.x.map((c) => Number(c.toPrecision(4))).join(", ");
  };
  input.addEventListener("change", () => {
    const x = input.value.split(/[,;\s]+/).filter((part) => part !== "").map(Number);
    const isInside = x.length === model.mesh.dim && x.every(Number.isFinite) && model.mesh.locate(x) !== undefined;
    input.setCustomValidity(isInside ? "" : "This is not a point of the domain.");
    if (!isInside) return void input.reportValidity();
    model.state.x = x;
    changed();
  });
  refresh();
  return { root: field("Source x", input), refresh };
}

function volumeControls(model: Model, changed: () => void): HTMLElement {
  const { state } = model;
  const plane = (d: number): HTMLElement => {
    const slider = range(0, 1, 0.01, state.planes[d] ?? 0.5, (value) => {
      if (state.planes[d] !== undefined) state.planes[d] = value;
      changed();
    });
    slider.setAttribute("aria-label", "Position of the plane across " + "xyz"[d]);
    const check = checkbox("Plane across " + "xyz"[d], state.planes[d] !== undefined, (value) => {
      state.planes[d] = value ? Number(slider.value) : undefined;
      changed();
    });
    return element("div", { class: "field" }, check, slider);
  };
  const slider = range(0.02, 0.95, 0.01, state.isoLevel ?? 0.3, (value) => {
    if (state.isoLevel !== undefined) state.isoLevel = value;
    changed();
  });
  slider.setAttribute("aria-label", "Value of the surface, as a part of the largest");
  const check = checkbox("Surface of equal values", state.isoLevel !== undefined, (value) => {
    state.isoLevel = value ? Number(slider.value) : undefined;
    changed();
  });
  return group("Cuts", plane(0), plane(1), plane(2), element("div", { class: "field" }, check, slider));
}

export function sliceControls(model: Model, changed: () => void): Controls {
  const { state, mesh } = model;
  const level = levelControl(model, changed),
    source = sourceControl(model, changed);
  const parts: (Node | undefined)[] = [source.root, level.root];
  if (mesh.dim === 2)
    parts.push(
      checkbox("Mesh", state.showsMesh, (value) => {
        state.showsMesh = value;
        changed();
      })
    );
  if (mesh.dim < 3) {
    const output = element("output", {}, String(state.nAtoms));
    const slider = range(1, 40, 1, state.nAtoms, (value) => {
      state.nAtoms = value;
      output.textContent = String(value);
      changed();
    });
    parts.push(
      checkbox("Ridges and centres of the slice’s first atoms", state.showsAtoms, (value) => {
        state.showsAtoms = value;
        changed();
      }),
      field("How many", slider, output)
    );
  }
  const hint =
    mesh.dim === 3
      ? "Drag to turn. Move the source with the arrow keys, Page up and Page down, or type it."
      : mesh.dim === 2
        ? "Drag the source; arrow keys move it, with Shift in small steps."
        : "Drag the cross; arrow keys move it, with Shift in small steps.";
  const root = element("div", {}, group("Slice G(x, ·)", ...parts, element("p", { class: "hint" }, hint)), mesh.dim === 3 ? volumeControls(model, changed) : undefined);
  return {
    root,
    refresh: () => {
      level.refresh();
      source.refresh();
    },
  };
}

/** Formulas that are worth a look in the box of the mesh. */
function presets(model: Model): [string, string][] {
  const { lower, upper, dim } = model.mesh;
  const names = ["x", "y", "z"].slice(0, dim),
    number = (value: number) => String(Number(value.toPrecision(3)));
  const at = (part: number, d: number) => number(lower[d]! + part * (upper[d]! - lower[d]!));
  const bump = (parts: number[]) =>
    "exp(-" + number(80 / model.mesh.extent ** 2) + "*(" + names.map((n, d) => `(${n}-(${at(parts[d]!, d)}))^2`).join("+") + "))";
  const frequency = number((4 * Math.PI) / model.mesh.extent);
  let seed = 0;
  const noise = () => {
    seed = (1103515245 * seed + 12345) % 2147483648;
    return seed / 2147483648;
  };
  const random = () => {
    const terms: string[] = [];
    for (let k = 0; k < 6; ++k)
      terms.push(number(2 * noise() - 1) + "*sin(" + names.map((n) => number((24 * noise() - 12) / model.mesh.extent) + "*" + n).join("+") + "+" + number(6 * noise()) + ")");
    return terms.join(" + ");
  };
  return [
    ["0", "Nothing (to paint on)"],
    ["1", "Constant"],
    [bump([0.6, 0.6, 0.5]), "One bump"],
    [bump([0.3, 0.4, 0.5]) + " - " + bump([0.7, 0.6, 0.5]), "Source and sink"],
    [names.map((n) => `sin(${frequency}*${n})`).join("*"), "Waves"],
    [`sign(${names.map((n) => `sin(${frequency}*${n})`).join("*")})`, "Checkerboard"],
    [random(), "Random, I"],
    [random(), "Random, II"],
  ];
}

export interface SolutionControls extends Controls {
  /** Whether the pointer paints (in volumes it turns, too). */
  points: boolean;
  show(solution: Solution | undefined, problem: string): void;
}

export function solutionControls(model: Model, changed: () => void): SolutionControls {
  const { state, mesh, facts } = model;
  const level = levelControl(model, changed);
  const known = presets(model);
  const options: [string, string][] = [
    ...known.map(([formula, name]): [string, string] => ["f:" + formula, name]),
    ...facts.samples.map((sample): [string, string] => ["sample:" + sample, "Test sample " + sample]),
    ["own", "Own formula"],
  ];
  const formula = element("input", { type: "text", id: "formula", spellcheck: "false", autocomplete: "off", "aria-describedby": "problem" });
  const problem = element("p", { class: "problem", id: "problem", role: "alert" });
  const preset = select(options, "own", (value) => {
    if (value.startsWith("sample:")) state.sample = Number(value.slice(7));
    else {
      state.sample = undefined;
      if (value.startsWith("f:")) state.formula = value.slice(2);
    }
    changed();
  });
  preset.id = "preset";
  formula.addEventListener("input", () => {
    state.sample = undefined;
    state.formula = formula.value;
    changed();
  });

  const largest = 40;
  let sign = state.strength < 0 ? -1 : 1;
  const strength = range(0.5, largest, 0.5, Math.abs(state.strength), (value) => {
    state.strength = sign * value;
    strengthOut.textContent = short(value);
  });
  const strengthOut = element("output", {}, short(Math.abs(state.strength)));
  const radiusOut = element("output", {}, short(state.radius));
  const radius = range(0.01 * mesh.extent, 0.25 * mesh.extent, 0.005 * mesh.extent, state.radius, (value) => {
    state.radius = value;
    radiusOut.textContent = short(value);
  });
  const signs = choice("Sign", [["plus", "+"], ["minus", "−"]], sign > 0 ? "plus" : "minus", (value) => {
    sign = value === "plus" ? 1 : -1;
    state.strength = sign * Math.abs(state.strength);
  });
  const clear = button("Clear painting", "Leave the formula only", () => {
    state.stamps = [];
    changed();
  });
  const undo = button("Undo", "Take back the last bump", () => {
    state.stamps.pop();
    changed();
  });
  const pointer =
    mesh.dim === 3
      ? choice("The pointer", [["turn", "turns"], ["paint", "paints, senses"]], "turn", (value) => (result.points = value === "paint"))
      : undefined;

  const table = element("table", { class: "sensors" });
  const error = element("p", { class: "error", id: "error" });
  const noSensors = button("Remove sensors", "Take all of them away", () => {
    state.sensors = [];
    changed();
  });
  const result: SolutionControls = {
    points: false,
    root: element(
      "div",
      {},
      group("Forcing f", field("Preset", preset), field("f =", formula), problem),
      group("Brush", element("p", { class: "hint" }, mesh.dim === 3 ? "Let the pointer paint and press on a cut of f." : "Drag on the picture of f to paint."), signs, field("Size", radius, radiusOut), field("Strength", strength, strengthOut), element("div", { class: "buttons" }, undo, clear), pointer),
      group("Solution u", level.root, error, mesh.dim === 2
        ? checkbox("Mesh", state.showsMesh, (value) => {
            state.showsMesh = value;
            changed();
          })
        : undefined),
      group("Sensors", element("p", { class: "hint" }, mesh.dim === 3 ? "Let the pointer sense and press on a cut of u, or press Enter there." : "Press on a picture of u; drag to move."), table, noSensors),
      mesh.dim === 3 ? volumeControls(model, changed) : undefined
    ),
    refresh: () => {
      level.refresh();
      const value = state.sample !== undefined ? "sample:" + state.sample : "f:" + state.formula;
      preset.value = options.some(([key]) => key === value) ? value : "own";
      formula.disabled = state.sample !== undefined;
      if (document.activeElement !== formula) formula.value = state.sample !== undefined ? "" : state.formula;
      undo.disabled = clear.disabled = state.stamps.length === 0;
      noSensors.hidden = state.sensors.length === 0;
    },
    show: (solution, text) => {
      problem.textContent = text === "" ? "" : "f: " + text + ".";
      error.textContent =
        solution && Number.isFinite(solution.relativeError) ? `Relative error ${model.errorPlace}: ${short(100 * solution.relativeError)} %` : "";
      table.replaceChildren();
      if (!solution || state.sensors.length === 0) return;
      const names = ["", "at", "learned", ...(solution.finite ? ["FE"] : [])];
      table.append(element("tr", {}, ...names.map((name) => element("th", {}, name))));
      state.sensors.forEach((sensor, i) => {
        const values = [solution.learned, ...(solution.finite ? [solution.finite] : [])].map((field) => short(mesh.value(field, sensor)));
        table.append(element("tr", {}, ...[String(i + 1), pointText(sensor), ...values].map((text) => element("td", {}, text))));
      });
    },
  };
  return result;
}

export function aboutControls(model: Model): HTMLElement {
  const { facts, mesh, kernel } = model;
  const rows: [string, string][] = [
    ["Mesh", `${mesh.nNodes} nodes, ${mesh.nCells} ${facts.degree > 1 ? "parts of " : ""}${facts.cellType} cells` + (facts.degree > 1 ? `, degree ${facts.degree}` : "")],
    ["Method", facts.method + (facts.symmetrised ? ", symmetrised" : "")],
    ["Atoms", String(facts.neurons)],
    ["Slices", kernel.isThinned ? `${kernel.response.length} of ${facts.slices}` : String(facts.slices)],
    ["Quadrature", facts.quadrature],
  ];
  const list = element("dl", {}, ...rows.flatMap(([name, value]) => [element("dt", {}, name), element("dd", {}, value)]));
  const notes = facts.notes.map((note) => element("p", { class: "note" }, "Note: " + note + "."));
  return element(
    "div",
    {},
    group("This kernel", list, ...notes),
    group(
      "How to read it",
      element(
        "p",
        { class: "hint" },
        "u(x) = ∫ G(x, y) f(y) dy. The slice G(x, ·) is learned from pairs (f, u); the discrete one solves the finite element equations in this page. " +
          "[1] means pure numbers: the data carry no units."
      )
    ),
    facts.parameters === ""
      ? undefined
      : element("details", {}, element("summary", {}, "Parameters that made it"), element("pre", {}, facts.parameters))
  );
}
