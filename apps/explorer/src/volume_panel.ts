// A field in a volume: cutting planes and a surface of equal values, in a
// parallel projection that can be turned, drawn with a depth buffer.

import { Scale, colourOf } from "./colour";
import { Mesh, Place } from "./mesh";
import { Panel, PanelEvents } from "./panel";
import { themeColour } from "./ui";

/** What all volumes of a view share: how they are turned and cut. */
export interface VolumeView {
  azimuth: number;
  elevation: number;
  /** Where the planes are, per direction, from 0 to 1; none if undefined. */
  planes: (number | undefined)[];
  /** The value of the surface as a part of the largest; none if undefined. */
  level: number | undefined;
}

/** A plane as a grid of points with their places in the mesh. */
interface Cut {
  n: number;
  points: Float64Array;
  places: (Place | undefined)[];
}

const gridSize = 40;
const mostPixels = 420;

/** The planes of a mesh, which all its panels share. */
export class Cuts {
  private readonly known = new Map<string, Cut>();

  constructor(private readonly mesh: Mesh) {}

  at(direction: number, part: number): Cut {
    const key = direction + "@" + part.toFixed(4);
    let cut = this.known.get(key);
    if (!cut) {
      if (this.known.size > 60) this.known.clear();
      cut = this.make(direction, part);
      this.known.set(key, cut);
    }
    return cut;
  }

  private make(direction: number, part: number): Cut {
    const { lower, upper } = this.mesh;
    const n = gridSize + 1,
      points = new Float64Array(3 * n * n),
      places: (Place | undefined)[] = [];
    const [u, v] = [(direction + 1) % 3, (direction + 2) % 3];
    const at = (d: number, t: number) => lower[d]! + (1e-9 + t * (1 - 2e-9)) * (upper[d]! - lower[d]!);
    for (let j = 0, p = 0; j < n; ++j)
      for (let i = 0; i < n; ++i, p += 3) {
        const x = [0, 0, 0];
        x[direction] = at(direction, part);
        x[u] = at(u, i / gridSize);
        x[v] = at(v, j / gridSize);
        points.set(x, p);
        places.push(this.mesh.locate(x));
      }
    return { n, points, places };
  }
}

export class VolumePanel extends Panel {
  /** Points to be marked. */
  marks: number[][] = [];
  private values: ArrayLike<number> = [];
  private scale: Scale | undefined;
  private readonly simplices: Uint32Array;
  private readonly picture = document.createElement("canvas");
  private image = new ImageData(1, 1);
  private colours = new Uint32Array(1);
  private depth = new Float32Array(1);
  private basis: number[][] = [];
  private pixels = 1;

  constructor(
    private readonly mesh: Mesh,
    private readonly view: VolumeView,
    private readonly cuts: Cuts,
    simplices: Uint32Array,
    title: string,
    description: string,
    events: PanelEvents = {}
  ) {
    super(title, description, events);
    this.simplices = simplices;
  }

  setField(values: ArrayLike<number>, scale: Scale, label: string): void {
    this.values = values;
    this.scale = scale;
    this.setLegend(scale, label);
  }

  protected heightFor(width: number): number {
    return Math.min(width, 420);
  }

  /** The point on a plane or the surface under a pixel, if there is one. */
  pointAt(x: number, y: number): number[] | undefined {
    const factor = this.pixels / this.side;
    const i = Math.floor((x - (this.width - this.side) / 2) * factor),
      j = Math.floor(y * factor);
    if (i < 0 || j < 0 || i >= this.pixels || j >= this.pixels) return undefined;
    const depth = this.depth[j * this.pixels + i]!;
    if (depth === -Infinity) return undefined;
    const unit = this.unit;
    const a = (i + 0.5 - this.pixels / 2) / unit,
      b = (this.pixels / 2 - j - 0.5) / unit;
    return this.centre.map((c, d) => c + a * this.basis[0]![d]! + b * this.basis[1]![d]! + depth * this.basis[2]![d]!);
  }

  private get side(): number {
    return Math.min(this.width, this.plotHeight);
  }

  private get centre(): number[] {
    return this.mesh.lower.map((l, d) => (l + this.mesh.upper[d]!) / 2);
  }

  /** Pixels of the picture per unit of length. */
  private get unit(): number {
    const diagonal = Math.hypot(...this.mesh.upper.map((u, d) => u - this.mesh.lower[d]!));
    return (1.06 * this.pixels) / diagonal;
  }

  private project(x: ArrayLike<number>, offset = 0): [number, number, number] {
    const r = this.centre.map((c, d) => x[offset + d]! - c);
    const [a, b, c] = this.basis.map((e) => e[0]! * r[0]! + e[1]! * r[1]! + e[2]! * r[2]!) as [number, number, number];
    return [this.pixels / 2 + this.unit * a, this.pixels / 2 - this.unit * b, c];
  }

  protected paint(): void {
    const { azimuth: a, elevation: e } = this.view;
    this.basis = [
      [-Math.sin(a), Math.cos(a), 0],
      [-Math.sin(e) * Math.cos(a), -Math.sin(e) * Math.sin(a), Math.cos(e)],
      [Math.cos(e) * Math.cos(a), Math.cos(e) * Math.sin(a), Math.sin(e)],
    ];
    const pixels = Math.min(mostPixels, Math.round(this.side * 1.25));
    if (pixels !== this.pixels || this.image.width !== pixels) {
      this.pixels = pixels;
      this.image = new ImageData(pixels, pixels);
      this.colours = new Uint32Array(this.image.data.buffer);
      this.depth = new Float32Array(pixels * pixels);
      this.picture.width = this.picture.height = pixels;
    }
    this.colours.fill(0);
    this.depth.fill(-Infinity);
    if (this.scale) {
      this.view.planes.forEach((part, d) => {
        if (part !== undefined) this.paintPlane(this.cuts.at(d, part));
      });
      if (this.view.level !== undefined) this.paintSurface(this.view.level);
    }
    this.picture.getContext("2d")?.putImageData(this.image, 0, 0);
    const c = this.context,
      left = (this.width - this.side) / 2,
      factor = this.side / pixels;
    this.box(left, factor, true);
    c.drawImage(this.picture, left, 0, this.side, this.side);
    this.box(left, factor, false);
    for (const mark of this.marks) {
      const [x, y] = this.project(mark);
      for (const [width, style] of [
        [4, "#000"],
        [2, "#fff"],
      ] as const) {
        c.beginPath();
        c.arc(left + x * factor, y * factor, 6, 0, 2 * Math.PI);
        c.lineWidth = width;
        c.strokeStyle = style;
        c.stroke();
      }
    }
  }

  /** The edges of the box: those behind before, those in front after the rest. */
  private box(left: number, factor: number, behind: boolean): void {
    const { lower, upper } = this.mesh,
      c = this.context;
    const corner = (k: number) => [0, 1, 2].map((d) => (k & (1 << d) ? upper[d]! : lower[d]!));
    const at = (x: number[]): [number, number, number] => {
      const [px, py, depth] = this.project(x);
      return [left + px * factor, py * factor, depth];
    };
    const depths = Array.from({ length: 8 }, (_, k) => at(corner(k))[2]);
    const back = depths.indexOf(Math.min(...depths));
    c.strokeStyle = themeColour("muted");
    c.lineWidth = 1;
    c.setLineDash(behind ? [3, 3] : []);
    for (let k = 0; k < 8; ++k)
      for (let d = 0; d < 3; ++d) {
        const other = k | (1 << d);
        if (other === k || (k === back || other === back) !== behind) continue;
        const [x0, y0] = at(corner(k)),
          [x1, y1] = at(corner(other));
        c.beginPath();
        c.moveTo(x0, y0);
        c.lineTo(x1, y1);
        c.stroke();
      }
    c.setLineDash([]);
    if (behind) return;
    c.fillStyle = themeColour("text");
    c.font = "italic 13px system-ui, sans-serif";
    c.textAlign = "center";
    c.textBaseline = "middle";
    // Names at the outermost of each four edges.
    const [cx, cy] = at(this.centre);
    ["x", "y", "z"].forEach((name, d) => {
      const middles = [0, 1, 2, 3].map((k) => {
        const x = this.centre;
        x[(d + 1) % 3] = k & 1 ? upper[(d + 1) % 3]! : lower[(d + 1) % 3]!;
        x[(d + 2) % 3] = k & 2 ? upper[(d + 2) % 3]! : lower[(d + 2) % 3]!;
        return at(x);
      });
      const [x, y] = middles.reduce((a, b) => ((d < 2 ? b[1] > a[1] : b[0] < a[0]) ? b : a));
      const away = 13 / Math.hypot(x - cx, y - cy);
      c.fillText(name, x + away * (x - cx), y + away * (y - cy));
    });
  }

  private paintPlane(cut: Cut): void {
    const { n, points, places } = cut,
      scale = this.scale!;
    const shown: ([number, number, number, number] | undefined)[] = places.map((place, k) => {
      if (!place) return undefined;
      let value = 0;
      place.nodes.forEach((node, i) => (value += place.weights[i]! * this.values[node]!));
      return [...this.project(points, 3 * k), value];
    });
    for (let j = 0; j + 1 < n; ++j)
      for (let i = 0; i + 1 < n; ++i) {
        const [a, b, c, d] = [shown[j * n + i], shown[j * n + i + 1], shown[(j + 1) * n + i], shown[(j + 1) * n + i + 1]];
        if (a && b && c) this.triangle(a, b, c, (value) => colourOf(scale, value));
        if (b && c && d) this.triangle(b, d, c, (value) => colourOf(scale, value));
      }
  }

  /** The surface where the field is a part of its largest value. */
  private paintSurface(part: number): void {
    const scale = this.scale!,
      { points } = this.mesh;
    const signs = scale.least < 0 && scale.most > 0 ? [1, -1] : [Math.abs(scale.most) >= Math.abs(scale.least) ? 1 : -1];
    const most = Math.max(Math.abs(scale.least), Math.abs(scale.most));
    for (const sign of signs) {
      const level = sign * part * most,
        base = colourOf(scale, level);
      for (let s = 0; s < this.simplices.length; s += 4) this.cutSimplex(s, level, points, base);
    }
  }

  private cutSimplex(s: number, level: number, points: Float64Array, base: number): void {
    const above: number[] = [],
      below: number[] = [];
    for (let k = 0; k < 4; ++k) {
      const node = this.simplices[s + k]!;
      (this.values[node]! > level ? above : below).push(node);
    }
    if (above.length === 0 || below.length === 0) return;
    const corners: number[][] = [];
    // Four corners come in the order around the quadrilateral.
    above.forEach((a, i) =>
      (i % 2 === 0 ? below : below.slice().reverse()).forEach((b) => {
        const t = (level - this.values[b]!) / (this.values[a]! - this.values[b]!);
        corners.push([0, 1, 2].map((d) => points[3 * b + d]! + t * (points[3 * a + d]! - points[3 * b + d]!)));
      })
    );
    const [p, q, r] = corners as [number[], number[], number[]];
    const u = q.map((x, d) => x - p[d]!),
      v = r.map((x, d) => x - p[d]!);
    const normal = [u[1]! * v[2]! - u[2]! * v[1]!, u[2]! * v[0]! - u[0]! * v[2]!, u[0]! * v[1]! - u[1]! * v[0]!];
    const size = Math.hypot(...normal);
    if (size === 0) return;
    const light = [0, 1, 2].map((d) => 0.25 * this.basis[0]![d]! + 0.45 * this.basis[1]![d]! + 0.85 * this.basis[2]![d]!);
    const shade = 0.45 + 0.55 * Math.abs(normal.reduce((sum, x, d) => sum + x * light[d]!, 0) / size);
    const part = (shift: number) => Math.min(255, Math.round(((base >> shift) & 255) * shade)) << shift;
    const colour = ((255 << 24) | part(16) | part(8) | part(0)) >>> 0;
    const seen = corners.map((x) => [...this.project(x), 0] as [number, number, number, number]);
    for (let k = 1; k + 1 < seen.length; ++k) this.triangle(seen[0]!, seen[k]!, seen[k + 1]!, () => colour);
  }

  /** Fills a triangle of (x, y, depth, value) where nothing is before it. */
  private triangle(
    a: [number, number, number, number],
    b: [number, number, number, number],
    c: [number, number, number, number],
    colour: (value: number) => number
  ): void {
    const n = this.pixels;
    const det = (b[0] - a[0]) * (c[1] - a[1]) - (c[0] - a[0]) * (b[1] - a[1]);
    if (Math.abs(det) < 1e-9) return;
    const i0 = Math.max(0, Math.ceil(Math.min(a[0], b[0], c[0]) - 0.5)),
      i1 = Math.min(n - 1, Math.floor(Math.max(a[0], b[0], c[0]) - 0.5));
    const j0 = Math.max(0, Math.ceil(Math.min(a[1], b[1], c[1]) - 0.5)),
      j1 = Math.min(n - 1, Math.floor(Math.max(a[1], b[1], c[1]) - 0.5));
    for (let j = j0; j <= j1; ++j)
      for (let i = i0; i <= i1; ++i) {
        const x = i + 0.5 - a[0],
          y = j + 0.5 - a[1];
        const s = (x * (c[1] - a[1]) - y * (c[0] - a[0])) / det,
          t = (y * (b[0] - a[0]) - x * (b[1] - a[1])) / det;
        if (s < -1e-6 || t < -1e-6 || s + t > 1 + 1e-6) continue;
        const depth = a[2] + s * (b[2] - a[2]) + t * (c[2] - a[2]);
        const pixel = j * n + i;
        if (depth <= this.depth[pixel]!) continue;
        this.depth[pixel] = depth;
        this.colours[pixel] = colour(a[3] + s * (b[3] - a[3]) + t * (c[3] - a[3]));
      }
  }
}
