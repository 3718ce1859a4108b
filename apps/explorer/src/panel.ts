// A panel: a canvas with a heading, a legend, and what the pointer and the
// keyboard do there. What is drawn is up to those who derive from it.

import { Scale, css, short, ticks } from "./colour";
import { element, themeColour } from "./ui";

export interface PanelEvents {
  /** The pointer is pressed or moved while pressed, in canvas pixels. */
  point?: (x: number, y: number, isFirst: boolean) => void;
  /** The pointer is released. */
  release?: () => void;
  /** The pointer moves without being pressed; undefined when it leaves. */
  hover?: (at: [number, number] | undefined) => void;
  /** A key; true if it was for us. */
  key?: (event: KeyboardEvent) => boolean;
}

const legendHeight = 40;

export abstract class Panel {
  readonly root: HTMLElement;
  readonly canvas: HTMLCanvasElement;
  protected readonly heading: HTMLElement;
  protected readonly remark: HTMLElement;
  protected context: CanvasRenderingContext2D;
  /** The size of the canvas in CSS pixels. */
  protected width = 0;
  protected height = 0;
  private legend: { scale: Scale; label: string } | undefined;

  constructor(title: string, description: string, events: PanelEvents = {}) {
    this.canvas = element("canvas", {
      tabindex: events.point || events.key ? 0 : undefined,
      role: events.point || events.key ? "application" : "img",
      "aria-label": title + ". " + description,
    });
    this.heading = element("h3", {}, title);
    this.remark = element("p", { class: "remark" }, "\u00a0");
    this.root = element("section", { class: "panel" }, this.heading, this.canvas, this.remark);
    const context = this.canvas.getContext("2d");
    if (!context) throw new Error("This browser cannot draw.");
    this.context = context;
    this.listen(events);
  }

  get title(): string {
    return this.heading.textContent ?? "";
  }

  get note(): string {
    return (this.remark.textContent ?? "").trim();
  }

  setTitle(title: string): void {
    this.heading.textContent = title;
  }

  setRemark(text: string): void {
    this.remark.textContent = text || "\u00a0";
  }

  setLegend(scale: Scale, label: string): void {
    this.legend = { scale, label };
  }

  /** How high the canvas is for a width. */
  protected abstract heightFor(width: number): number;

  /** Draws everything but the legend, which gets the rest of the canvas. */
  protected abstract paint(): void;

  /** The height that remains above the legend. */
  protected get plotHeight(): number {
    return this.height - (this.legend ? legendHeight : 0);
  }

  draw(): void {
    const width = Math.floor(this.canvas.clientWidth);
    if (width < 40) return;
    const density = Math.min(3, window.devicePixelRatio || 1);
    const height = Math.round(this.heightFor(width)) + (this.legend ? legendHeight : 0);
    if (width !== this.width || height !== this.height || this.canvas.width !== Math.round(width * density)) {
      this.width = width;
      this.height = height;
      this.canvas.width = Math.round(width * density);
      this.canvas.height = Math.round(height * density);
      this.canvas.style.height = height + "px";
    }
    this.context.setTransform(density, 0, 0, density, 0, 0);
    this.context.clearRect(0, 0, width, height);
    this.paint();
    if (this.legend) this.paintLegend(this.legend.scale, this.legend.label);
  }

  private paintLegend(scale: Scale, label: string): void {
    const c = this.context,
      left = 14,
      right = this.width - 14,
      top = this.plotHeight + 6;
    for (let x = left; x < right; ++x) {
      c.fillStyle = css(scale, scale.least + ((x - left) / (right - left)) * (scale.most - scale.least));
      c.fillRect(x, top, 1.5, 10);
    }
    c.strokeStyle = themeColour("line");
    c.lineWidth = 1;
    c.strokeRect(left, top, right - left, 10);
    c.fillStyle = themeColour("text");
    c.font = "11px system-ui, sans-serif";
    c.textAlign = "left";
    c.textBaseline = "top";
    const reserved = right - c.measureText(label).width - 10;
    c.textAlign = "center";
    let end = -Infinity;
    for (const value of ticks(scale.least, scale.most, 5)) {
      const x = left + ((value - scale.least) / (scale.most - scale.least)) * (right - left);
      const text = short(value),
        half = c.measureText(text).width / 2;
      c.fillRect(x - 0.5, top + 10, 1, 3);
      const at = Math.min(Math.max(x, half + 2), this.width - half - 2);
      if (at - half < end + 6 || at + half > reserved) continue;
      c.fillText(text, at, top + 15);
      end = at + half;
    }
    c.textAlign = "right";
    c.fillStyle = themeColour("muted");
    c.fillText(label, right, top + 15);
  }

  private listen(events: PanelEvents): void {
    const at = (event: PointerEvent): [number, number] => {
      const box = this.canvas.getBoundingClientRect();
      return [event.clientX - box.left, event.clientY - box.top];
    };
    let isPressed = false;
    const { point, release, hover, key } = events;
    if (point) {
      this.canvas.classList.add("touchable");
      this.canvas.addEventListener("pointerdown", (event) => {
        if (event.button !== 0) return;
        isPressed = true;
        this.canvas.setPointerCapture(event.pointerId);
        point(...at(event), true);
      });
      const end = () => {
        if (isPressed) release?.();
        isPressed = false;
      };
      this.canvas.addEventListener("pointerup", end);
      this.canvas.addEventListener("pointercancel", end);
    }
    this.canvas.addEventListener("pointermove", (event) => {
      if (isPressed) point?.(...at(event), false);
      hover?.(at(event));
    });
    this.canvas.addEventListener("pointerleave", () => hover?.(undefined));
    if (key)
      this.canvas.addEventListener("keydown", (event) => {
        if (key(event)) event.preventDefault();
      });
  }
}
