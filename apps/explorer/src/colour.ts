// From values to colours: maps that people with colour-blindness can read
// (viridis for amounts, blue-white-red for signed values), and the scales for
// legends.

/** 256 colours as packed little-endian RGBA. */
export type Lookup = Uint32Array;

const pack = (r: number, g: number, b: number) => ((255 << 24) | (Math.round(b) << 16) | (Math.round(g) << 8) | Math.round(r)) >>> 0;

/** Colours between given ones, which are equally far from each other. */
function between(colours: string[]): Lookup {
  const parts = colours.map((c) => [1, 3, 5].map((i) => parseInt(c.slice(i, i + 2), 16)));
  return Uint32Array.from({ length: 256 }, (_, i) => {
    const t = (i / 255) * (parts.length - 1),
      k = Math.min(parts.length - 2, Math.floor(t));
    const [r, g, b] = parts[k]!.map((value, c) => value + (t - k) * (parts[k + 1]![c]! - value));
    return pack(r!, g!, b!);
  });
}

export const sequential = between([
  "#440154", "#482475", "#414487", "#355f8d", "#2a788e", "#21918c", "#22a884", "#44bf70", "#7ad151", "#bddf26", "#fde725",
]);
export const diverging = between([
  "#053061", "#2166ac", "#4393c3", "#92c5de", "#d1e5f0", "#f7f7f7", "#fddbc7", "#f4a582", "#d6604d", "#b2182b", "#67001f",
]);

/** A range of values with the colours for it. */
export interface Scale {
  least: number;
  most: number;
  colours: Lookup;
}

/** A scale for some fields together: signed if both signs matter. */
export function scaleOf(fields: ArrayLike<number>[], kind: "auto" | "signed" = "auto"): Scale {
  let least = Infinity,
    most = -Infinity;
  for (const field of fields)
    for (let i = 0; i < field.length; ++i) {
      const value = field[i]!;
      if (value < least) least = value;
      if (value > most) most = value;
    }
  if (!(least <= most)) return { least: 0, most: 1, colours: sequential };
  const size = Math.max(Math.abs(least), Math.abs(most)) || 1;
  if (kind === "signed" || Math.min(-least, most) > 0.1 * size) return { least: -size, most: size, colours: diverging };
  if (most - least < 1e-12 * size) return least < 0 ? { least, most: 0, colours: sequential } : { least: 0, most: size, colours: sequential };
  return { least, most, colours: sequential };
}

export function colourOf(scale: Scale, value: number): number {
  const t = Math.round((255 * (value - scale.least)) / (scale.most - scale.least));
  return scale.colours[t < 0 ? 0 : t > 255 ? 255 : t]!;
}

/** The colour as CSS has it. */
export function css(scale: Scale, value: number): string {
  const c = colourOf(scale, value);
  return `rgb(${c & 255},${(c >> 8) & 255},${(c >> 16) & 255})`;
}

/** A number for people: three significant digits. */
export function short(value: number): string {
  if (!Number.isFinite(value)) return "–";
  if (value === 0) return "0";
  const size = Math.abs(value);
  const text = size >= 1e4 || size < 1e-3 ? value.toExponential(2).replace(/\.?0+e/, "e") : String(Number(value.toPrecision(3)));
  return text.replace("e+", "e").replace(/-/g, "−");
}

/** A number for people who want to know: four significant digits. */
export function precise(value: number): string {
  const size = Math.abs(value);
  return (size >= 1e5 || (size < 1e-3 && size > 0) ? value.toExponential(3) : value.toPrecision(4)).replace("e+", "e").replace(/-/g, "−");
}

/** Round numbers in a range, for axes and legends. */
export function ticks(least: number, most: number, about = 4): number[] {
  const raw = (most - least) / about;
  // Where a range is lost in rounding, counting would not end.
  if (!(raw > 1e-12 * Math.max(Math.abs(least), Math.abs(most))) || !Number.isFinite(raw)) return [];
  const power = Math.pow(10, Math.floor(Math.log10(raw)));
  const step = [1, 2, 5, 10].map((f) => f * power).find((s) => s >= raw * 0.999) ?? 10 * power;
  const result: number[] = [];
  for (let k = Math.ceil(least / step - 1e-9); k * step <= most + 1e-9 * step; ++k) result.push(k === 0 ? 0 : Number((k * step).toPrecision(12)));
  return result;
}
