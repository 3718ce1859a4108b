// Panels of fields for any dimension: what the views need of a plane or of a
// volume, in one form. (In one dimension fields are curves.)

import { precise, Scale } from "./colour";
import { Model } from "./model";
import { Panel } from "./panel";
import { Overlay, PlanePanel, ring } from "./plane_panel";
import { Cuts, VolumePanel, VolumeView } from "./volume_panel";

export interface FieldEvents {
  /** Somebody points at a place in the mesh. */
  point?: (x: number[], isFirst: boolean) => void;
  release?: () => void;
  key?: (event: KeyboardEvent) => boolean;
  /** Volumes: whether pointing is meant, and not turning. */
  points?: () => boolean;
  /** A volume was turned. */
  turned?: () => void;
}

export interface FieldPanel {
  panel: Panel;
  set(values: ArrayLike<number>, scale: Scale, label: string): void;
  /** Marks points: the source as a ring, sensors with numbers. */
  mark(points: number[][], numbered: boolean): void;
  overlay(draw: Overlay | undefined): void;
  showsMesh(value: boolean): void;
}

/** Makes the panels of a view. */
export class FieldPanels {
  private readonly cuts: Cuts;
  private readonly simplices: Uint32Array;
  private readonly view: VolumeView;

  constructor(private readonly model: Model) {
    this.cuts = new Cuts(model.mesh);
    this.simplices = model.mesh.dim === 3 ? model.mesh.simplices() : new Uint32Array(0);
    const { state } = model;
    this.view = {
      get azimuth() {
        return state.azimuth;
      },
      get elevation() {
        return state.elevation;
      },
      get planes() {
        return state.planes;
      },
      get level() {
        return state.isoLevel;
      },
    };
  }

  make(title: string, description: string, events: FieldEvents): FieldPanel {
    return this.model.mesh.dim === 3 ? this.volume(title, description, events) : this.plane(title, description, events);
  }

  private plane(title: string, description: string, events: FieldEvents): FieldPanel {
    const { model } = this;
    let values: ArrayLike<number> | undefined,
      marks: number[][] = [],
      isNumbered = false,
      extra: Overlay | undefined;
    const panel: PlanePanel = new PlanePanel(model.mesh, title, description, {
      point: events.point && ((px, py, isFirst) => events.point!(panel.pointAt(px, py), isFirst)),
      release: events.release,
      key: events.key,
      hover: (at) => {
        const x = at && panel.pointAt(...at);
        const value = x && values ? model.mesh.value(values, x) : NaN;
        panel.setRemark(x && Number.isFinite(value) ? readout(x, value) : "");
      },
    });
    panel.overlay = (c, place, unit) => {
      extra?.(c, place, unit);
      marks.forEach((x, i) => {
        if (isNumbered) numbered(c, place(x), i + 1);
        else ring(c, place(x), 7);
      });
    };
    return {
      panel,
      set: (next, scale, label) => {
        values = next;
        panel.setField(next, scale, label);
      },
      mark: (points, numbers) => {
        marks = points;
        isNumbered = numbers;
      },
      overlay: (draw) => (extra = draw),
      showsMesh: (value) => (panel.showsMesh = value),
    };
  }

  private volume(title: string, description: string, events: FieldEvents): FieldPanel {
    const { model } = this;
    let last: [number, number] | undefined,
      isPointing = false;
    const panel: VolumePanel = new VolumePanel(model.mesh, this.view, this.cuts, this.simplices, title, description, {
      point: (px, py, isFirst) => {
        if (isFirst) isPointing = events.points?.() ?? false;
        if (isPointing) {
          const x = panel.pointAt(px, py);
          if (x && model.mesh.locate(x)) events.point?.(x, isFirst);
          return;
        }
        if (!isFirst && last) {
          model.state.azimuth -= 0.01 * (px - last[0]);
          model.state.elevation = Math.max(-1.5, Math.min(1.5, model.state.elevation + 0.01 * (py - last[1])));
          events.turned?.();
        }
        last = [px, py];
      },
      release: () => {
        last = undefined;
        if (isPointing) events.release?.();
      },
      key: events.key,
    });
    return {
      panel,
      set: (values, scale, label) => panel.setField(values, scale, label),
      mark: (points) => (panel.marks = points),
      overlay: () => undefined,
      showsMesh: () => undefined,
    };
  }
}

/** "at (0.12, −0.3): 0.0123" */
export function readout(x: number[], value: number): string {
  return "at " + pointText(x) + ": " + precise(value);
}

export function pointText(x: number[]): string {
  return "(" + x.map((c) => (Math.abs(c) < 5e-4 ? "0" : c.toFixed(3)).replace("-", "−")).join(", ") + ")";
}

function numbered(c: CanvasRenderingContext2D, [x, y]: [number, number], n: number): void {
  c.beginPath();
  c.arc(x, y, 8.5, 0, 2 * Math.PI);
  c.fillStyle = "#ffffff";
  c.fill();
  c.lineWidth = 2;
  c.strokeStyle = "#000000";
  c.stroke();
  c.fillStyle = "#000000";
  c.font = "bold 11px system-ui, sans-serif";
  c.textAlign = "center";
  c.textBaseline = "middle";
  c.fillText(String(n), x, y + 0.5);
}
