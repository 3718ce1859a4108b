// A function of two variables on a grid as an image: kernels in one dimension.

import { Scale, colourOf, short, ticks } from "./colour";
import { Panel, PanelEvents } from "./panel";
import { themeColour } from "./ui";

export class ImagePanel extends Panel {
  /** The lines x = const and y = const. */
  cross: [number, number] | undefined;
  private readonly picture = document.createElement("canvas");

  /** Both axes have the range [least, most]. */
  constructor(
    private readonly least: number,
    private readonly most: number,
    title: string,
    description: string,
    events: PanelEvents = {}
  ) {
    super(title, description, events);
  }

  /** Values row by row, the first row for the least y. */
  setImage(values: Float64Array, n: number, scale: Scale, label: string): void {
    const image = new ImageData(n, n),
      colours = new Uint32Array(image.data.buffer);
    for (let j = 0; j < n; ++j) for (let i = 0; i < n; ++i) colours[(n - 1 - j) * n + i] = colourOf(scale, values[j * n + i]!);
    this.picture.width = this.picture.height = n;
    this.picture.getContext("2d")?.putImageData(image, 0, 0);
    this.setLegend(scale, label);
  }

  pointAt(px: number, py: number): [number, number] {
    const { left, top, side } = this.box();
    const size = this.most - this.least;
    const limit = (value: number) => Math.min(this.most, Math.max(this.least, value));
    return [limit(this.least + ((px - left) / side) * size), limit(this.most - ((py - top) / side) * size)];
  }

  protected heightFor(width: number): number {
    return Math.min(width - 50, 460) + 46;
  }

  private box(): { left: number; top: number; side: number } {
    const side = Math.min(this.width - 60, this.plotHeight - 50);
    return { left: (this.width - side) / 2 + 15, top: 6, side };
  }

  protected paint(): void {
    const c = this.context,
      { left, top, side } = this.box();
    const place = (value: number) => (side * (value - this.least)) / (this.most - this.least);
    c.imageSmoothingEnabled = true;
    c.drawImage(this.picture, left, top, side, side);
    c.strokeStyle = themeColour("line");
    c.lineWidth = 1;
    c.strokeRect(left, top, side, side);
    c.font = "11px system-ui, sans-serif";
    c.fillStyle = themeColour("muted");
    for (const value of ticks(this.least, this.most)) {
      c.textAlign = "center";
      c.textBaseline = "top";
      c.fillText(short(value), left + place(value), top + side + 5);
      c.textAlign = "right";
      c.textBaseline = "middle";
      c.fillText(short(value), left - 6, top + side - place(value));
    }
    c.fillStyle = themeColour("text");
    c.font = "italic 13px system-ui, sans-serif";
    c.textAlign = "center";
    c.textBaseline = "top";
    c.fillText("x", left + side / 2, top + side + 20);
    c.textAlign = "right";
    c.textBaseline = "middle";
    c.fillText("y", left - 32, top + side / 2);
    if (!this.cross) return;
    const [x, y] = this.cross;
    for (const [width, style] of [
      [4, "#000"],
      [2, "#fff"],
    ] as const) {
      c.strokeStyle = style;
      c.lineWidth = width;
      c.beginPath();
      c.moveTo(left + place(x), top);
      c.lineTo(left + place(x), top + side);
      c.moveTo(left, top + side - place(y));
      c.lineTo(left + side, top + side - place(y));
      c.stroke();
    }
  }
}
