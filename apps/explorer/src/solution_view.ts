// The view of a forcing and its solutions: painting, and sensors.

import { css, Scale, scaleOf, short } from "./colour";
import { CurvePanel } from "./curve_panel";
import { FieldPanel, FieldPanels } from "./fields";
import { FormulaError } from "./formula";
import { Model, Solution } from "./model";
import { Overlay } from "./plane_panel";
import { moveByKey, View } from "./slice_view";

export interface SolutionView extends View {
  /** The last one that was computed. */
  solution: Solution | undefined;
  /** What is wrong with the forcing. */
  problem: string;
}

/** Paints a bump, unless it is next to the last one. */
export function paintAt(model: Model, x: number[], isFirst: boolean): boolean {
  const { state } = model;
  const last = state.stamps[state.stamps.length - 1];
  if (!isFirst && last && Math.hypot(...x.map((c, d) => c - last.centre[d]!)) < 0.6 * state.radius) return false;
  if (state.stamps.length >= 400) return false;
  state.stamps.push({ centre: x.map((c) => Number(c.toPrecision(5))), radius: state.radius, amplitude: state.strength });
  return true;
}

/** Puts down a sensor, or takes the one that is there to be moved. */
export class SensorHand {
  private held = -1;

  constructor(private readonly model: Model) {}

  point(x: number[], isFirst: boolean): void {
    const { sensors } = this.model.state;
    if (isFirst) {
      const reach = 0.03 * this.model.mesh.extent;
      this.held = sensors.findIndex((sensor) => Math.hypot(...sensor.map((c, d) => c - x[d]!)) < reach);
      if (this.held < 0 && sensors.length < 30) this.held = sensors.push(x) - 1;
    } else if (this.held >= 0) sensors[this.held] = x;
  }
}

export function makeSolutionView(model: Model, changed: () => void, points: () => boolean): SolutionView {
  return model.mesh.dim === 1 ? lineView(model, changed) : fieldView(model, changed, points);
}

/** What keys do: move the marked place, and act there by Enter. */
function keys(model: Model, changed: () => void, act: (x: number[]) => void) {
  return (event: KeyboardEvent): boolean => {
    if (event.key === "Enter" || event.key === " ") act(model.state.x.slice());
    else if (!moveByKey(model, event)) return false;
    changed();
    return true;
  };
}

/** Computes the solution; a formula that makes no sense leaves the last one. */
function compute(model: Model, view: SolutionView): Solution | undefined {
  try {
    view.solution = model.solution();
    view.problem = "";
  } catch (error) {
    if (!(error instanceof FormulaError)) throw error;
    view.problem = error.message;
  }
  return view.solution;
}

function fieldView(model: Model, changed: () => void, points: () => boolean): SolutionView {
  const { state, mesh } = model;
  const panels = new FieldPanels(model);
  const hand = new SensorHand(model);
  const paint = (x: number[], isFirst: boolean) => {
    if (mesh.locate(x) && paintAt(model, x, isFirst)) changed();
  };
  const sense = (x: number[], isFirst: boolean) => {
    if (!mesh.locate(x)) return;
    hand.point(x, isFirst);
    changed();
  };
  const forPainting = { point: paint, points, turned: changed, key: keys(model, changed, (x) => paintAt(model, x, true)) };
  const forSensing = { point: sense, points, turned: changed, key: keys(model, changed, (x) => sense(x, true)) };
  const forcing = panels.make("Forcing f", "Drag to paint; with keys: arrows move the mark, Enter paints.", forPainting);
  const learned = panels.make("Learned u", "Press to put down a sensor, drag one to move it.", forSensing);
  const all: FieldPanel[] = [forcing, learned];
  let finite: FieldPanel | undefined, error: FieldPanel | undefined;
  if (model.elements.canSolve) {
    finite = panels.make("Finite element u", "Solved in this page. Press to put down a sensor.", forSensing);
    error = panels.make("Error", "Learned minus finite elements.", forSensing);
    all.push(finite, error);
  }
  const view: SolutionView = {
    panels: all.map((field) => field.panel),
    solution: undefined,
    problem: "",
    update: () => {
      const solution = compute(model, view);
      if (!solution) return;
      forcing.set(solution.forcing, scaleOf([solution.forcing]), "f [1]");
      const scale = scaleOf(solution.finite ? [solution.finite] : [solution.learned]);
      learned.set(solution.learned, scale, "u [1]");
      learned.panel.setTitle("Learned u, " + model.nNeurons + " atoms");
      if (!model.kernel.isComplete) learned.overlay(dots(model, solution.learned, scale));
      if (solution.finite && solution.error) {
        finite!.set(solution.finite, scale, "u [1]");
        const errorScale = scaleOf([solution.error], "signed");
        error!.set(solution.error, errorScale, "Δu [1]");
        if (!model.kernel.isComplete) error!.overlay(dots(model, solution.error, errorScale));
        error!.panel.setTitle("Error" + (Number.isFinite(solution.relativeError) ? ", " + short(100 * solution.relativeError) + " % " + model.errorPlace : ""));
      }
      for (const field of all) {
        if (field !== forcing) field.mark(state.sensors, true);
        else field.mark(document.activeElement === field.panel.canvas ? [state.x] : [], false);
        field.showsMesh(state.showsMesh);
        field.panel.draw();
      }
    },
  };
  return view;
}

/** A kernel that was learned at a few nodes gives values there only. */
function dots(model: Model, field: Float64Array, scale: Scale): Overlay {
  return (c, place) => {
    for (const node of model.kernel.response) {
      c.beginPath();
      c.arc(...place(model.mesh.point(node)), 6, 0, 2 * Math.PI);
      c.fillStyle = css(scale, field[node]!);
      c.fill();
      c.lineWidth = 1.5;
      c.strokeStyle = "#000000";
      c.stroke();
    }
  };
}

function lineView(model: Model, changed: () => void): SolutionView {
  const { mesh, state } = model;
  const hand = new SensorHand(model);
  const inDomain = (x: number) => [Math.min(mesh.upper[0]!, Math.max(mesh.lower[0]!, x))];
  const forcing: CurvePanel = new CurvePanel(
    "Forcing f",
    "Drag to paint; with keys: arrows move the mark, Enter paints.",
    { xLabel: "x", yLabel: "f [1]", aspect: 0.66 },
    {
      point: (px, py, isFirst) => {
        if (paintAt(model, inDomain(forcing.pointAt(px, py)[0]), isFirst)) changed();
      },
      key: keys(model, changed, (x) => paintAt(model, x, true)),
    }
  );
  const sensing = (panel: () => CurvePanel) => ({
    point: (px: number, py: number, isFirst: boolean) => {
      hand.point(inDomain(panel().pointAt(px, py)[0]), isFirst);
      changed();
    },
    key: keys(model, changed, (x) => hand.point(x, true)),
  });
  const u: CurvePanel = new CurvePanel("Solution u", "Press to put down a sensor.", { xLabel: "x", yLabel: "u [1]", aspect: 0.66 }, sensing(() => u));
  const error: CurvePanel = new CurvePanel("Error", "Learned minus finite elements.", { xLabel: "x", yLabel: "Δu [1]", aspect: 0.66 }, sensing(() => error));
  const order = Array.from({ length: mesh.nNodes }, (_, i) => i).sort((a, b) => mesh.points[a]! - mesh.points[b]!);
  const x = order.map((node) => mesh.points[node]!);
  const sorted = (field: Float64Array) => order.map((node) => field[node]!);
  const view: SolutionView = {
    panels: model.elements.canSolve ? [forcing, u, error] : [forcing, u],
    solution: undefined,
    problem: "",
    update: () => {
      const solution = compute(model, view);
      if (!solution) return;
      forcing.curves = [{ label: "f", x, y: sorted(solution.forcing), colour: 1 }];
      forcing.marks = document.activeElement === forcing.canvas ? [{ x: state.x[0]!, colour: 3, dashed: true }] : [];
      const markers = !model.kernel.isComplete; // values at sensors only
      u.curves = [{ label: "learned, " + model.nNeurons + " atoms", x, y: sorted(solution.learned), colour: 1, markers }];
      if (solution.finite && solution.error) {
        u.curves.push({ label: "finite elements", x, y: sorted(solution.finite), colour: 2, dashed: true });
        error.curves = [{ label: "learned − finite elements", x, y: sorted(solution.error), colour: 3, markers }];
        error.setTitle("Error" + (Number.isFinite(solution.relativeError) ? ", " + short(100 * solution.relativeError) + " % " + model.errorPlace : ""));
      }
      u.marks = error.marks = state.sensors.map((sensor) => ({ x: sensor[0]!, colour: 4 }));
      for (const panel of view.panels) panel.draw();
    },
  };
  return view;
}
