// The view of G(x, .): learned, discrete, and their difference, with a source
// that follows the pointer.

import { precise, scaleOf, short } from "./colour";
import { CurvePanel } from "./curve_panel";
import { FieldPanel, FieldPanels } from "./fields";
import { ImagePanel } from "./image_panel";
import { Model, Slice } from "./model";
import { Panel } from "./panel";
import { Overlay } from "./plane_panel";
import { themeColour } from "./ui";

/** A view: its panels, and how they follow the state. */
export interface View {
  panels: Panel[];
  update(): void;
}

const moveHelp = "Drag the source, or use the arrow keys (with Shift in small steps).";

/** Moves the source by a key; true if it was one for that. */
export function moveByKey(model: Model, event: KeyboardEvent): boolean {
  const moves: Record<string, [number, number]> = {
    ArrowLeft: [0, -1],
    ArrowRight: [0, 1],
    ArrowDown: [1, -1],
    ArrowUp: [1, 1],
    PageDown: [2, -1],
    PageUp: [2, 1],
  };
  const move = moves[event.key];
  if (!move || move[0] >= model.mesh.dim || event.ctrlKey || event.altKey || event.metaKey) return false;
  const x = model.state.x.slice();
  const step = model.kernel.canInterpolate ? 0.02 * model.mesh.extent : model.mesh.extent / 8;
  x[move[0]]! += move[1] * step * (event.shiftKey ? 0.2 : 1);
  if (model.mesh.locate(x)) model.state.x = x;
  return true;
}

export function makeSliceView(model: Model, changed: () => void): View {
  return model.mesh.dim === 1 ? lineView(model, changed) : fieldView(model, changed);
}

function fieldView(model: Model, changed: () => void): View {
  const { state, mesh } = model;
  const panels = new FieldPanels(model);
  const events = {
    point: (x: number[]) => {
      if (!mesh.locate(x)) return;
      state.x = x;
      changed();
    },
    key: (event: KeyboardEvent) => {
      const isMove = moveByKey(model, event);
      if (isMove) changed();
      return isMove;
    },
    turned: changed,
  };
  const help = mesh.dim === 2 ? moveHelp : "Drag to turn; move the source with the arrow keys, Page up and Page down.";
  const learned = panels.make("Learned G(x, ·)", help, events);
  const all: FieldPanel[] = [learned];
  let reference: FieldPanel | undefined, difference: FieldPanel | undefined;
  if (model.referenceName !== undefined) {
    reference = panels.make(model.referenceName, "What the learned one is compared with. " + help, events);
    difference = panels.make("Difference", "Learned minus reference. " + help, events);
    all.push(reference, difference);
  }
  return {
    panels: all.map((field) => field.panel),
    update: () => {
      const slice = model.slice();
      const fields = slice.reference ? [slice.learned, slice.reference] : [slice.learned];
      const shown = (all: Float64Array[]) => (mesh.dim === 3 ? withoutPeak(model, slice, all) : all);
      const scale = scaleOf(shown(fields));
      const label = mesh.dim === 3 ? "G [1], peak cut" : "G [1]";
      learned.set(slice.learned, scale, label);
      learned.panel.setTitle("Learned G(x, ·), " + model.nNeurons + " atoms");
      if (slice.reference && slice.difference) {
        reference!.set(slice.reference, scale, label);
        difference!.set(slice.difference, scaleOf(shown([slice.difference]), "signed"), "ΔG [1]");
        difference!.panel.setTitle("Difference, " + errorText(model, slice));
      }
      learned.overlay(state.showsAtoms ? atomOverlay(model) : undefined);
      for (const field of all) {
        field.mark([slice.at], false);
        field.showsMesh(state.showsMesh);
        field.panel.draw();
      }
    },
  };
}

/**
 * In a volume the reference has a peak at the node of the source that would
 * leave the rest in one colour: the scale is that of the other nodes.
 */
function withoutPeak(model: Model, slice: Slice, fields: Float64Array[]): Float64Array[] {
  const source = model.mesh.nearest(slice.at);
  return fields.map((field) => field.map((value, node) => (node === source ? NaN : value)));
}

function errorText(model: Model, slice: Slice): string {
  const error = model.elements.relativeError(slice.learned, slice.reference!);
  return short(100 * error) + " % in L²";
}

/** The ridges and centres of the first atoms of the slice next to the source. */
function atomOverlay(model: Model): Overlay {
  const { mesh, kernel, state } = model;
  return (c, place) => {
    const node = mesh.nearest(state.x, (other) => kernel.hasSlice(other));
    const atoms = kernel.atoms(node).slice(0, state.nAtoms);
    const far = 3 * mesh.extent;
    const [left, bottom] = place(mesh.lower),
      [right, top] = place(mesh.upper);
    c.save();
    c.beginPath();
    c.rect(left - 9, top - 9, right - left + 18, bottom - top + 18);
    c.clip();
    c.lineCap = "butt";
    atoms.forEach(({ kind, weights, bias }, i) => {
      c.globalAlpha = 1 - 0.75 * (i / Math.max(1, atoms.length));
      const [w0, w1] = weights as [number, number];
      for (const [width, style] of [
        [3.2, themeColour("halo")],
        [1.4, themeColour("atom")],
      ] as const) {
        c.strokeStyle = c.fillStyle = style;
        c.lineWidth = width;
        c.beginPath();
        if (kind < 10) {
          // The line w.y + b = 0, through its point next to the origin.
          const square = w0 * w0 + w1 * w1 || 1;
          const foot = [(-bias * w0) / square, (-bias * w1) / square],
            along = [-w1 / Math.sqrt(square), w0 / Math.sqrt(square)];
          c.moveTo(...place([foot[0]! - far * along[0]!, foot[1]! - far * along[1]!]));
          c.lineTo(...place([foot[0]! + far * along[0]!, foot[1]! + far * along[1]!]));
          c.stroke();
        } else {
          c.arc(...place(weights), 1.5 + width, 0, 2 * Math.PI);
          c.fill();
        }
      }
    });
    c.restore();
  };
}

const imageSize = 300;

function lineView(model: Model, changed: () => void): View {
  const { mesh, state, kernel } = model;
  const least = mesh.lower[0]!,
    most = mesh.upper[0]!;
  let y = least + 0.5 * (most - least);
  const key = (event: KeyboardEvent) => {
    const step = (0.01 * (most - least)) / (event.shiftKey ? 5 : 1);
    if (event.key === "ArrowUp" || event.key === "ArrowDown") y = Math.min(most, Math.max(least, y + (event.key === "ArrowUp" ? step : -step)));
    else if (!moveByKey(model, event)) return false;
    changed();
    return true;
  };
  const image = (title: string): ImagePanel => {
    const panel: ImagePanel = new ImagePanel(least, most, title, "x to the right, y upwards. Drag the cross, or use the arrow keys.", {
      point: (px, py) => {
        const at = panel.pointAt(px, py);
        state.x = [Math.min(Math.max(at[0], least), most)];
        y = at[1];
        changed();
      },
      key,
    });
    return panel;
  };
  const sections = (title: string, label: string) =>
    new CurvePanel(title, "The kernels along a line.", { xLabel: label, yLabel: "G [1]" }, { key });
  const learned = image("Learned G(x, y)");
  const along = sections("Section G(x, ·)", "y"),
    across = sections("Section G(·, y)", "x");
  const difference = model.referenceName !== undefined ? image("Difference") : undefined;
  const referenceLabel = model.elements.canSolve ? "discrete" : "exact";
  const grid = Array.from({ length: imageSize }, (_, i) => least + ((i + 0.5) / imageSize) * (most - least));
  const order = Array.from({ length: mesh.nNodes }, (_, i) => i).sort((a, b) => mesh.points[a]! - mesh.points[b]!);
  const nodes = order.map((node) => mesh.points[node]!);
  let drawn = -1;

  // The image changes with the level only.
  const drawImages = () => {
    drawn = state.level;
    const values = new Float64Array(imageSize * imageSize),
      differences = new Float64Array(imageSize * imageSize);
    const places = grid.map((t) => mesh.locate([t])!);
    places.forEach((_, i) => {
      const slice = kernel.slice(state.level, kernel.slicesAt([grid[i]!])!),
        reference = model.reference(kernel.slicesAt([grid[i]!])!);
      places.forEach(({ nodes: at, weights }, j) => {
        const value = (field: Float64Array) => at.reduce((sum, node, k) => sum + weights[k]! * field[node]!, 0);
        values[j * imageSize + i] = value(slice);
        if (reference) differences[j * imageSize + i] = value(slice) - value(reference);
      });
    });
    learned.setImage(values, imageSize, scaleOf([values]), "G [1]");
    learned.setTitle("Learned G(x, y), " + model.nNeurons + " atoms");
    difference?.setImage(differences, imageSize, scaleOf([differences], "signed"), "ΔG [1]");
  };

  return {
    panels: difference ? [learned, difference, along, across] : [learned, along, across],
    update: () => {
      if (drawn !== state.level) drawImages();
      const slice = model.slice(),
        x = slice.at[0]!;
      const sorted = (field: Float64Array) => order.map((node) => field[node]!);
      along.setTitle("Section G(x, ·) at x = " + short(x));
      along.curves = [{ label: "learned", x: nodes, y: sorted(slice.learned), colour: 1 }];
      if (slice.reference) along.curves.push({ label: referenceLabel, x: nodes, y: sorted(slice.reference), colour: 2, dashed: true });
      along.marks = [{ x, colour: 3, dashed: true }, ...(state.showsAtoms ? breakpoints(model) : [])];

      const at = mesh.locate([y])!;
      const value = (field: Float64Array) => at.nodes.reduce((sum, node, i) => sum + at.weights[i]! * field[node]!, 0);
      const places = nodes.map((t) => kernel.slicesAt([t])!);
      across.setTitle("Section G(·, y) at y = " + short(y));
      across.curves = [{ label: "learned", x: nodes, y: places.map((place) => value(kernel.slice(state.level, place))), colour: 1 }];
      if (difference) across.curves.push({ label: referenceLabel, x: nodes, y: places.map((place) => value(model.reference(place)!)), colour: 2, dashed: true });
      across.marks = [{ x: y, colour: 3, dashed: true }];
      const show = (panel: ImagePanel | undefined, field: Float64Array | undefined) => {
        if (!panel || !field) return;
        panel.cross = [x, y];
        panel.setRemark("at (" + short(x) + ", " + short(y) + "): " + precise(value(field)));
        panel.draw();
      };
      show(learned, slice.learned);
      show(difference, slice.difference);
      along.draw();
      across.draw();
    },
  };
}

/** Where the atoms of a slice in one dimension have their corners or centres. */
function breakpoints(model: Model): { x: number; colour: number }[] {
  const { mesh, kernel, state } = model;
  const node = mesh.nearest(state.x, (other) => kernel.hasSlice(other));
  return kernel
    .atoms(node)
    .slice(0, state.nAtoms)
    .map(({ kind, weights, bias }) => ({ x: kind < 10 ? -bias / weights[0]! : weights[0]!, colour: 4 }))
    .filter(({ x }) => x >= mesh.lower[0]! && x <= mesh.upper[0]!);
}
