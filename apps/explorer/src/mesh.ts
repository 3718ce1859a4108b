// The mesh of the kernel: where points are in it, and what its cells look like
// when they are drawn.

import { PageData } from "./data";

/** Nodes with weights that say how values at a point follow from theirs. */
export interface Place {
  nodes: number[];
  weights: number[];
}

/** How a cell is cut into simplices, by the numbers of its vertices. */
const cuts: Record<string, number[][]> = {
  line: [[0, 1]],
  triangle: [[0, 1, 2]],
  quadrilateral: [
    [0, 1, 2],
    [0, 2, 3],
  ],
  tetrahedron: [[0, 1, 2, 3]],
  hexahedron: [
    [0, 1, 2, 6],
    [0, 2, 3, 6],
    [0, 3, 7, 6],
    [0, 7, 4, 6],
    [0, 4, 5, 6],
    [0, 5, 1, 6],
  ],
};

/** The corners of the reference square or cube in VTK's order. */
const corners = [
  [0, 0, 0],
  [1, 0, 0],
  [1, 1, 0],
  [0, 1, 0],
  [0, 0, 1],
  [1, 0, 1],
  [1, 1, 1],
  [0, 1, 1],
];

const edges: Record<string, number[][]> = {
  line: [[0, 1]],
  triangle: [[0, 1], [1, 2], [2, 0]],
  quadrilateral: [[0, 1], [1, 2], [2, 3], [3, 0]],
  tetrahedron: [[0, 1], [1, 2], [2, 0], [0, 3], [1, 3], [2, 3]],
  hexahedron: [[0, 1], [1, 2], [2, 3], [3, 0], [4, 5], [5, 6], [6, 7], [7, 4], [0, 4], [1, 5], [2, 6], [3, 7]],
};

const inside = -1e-9;

export class Mesh {
  readonly dim: number;
  readonly points: Float64Array;
  readonly cells: Uint32Array;
  readonly boundary: Uint32Array;
  readonly cellType: string;
  readonly nVertices: number;
  readonly nNodes: number;
  readonly nCells: number;
  readonly isBoundary: Uint8Array;
  readonly lower: number[];
  readonly upper: number[];
  /** The boxes around the cells: least and most in each direction. */
  private readonly boxes: Float64Array;
  private readonly bins: number[][] = [];
  private readonly nBins: number[] = [];

  constructor(data: PageData) {
    this.dim = data.facts.dim;
    this.cellType = data.facts.cellType;
    this.nVertices = data.facts.cellVertices;
    this.points = data.array("points") as Float64Array;
    this.cells = data.array("cells") as Uint32Array;
    this.boundary = data.array("boundary") as Uint32Array;
    this.nNodes = this.points.length / this.dim;
    this.nCells = this.cells.length / this.nVertices;
    this.isBoundary = new Uint8Array(this.nNodes);
    for (const node of this.boundary) this.isBoundary[node] = 1;
    this.lower = new Array<number>(this.dim).fill(Infinity);
    this.upper = new Array<number>(this.dim).fill(-Infinity);
    for (let i = 0; i < this.points.length; ++i) {
      const d = i % this.dim;
      this.lower[d] = Math.min(this.lower[d]!, this.points[i]!);
      this.upper[d] = Math.max(this.upper[d]!, this.points[i]!);
    }
    this.boxes = this.makeBoxes();
    this.fillBins();
  }

  point(node: number): number[] {
    return Array.from(this.points.subarray(node * this.dim, (node + 1) * this.dim));
  }

  /** The longest side of the box around the mesh. */
  get extent(): number {
    return Math.max(...this.upper.map((u, d) => u - this.lower[d]!));
  }

  /** About the distance of neighbouring nodes. */
  get width(): number {
    const measure = this.upper.reduce((product, u, d) => product * (u - this.lower[d]!), 1);
    return Math.pow(measure / this.nNodes, 1 / this.dim);
  }

  vertices(cell: number): number[] {
    return Array.from(this.cells.subarray(cell * this.nVertices, (cell + 1) * this.nVertices));
  }

  /** Pairs of nodes, each edge once. */
  edges(): [number, number][] {
    const seen = new Set<number>(),
      result: [number, number][] = [];
    for (let cell = 0; cell < this.nCells; ++cell) {
      const v = this.vertices(cell);
      for (const [i, j] of edges[this.cellType]!) {
        const a = Math.min(v[i!]!, v[j!]!),
          b = Math.max(v[i!]!, v[j!]!);
        const key = a * this.nNodes + b;
        if (!seen.has(key)) {
          seen.add(key);
          result.push([a, b]);
        }
      }
    }
    return result;
  }

  /** The edges of a plane mesh that belong to one cell only. */
  outline(): [number, number][] {
    const count = new Map<number, number>();
    for (let cell = 0; cell < this.nCells; ++cell) {
      const v = this.vertices(cell);
      for (const [i, j] of edges[this.cellType]!) {
        const key = Math.min(v[i!]!, v[j!]!) * this.nNodes + Math.max(v[i!]!, v[j!]!);
        count.set(key, (count.get(key) ?? 0) + 1);
      }
    }
    const result: [number, number][] = [];
    for (const [key, n] of count) if (n === 1) result.push([Math.floor(key / this.nNodes), key % this.nNodes]);
    return result;
  }

  /** All cells cut into simplices: dim + 1 nodes each. */
  simplices(): Uint32Array {
    const cut = cuts[this.cellType]!;
    const result: number[] = [];
    for (let cell = 0; cell < this.nCells; ++cell) {
      const v = this.vertices(cell);
      for (const simplex of cut) for (const i of simplex) result.push(v[i]!);
    }
    return Uint32Array.from(result);
  }

  /** Where a point is, or undefined outside of the mesh. */
  locate(x: number[]): Place | undefined {
    for (const cell of this.bins[this.binOf(x)] ?? []) {
      if (!this.isInBox(cell, x)) continue;
      const weights = this.weightsInCell(cell, x);
      if (weights) return { nodes: this.vertices(cell), weights };
    }
    return undefined;
  }

  /** The value at a point of a function with these nodal values, or NaN. */
  value(values: ArrayLike<number>, x: number[]): number {
    const place = this.locate(x);
    return place ? place.nodes.reduce((sum, node, i) => sum + place.weights[i]! * values[node]!, 0) : NaN;
  }

  /** The node next to a point, of those that are accepted. */
  nearest(x: number[], accepts: (node: number) => boolean = () => true): number {
    let best = -1,
      least = Infinity;
    for (let node = 0; node < this.nNodes; ++node) {
      let square = 0;
      for (let d = 0; d < this.dim; ++d) square += (this.points[node * this.dim + d]! - x[d]!) ** 2;
      if (square < least && accepts(node)) {
        least = square;
        best = node;
      }
    }
    return best;
  }

  private binOf(x: number[]): number {
    let bin = 0;
    for (let d = this.dim - 1; d >= 0; --d) {
      const n = this.nBins[d]!,
        h = (this.upper[d]! - this.lower[d]!) / n;
      bin = bin * n + Math.min(n - 1, Math.max(0, Math.floor((x[d]! - this.lower[d]!) / h)));
    }
    return bin;
  }

  private makeBoxes(): Float64Array {
    const { dim } = this,
      boxes = new Float64Array(2 * dim * this.nCells),
      eps = 1e-9 * this.extent;
    for (let cell = 0; cell < this.nCells; ++cell)
      for (let d = 0; d < dim; ++d) {
        const coordinates = this.vertices(cell).map((node) => this.points[node * dim + d]!);
        boxes[2 * (cell * dim + d)] = Math.min(...coordinates) - eps;
        boxes[2 * (cell * dim + d) + 1] = Math.max(...coordinates) + eps;
      }
    return boxes;
  }

  private isInBox(cell: number, x: number[]): boolean {
    for (let d = 0, at = 2 * cell * this.dim; d < this.dim; ++d, at += 2)
      if (x[d]! < this.boxes[at]! || x[d]! > this.boxes[at + 1]!) return false;
    return true;
  }

  private fillBins(): void {
    const n = Math.max(1, Math.round(Math.pow(this.nCells, 1 / this.dim)));
    for (let d = 0; d < this.dim; ++d) this.nBins.push(n);
    for (let cell = 0; cell < this.nCells; ++cell) {
      const range = this.nBins.map((count, d) => {
        const h = (this.upper[d]! - this.lower[d]!) / count;
        const number = (c: number) => Math.min(count - 1, Math.max(0, Math.floor((c - this.lower[d]!) / h)));
        return [0, 1].map((side) => number(this.boxes[2 * (cell * this.dim + d) + side]!));
      });
      const [rx, ry, rz] = [range[0]!, range[1] ?? [0, 0], range[2] ?? [0, 0]];
      for (let k = rz[0]!; k <= rz[1]!; ++k)
        for (let j = ry[0]!; j <= ry[1]!; ++j)
          for (let i = rx[0]!; i <= rx[1]!; ++i) (this.bins[(k * n + j) * n + i] ??= []).push(cell);
    }
  }

  private weightsInCell(cell: number, x: number[]): number[] | undefined {
    const v = this.vertices(cell);
    if (this.nVertices > this.dim + 1) return this.weightsInBox(v, x);
    const weights = this.barycentric(v, x);
    return weights.every((w) => w >= inside) ? weights : undefined;
  }

  private barycentric(v: number[], x: number[]): number[] {
    const p = this.points,
      dim = this.dim,
      origin = v[0]! * dim;
    const matrix: number[][] = [],
      right: number[] = [];
    for (let d = 0; d < dim; ++d) {
      matrix.push(v.slice(1).map((node) => p[node * dim + d]! - p[origin + d]!));
      right.push(x[d]! - p[origin + d]!);
    }
    const rest = solveSmall(matrix, right);
    return [1 - rest.reduce((a, b) => a + b, 0), ...rest];
  }

  /** The shape functions of a cell at reference coordinates. */
  shapes(xi: number[]): number[] {
    if (this.nVertices === this.dim + 1) return [1 - xi.reduce((a, b) => a + b, 0), ...xi];
    return corners.slice(0, this.nVertices).map((corner) => xi.reduce((a, t, d) => a * (corner[d]! ? t : 1 - t), 1));
  }

  /** Where reference coordinates are, and the derivatives of this place. */
  mapped(v: number[], xi: number[]): { x: number[]; jacobian: number[][] } {
    const { dim, points } = this;
    const sum = (shapes: number[], d: number) => shapes.reduce((total, shape, i) => total + shape * points[v[i]! * dim + d]!, 0);
    const slopes = xi.map((_, e) => this.slopes(xi, e)),
      shapes = this.shapes(xi);
    return { x: xi.map((_, d) => sum(shapes, d)), jacobian: xi.map((_, d) => slopes.map((slope) => sum(slope, d))) };
  }

  /** The derivatives of the shape functions in one reference coordinate. */
  private slopes(xi: number[], e: number): number[] {
    if (this.nVertices === this.dim + 1) return [-1, ...xi.map((_, d) => (d === e ? 1 : 0))];
    return corners
      .slice(0, this.nVertices)
      .map((corner) => xi.reduce((a, t, d) => a * (d === e ? (corner[d]! ? 1 : -1) : corner[d]! ? t : 1 - t), 1));
  }

  /** Newton's method for the reference coordinates in a square or a cube. */
  private weightsInBox(v: number[], x: number[]): number[] | undefined {
    const dim = this.dim;
    const xi = new Array<number>(dim).fill(0.5);
    for (let step = 0; step < 20; ++step) {
      const { x: at, jacobian } = this.mapped(v, xi);
      const update = solveSmall(jacobian, at.map((c, d) => x[d]! - c));
      for (let d = 0; d < dim; ++d) xi[d]! += update[d]!;
      if (!xi.every(Number.isFinite) || xi.some((t) => Math.abs(t) > 20)) return undefined;
      if (Math.max(...update.map(Math.abs)) < 1e-12) break;
    }
    if (xi.some((t) => t < inside || t > 1 - inside)) return undefined;
    return this.shapes(xi);
  }
}

/** The determinant of a matrix with at most three rows. */
export function determinant(m: number[][]): number {
  if (m.length === 1) return m[0]![0]!;
  if (m.length === 2) return m[0]![0]! * m[1]![1]! - m[0]![1]! * m[1]![0]!;
  return (
    m[0]![0]! * (m[1]![1]! * m[2]![2]! - m[1]![2]! * m[2]![1]!) -
    m[0]![1]! * (m[1]![0]! * m[2]![2]! - m[1]![2]! * m[2]![0]!) +
    m[0]![2]! * (m[1]![0]! * m[2]![1]! - m[1]![1]! * m[2]![0]!)
  );
}

/** Solves a system with at most three unknowns by Cramer's rule. */
function solveSmall(a: number[][], b: number[]): number[] {
  const whole = determinant(a);
  return b.map((_, k) => determinant(a.map((row, i) => row.map((value, j) => (j === k ? b[i]! : value)))) / whole);
}
