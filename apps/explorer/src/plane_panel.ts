// A field on a mesh in the plane: every pixel gets the value that the finite
// element function has there.

import { Scale, colourOf } from "./colour";
import { Mesh } from "./mesh";
import { Panel, PanelEvents } from "./panel";
import { themeColour } from "./ui";

/** More pixels than this in a row cost time and show nothing. */
const mostPixels = 520;

const margin = 10;

/** For each pixel inside of the mesh the nodes and weights of its value. */
class Raster {
  readonly pixels: Int32Array;
  readonly nodes: Uint32Array;
  readonly weights: Float32Array;
  readonly image: ImageData;
  readonly colours: Uint32Array;

  constructor(
    mesh: Mesh,
    readonly width: number,
    readonly height: number
  ) {
    const perPixel = mesh.nVertices;
    const pixels: number[] = [],
      nodes: number[] = [],
      weights: number[] = [];
    const [x0, y0] = mesh.lower as [number, number],
      [x1, y1] = mesh.upper as [number, number];
    for (let j = 0; j < height; ++j)
      for (let i = 0; i < width; ++i) {
        const place = mesh.locate([x0 + ((i + 0.5) / width) * (x1 - x0), y1 - ((j + 0.5) / height) * (y1 - y0)]);
        if (!place) continue;
        pixels.push(j * width + i);
        for (let k = 0; k < perPixel; ++k) {
          nodes.push(place.nodes[k]!);
          weights.push(place.weights[k]!);
        }
      }
    this.pixels = Int32Array.from(pixels);
    this.nodes = Uint32Array.from(nodes);
    this.weights = Float32Array.from(weights);
    this.image = new ImageData(width, height);
    this.colours = new Uint32Array(this.image.data.buffer);
  }

  paint(values: ArrayLike<number>, scale: Scale): void {
    const { pixels, nodes, weights, colours } = this;
    const perPixel = nodes.length / pixels.length;
    for (let p = 0, at = 0; p < pixels.length; ++p) {
      let value = 0;
      for (let k = 0; k < perPixel; ++k, ++at) value += weights[at]! * values[nodes[at]!]!;
      colours[pixels[p]!] = value === value ? colourOf(scale, value) : 0;
    }
  }
}

export type Overlay = (context: CanvasRenderingContext2D, place: (x: ArrayLike<number>) => [number, number], scale: number) => void;

export class PlanePanel extends Panel {
  showsMesh = false;
  /** What is drawn on the field. */
  overlay: Overlay | undefined;
  private static rasters = new Map<string, Raster>();
  private static edges: [number, number][] | undefined;
  private static outline: [number, number][] | undefined;
  private values: ArrayLike<number> | undefined;
  private scale: Scale | undefined;
  private readonly picture = document.createElement("canvas");

  constructor(
    private readonly mesh: Mesh,
    title: string,
    description: string,
    events: PanelEvents = {}
  ) {
    super(title, description, events);
  }

  setField(values: ArrayLike<number>, scale: Scale, label: string): void {
    this.values = values;
    this.scale = scale;
    this.setLegend(scale, label);
  }

  /** The point of the plane under a pixel of the canvas. */
  pointAt(x: number, y: number): [number, number] {
    const size = this.size();
    return [this.mesh.lower[0]! + (x - size.left) / size.unit, this.mesh.upper[1]! - (y - size.top) / size.unit];
  }

  protected heightFor(width: number): number {
    const [w, h] = this.mesh.upper.map((u, d) => u - this.mesh.lower[d]!) as [number, number];
    return Math.min(1.4 * width, ((width - 2 * margin) * h) / w + 2 * margin);
  }

  private size(): { unit: number; left: number; top: number; width: number; height: number } {
    const [w, h] = this.mesh.upper.map((u, d) => u - this.mesh.lower[d]!) as [number, number];
    const unit = Math.min((this.width - 2 * margin) / w, (this.plotHeight - 2 * margin) / h);
    return { unit, width: w * unit, height: h * unit, left: (this.width - w * unit) / 2, top: margin };
  }

  protected paint(): void {
    const size = this.size();
    const factor = Math.min(1.5, mostPixels / Math.max(size.width, size.height));
    const width = Math.max(1, Math.round(size.width * factor)),
      height = Math.max(1, Math.round(size.height * factor));
    const place = (x: ArrayLike<number>): [number, number] => [
      size.left + (x[0]! - this.mesh.lower[0]!) * size.unit,
      size.top + (this.mesh.upper[1]! - x[1]!) * size.unit,
    ];
    if (this.values && this.scale) {
      const raster = this.raster(width, height);
      raster.paint(this.values, this.scale);
      if (this.picture.width !== width || this.picture.height !== height) {
        this.picture.width = width;
        this.picture.height = height;
      }
      this.picture.getContext("2d")?.putImageData(raster.image, 0, 0);
      this.context.imageSmoothingEnabled = true;
      this.context.drawImage(this.picture, size.left, size.top, size.width, size.height);
    }
    if (this.showsMesh) this.lines((PlanePanel.edges ??= this.mesh.edges()), place, themeColour("mesh"), 0.6);
    this.lines((PlanePanel.outline ??= this.mesh.outline()), place, themeColour("outline"), 1.6);
    this.overlay?.(this.context, place, size.unit);
  }

  private raster(width: number, height: number): Raster {
    const key = width + "x" + height;
    let raster = PlanePanel.rasters.get(key);
    if (!raster) {
      if (PlanePanel.rasters.size > 6) PlanePanel.rasters.clear();
      raster = new Raster(this.mesh, width, height);
      PlanePanel.rasters.set(key, raster);
    }
    return raster;
  }

  private lines(pairs: [number, number][], place: (x: ArrayLike<number>) => [number, number], colour: string, width: number): void {
    const c = this.context,
      p = this.mesh.points;
    c.strokeStyle = colour;
    c.lineWidth = width;
    c.lineCap = "round";
    c.beginPath();
    for (const [a, b] of pairs) {
      c.moveTo(...place([p[2 * a]!, p[2 * a + 1]!]));
      c.lineTo(...place([p[2 * b]!, p[2 * b + 1]!]));
    }
    c.stroke();
  }
}

/** A ring that is visible on every colour. */
export function ring(c: CanvasRenderingContext2D, [x, y]: [number, number], radius: number, colour = "#ffffff"): void {
  for (const [width, style] of [
    [4, "#000000"],
    [2, colour],
  ] as const) {
    c.beginPath();
    c.arc(x, y, radius, 0, 2 * Math.PI);
    c.lineWidth = width;
    c.strokeStyle = style;
    c.stroke();
  }
}
