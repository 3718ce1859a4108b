// What leaves the page: a picture of its panels, and a link with its state.

import { Panel } from "./panel";
import { themeColour } from "./ui";

const columnWidth = 520;
const headingHeight = 34;

/** All panels of a view in one picture, with title and headings. */
export function picture(title: string, panels: Panel[]): HTMLCanvasElement {
  const columns = Math.min(panels.length, panels.length === 4 ? 2 : 3);
  const sizes = panels.map((panel) => (columnWidth * panel.canvas.height) / Math.max(1, panel.canvas.width));
  const rows: number[] = [];
  sizes.forEach((height, i) => (rows[Math.floor(i / columns)] = Math.max(rows[Math.floor(i / columns)] ?? 0, height + headingHeight)));
  const canvas = document.createElement("canvas");
  canvas.width = columns * columnWidth + 20;
  canvas.height = 60 + rows.reduce((a, b) => a + b, 0);
  const c = canvas.getContext("2d")!;
  c.fillStyle = themeColour("card");
  c.fillRect(0, 0, canvas.width, canvas.height);
  c.fillStyle = themeColour("text");
  c.textBaseline = "middle";
  c.font = "bold 22px system-ui, sans-serif";
  c.fillText(title, 20, 30, canvas.width - 40);
  c.font = "17px system-ui, sans-serif";
  panels.forEach((panel, i) => {
    const row = Math.floor(i / columns),
      x = 10 + (i % columns) * columnWidth,
      y = 52 + rows.slice(0, row).reduce((a, b) => a + b, 0);
    c.fillText(panel.title, x + 10, y + headingHeight / 2, columnWidth - 20);
    c.drawImage(panel.canvas, x, y + headingHeight, columnWidth, sizes[i]!);
  });
  return canvas;
}

/** Lets the browser save a picture. */
export function save(canvas: HTMLCanvasElement, name: string): void {
  canvas.toBlob((blob) => {
    if (!blob) return;
    const url = URL.createObjectURL(blob);
    const link = document.createElement("a");
    link.href = url;
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(url), 10000);
  }, "image/png");
}
