// Curves in one pair of axes, linear or logarithmic.

import { short, ticks } from "./colour";
import { Panel, PanelEvents } from "./panel";
import { themeColour } from "./ui";

export interface Curve {
  label: string;
  x: ArrayLike<number>;
  y: ArrayLike<number | null>;
  /** Which of the theme's colours: 1, 2, 3, ... */
  colour: number;
  dashed?: boolean;
  markers?: boolean;
}

export interface CurveOptions {
  xLabel: string;
  yLabel: string;
  logX?: boolean;
  logY?: boolean;
  /** Height over width. */
  aspect?: number;
}

export class CurvePanel extends Panel {
  curves: Curve[] = [];
  /** Vertical lines, each with a colour of the theme. */
  marks: { x: number; colour: number; dashed?: boolean }[] = [];
  private limits = { x0: 0, x1: 1, y0: 0, y1: 1 };

  constructor(
    title: string,
    description: string,
    private readonly options: CurveOptions,
    events: PanelEvents = {}
  ) {
    super(title, description, events);
  }

  /** The point under a pixel of the canvas, for linear axes. */
  pointAt(px: number, py: number): [number, number] {
    const box = this.box();
    const { x0, x1, y0, y1 } = this.limits;
    return [x0 + ((px - box.left) / box.width) * (x1 - x0), y1 - ((py - box.top) / box.height) * (y1 - y0)];
  }

  protected heightFor(width: number): number {
    return Math.max(190, (this.options.aspect ?? 0.66) * width) + 18 * this.legendRows(width).length;
  }

  private legendRows(width: number): Curve[][] {
    const c = this.context,
      rows: Curve[][] = [];
    c.font = "12px system-ui, sans-serif";
    let used = Infinity;
    for (const curve of this.curves) {
      const needed = c.measureText(curve.label).width + 44;
      if (used + needed > width - 60) {
        rows.push([]);
        used = 0;
      }
      rows[rows.length - 1]!.push(curve);
      used += needed;
    }
    return rows;
  }

  private box(): { left: number; top: number; width: number; height: number } {
    const top = 8 + 18 * this.legendRows(this.width).length;
    return { left: 54, top, width: this.width - 66, height: this.plotHeight - top - 40 };
  }

  private measure(): void {
    const { logX, logY } = this.options;
    let [x0, x1, y0, y1] = [Infinity, -Infinity, Infinity, -Infinity];
    for (const curve of this.curves)
      for (let i = 0; i < curve.x.length; ++i) {
        const x = curve.x[i]!,
          y = curve.y[i];
        if (y === null || y === undefined || !Number.isFinite(y) || (logY && y <= 0) || (logX && x <= 0)) continue;
        x0 = Math.min(x0, x);
        x1 = Math.max(x1, x);
        y0 = Math.min(y0, y);
        y1 = Math.max(y1, y);
      }
    if (!(x0 <= x1)) [x0, x1, y0, y1] = logY ? [1, 10, 1e-3, 1] : [0, 1, 0, 1];
    if (logX && x0 === x1) x1 = 2 * x0;
    if (logY) [y0, y1] = [Math.pow(10, Math.floor(Math.log10(y0) + 1e-9)), Math.pow(10, Math.ceil(Math.log10(y1) - 1e-9))];
    else {
      const size = Math.max(Math.abs(y0), Math.abs(y1));
      const space = y1 - y0 > 1e-9 * size ? 0.06 * (y1 - y0) : size || 1;
      [y0, y1] = [y0 - space, y1 + space];
    }
    if (logY && y0 === y1) y0 /= 10;
    this.limits = { x0, x1, y0, y1 };
  }

  protected paint(): void {
    this.measure();
    const c = this.context,
      box = this.box();
    const { x0, x1, y0, y1 } = this.limits,
      { logX, logY } = this.options;
    const part = (value: number, a: number, b: number, log?: boolean) =>
      log ? Math.log(value / a) / Math.log(b / a) : (value - a) / (b - a);
    const px = (x: number) => box.left + box.width * part(x, x0, x1, logX),
      py = (y: number) => box.top + box.height * (1 - part(y, y0, y1, logY));
    this.paintAxes(box, px, py);
    c.save();
    c.beginPath();
    c.rect(box.left - 5, box.top - 5, box.width + 10, box.height + 10);
    c.clip();
    for (const mark of this.marks) {
      c.strokeStyle = themeColour("curve" + mark.colour);
      c.lineWidth = 1.5;
      c.setLineDash(mark.dashed ? [4, 4] : []);
      c.beginPath();
      c.moveTo(px(mark.x), box.top);
      c.lineTo(px(mark.x), box.top + box.height);
      c.stroke();
    }
    for (const curve of this.curves) this.paintCurve(curve, px, py);
    c.restore();
    this.legendRows(this.width).forEach((row, i) => {
      let x = box.left;
      for (const curve of row) {
        this.sample(curve, x, 10 + 18 * i);
        c.fillStyle = themeColour("text");
        c.textAlign = "left";
        c.textBaseline = "middle";
        c.fillText(curve.label, x + 28, 10 + 18 * i);
        x += c.measureText(curve.label).width + 44;
      }
    });
  }

  private style(curve: Curve): void {
    this.context.strokeStyle = this.context.fillStyle = themeColour("curve" + curve.colour);
    this.context.lineWidth = curve.dashed ? 1.6 : 2;
    this.context.setLineDash(curve.dashed ? [6, 4] : []);
  }

  private sample(curve: Curve, x: number, y: number): void {
    const c = this.context;
    this.style(curve);
    c.beginPath();
    c.moveTo(x, y);
    c.lineTo(x + 22, y);
    c.stroke();
    c.setLineDash([]);
  }

  private paintCurve(curve: Curve, px: (x: number) => number, py: (y: number) => number): void {
    const c = this.context;
    this.style(curve);
    c.lineJoin = "round";
    c.beginPath();
    let isDown = false;
    const known: [number, number][] = [];
    for (let i = 0; i < curve.x.length; ++i) {
      const y = curve.y[i];
      if (y === null || y === undefined || !Number.isFinite(y) || (this.options.logY && y <= 0)) {
        // Errors are known at some numbers only, and joined by lines.
        if (!curve.markers) isDown = false;
        continue;
      }
      const at: [number, number] = [px(curve.x[i]!), py(y)];
      if (isDown) c.lineTo(...at);
      else c.moveTo(...at);
      isDown = true;
      known.push(at);
    }
    c.stroke();
    c.setLineDash([]);
    if (curve.markers && known.length < 40)
      for (const [x, y] of known) {
        c.beginPath();
        c.arc(x, y, 3, 0, 2 * Math.PI);
        c.fill();
      }
  }

  private paintAxes(box: { left: number; top: number; width: number; height: number }, px: (x: number) => number, py: (y: number) => number): void {
    const c = this.context;
    const { x0, x1, y0, y1 } = this.limits,
      { logX, logY, xLabel, yLabel } = this.options;
    const marks = (a: number, b: number, log: boolean | undefined, about: number) => {
      if (!log) return ticks(a, b, about);
      const result: number[] = [],
        first = Math.ceil(Math.log10(a) - 1e-9),
        last = Math.floor(Math.log10(b) + 1e-9);
      const step = Math.max(1, Math.ceil((last - first) / 7));
      for (let p = first; p <= last; p += step) result.push(Math.pow(10, p));
      return result.length > 1 ? result : ticks(a, b, about);
    };
    c.font = "11px system-ui, sans-serif";
    c.lineWidth = 1;
    c.strokeStyle = themeColour("grid");
    c.fillStyle = themeColour("muted");
    c.textAlign = "center";
    c.textBaseline = "top";
    for (const x of marks(x0, x1, logX, this.width / 90)) {
      c.beginPath();
      c.moveTo(px(x), box.top);
      c.lineTo(px(x), box.top + box.height);
      c.stroke();
      c.fillText(short(x), px(x), box.top + box.height + 5);
    }
    c.textAlign = "right";
    c.textBaseline = "middle";
    for (const y of marks(y0, y1, logY, box.height / 45)) {
      c.beginPath();
      c.moveTo(box.left, py(y));
      c.lineTo(box.left + box.width, py(y));
      c.stroke();
      c.fillText(logY ? power(y) : short(y), box.left - 6, py(y));
    }
    c.strokeStyle = themeColour("line");
    c.strokeRect(box.left, box.top, box.width, box.height);
    c.textAlign = "center";
    c.textBaseline = "bottom";
    c.fillStyle = themeColour("text");
    c.font = "12px system-ui, sans-serif";
    c.fillText(xLabel, box.left + box.width / 2, this.plotHeight - 4);
    c.save();
    c.translate(13, box.top + box.height / 2);
    c.rotate(-Math.PI / 2);
    c.fillText(yLabel, 0, 4);
    c.restore();
  }
}

const raised = "⁰¹²³⁴⁵⁶⁷⁸⁹";

/** A power of ten with a raised exponent; other numbers as they are. */
function power(value: number): string {
  const exponent = Math.log10(value);
  if (Math.abs(exponent - Math.round(exponent)) > 1e-6) return short(value);
  const digits = String(Math.abs(Math.round(exponent)));
  return "10" + (exponent < -0.5 ? "⁻" : "") + Array.from(digits, (d) => raised[Number(d)]).join("");
}
