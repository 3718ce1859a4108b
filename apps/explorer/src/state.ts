// What the page shows, and its form as the end of a link. Links come from
// anywhere: everything in them is checked, and what is wrong is left at its
// default.

import { Facts } from "./data";
import { Mesh } from "./mesh";

export type ViewName = "slice" | "solution" | "about";
export type Theme = "auto" | "light" | "dark";

/** A bump that was painted: amplitude exp(-|y - centre|^2 / (2 radius^2)). */
export interface Stamp {
  centre: number[];
  radius: number;
  amplitude: number;
}

export interface State {
  view: ViewName;
  theme: Theme;
  /** The source, and the place that keys move. */
  x: number[];
  /** Which of the kernel's levels. */
  level: number;
  showsMesh: boolean;
  showsAtoms: boolean;
  nAtoms: number;
  /** The forcing: a formula or a test sample, and what was painted on it. */
  formula: string;
  sample: number | undefined;
  stamps: Stamp[];
  radius: number;
  strength: number;
  sensors: number[][];
  /** Of volumes. */
  azimuth: number;
  elevation: number;
  planes: (number | undefined)[];
  isoLevel: number | undefined;
}

const mostStamps = 400;
const mostSensors = 30;

export function defaultState(facts: Facts, mesh: Mesh): State {
  const x = mesh.lower.map((l, d) => l + (d === 0 ? 0.62 : 0.56) * (mesh.upper[d]! - l));
  return {
    view: "slice",
    theme: "auto",
    x: mesh.locate(x) ? x : mesh.point(mesh.nearest(x, (node) => !mesh.isBoundary[node])),
    level: facts.levels.length - 1,
    showsMesh: false,
    showsAtoms: false,
    nAtoms: 12,
    formula: "1",
    sample: undefined,
    stamps: [],
    radius: 0.06 * mesh.extent,
    strength: 10,
    sensors: [],
    azimuth: -0.9,
    elevation: 0.45,
    planes: [undefined, undefined, 0.5],
    isoLevel: 0.2,
  };
}

const digits = (value: number) => String(Number(value.toPrecision(5)));

/** The state as the part of a link after "#". */
export function toHash(state: State, dim: number): string {
  const entries = new URLSearchParams();
  entries.set("view", state.view);
  if (state.theme !== "auto") entries.set("theme", state.theme);
  entries.set("x", state.x.map(digits).join(","));
  entries.set("level", String(state.level));
  if (state.showsMesh) entries.set("mesh", "1");
  if (state.showsAtoms) entries.set("atoms", String(state.nAtoms));
  if (state.sample !== undefined) entries.set("sample", String(state.sample));
  else entries.set("f", state.formula);
  if (state.stamps.length > 0)
    entries.set("paint", state.stamps.map((s) => [...s.centre, s.radius, s.amplitude].map(digits).join(",")).join(";"));
  if (state.sensors.length > 0) entries.set("sensors", state.sensors.map((p) => p.map(digits).join(",")).join(";"));
  if (dim === 3) {
    entries.set("turn", digits(state.azimuth) + "," + digits(state.elevation));
    entries.set("planes", state.planes.map((p) => (p === undefined ? "-" : digits(p))).join(","));
    entries.set("iso", state.isoLevel === undefined ? "-" : digits(state.isoLevel));
  }
  return entries.toString();
}

/** Takes over what a link says, as far as it makes sense. */
export function fromHash(hash: string, state: State, facts: Facts, mesh: Mesh): void {
  const entries = new URLSearchParams(hash.replace(/^#/, ""));
  const numbers = (text: string, n: number): number[] | undefined => {
    const values = text.split(",").map((part) => (part.trim() === "" ? NaN : Number(part)));
    return values.length === n && values.every((v) => Number.isFinite(v) && Math.abs(v) < 1e9) ? values : undefined;
  };
  const list = (name: string, n: number, most: number) =>
    (entries.get(name) ?? "")
      .split(";")
      .slice(0, most)
      .map((part) => numbers(part, n))
      .filter((part): part is number[] => part !== undefined);
  const one = (name: string, accepts: (value: number) => boolean): number | undefined => {
    const value = numbers(entries.get(name) ?? "", 1)?.[0];
    return value !== undefined && accepts(value) ? value : undefined;
  };
  const view = entries.get("view"),
    theme = entries.get("theme");
  if (view === "slice" || view === "solution" || view === "about") state.view = view;
  if (theme === "light" || theme === "dark") state.theme = theme;
  const x = numbers(entries.get("x") ?? "", mesh.dim);
  if (x && mesh.locate(x)) state.x = x;
  state.level = one("level", (v) => Number.isInteger(v) && v >= 0 && v < facts.levels.length) ?? state.level;
  state.showsMesh = entries.get("mesh") === "1";
  const nAtoms = one("atoms", (v) => Number.isInteger(v) && v >= 1 && v <= 100);
  state.showsAtoms = nAtoms !== undefined;
  state.nAtoms = nAtoms ?? state.nAtoms;
  state.sample = one("sample", (v) => facts.samples.includes(v));
  state.formula = (entries.get("f") ?? state.formula).slice(0, 1000);
  state.stamps = list("paint", mesh.dim + 2, mostStamps)
    .filter((v) => v[mesh.dim]! > 1e-6 * mesh.extent)
    .map((v) => ({ centre: v.slice(0, mesh.dim), radius: v[mesh.dim]!, amplitude: v[mesh.dim + 1]! }));
  state.sensors = list("sensors", mesh.dim, mostSensors).filter((p) => mesh.locate(p));
  if (mesh.dim !== 3) return;
  const turn = numbers(entries.get("turn") ?? "", 2);
  if (turn) [state.azimuth, state.elevation] = [turn[0]!, Math.max(-1.5, Math.min(1.5, turn[1]!))];
  const part = (text: string) => {
    const value = text === "-" ? undefined : Number(text);
    return value !== undefined && value >= 0 && value <= 1 ? value : undefined;
  };
  const planes = (entries.get("planes") ?? "").split(",");
  if (planes.length === 3) state.planes = planes.map(part);
  const iso = entries.get("iso");
  if (iso !== null) state.isoLevel = part(iso);
}
