// The two ways from a forcing to its solution: the learned kernel and the finite
// elements it was learned from.

import { PageData } from "./data";
import { determinant, Mesh, Place } from "./mesh";
import { BandSolver, SparseMatrix } from "./sparse";

/** How many values make one between the slices of a large kernel. */
const nNeighbours = 8;

/** A level of the kernel: values and integrals of its slices. */
interface Tables {
  values: Float32Array;
  rows: Float32Array;
}

/** An atom of a slice, as a function of y. */
export interface Atom {
  kind: number;
  /** A ridge: the vector w. A radial atom: its centre. */
  weights: number[];
  bias: number;
  coefficient: number;
}

export class LearnedKernel {
  readonly levels: number[];
  readonly response: Uint32Array;
  /** Whether slices are missing that the kernel has. */
  readonly isThinned: boolean;
  /** Whether the kernel was learned everywhere, and not at sensors only. */
  readonly isComplete: boolean;
  private readonly tables: (Tables | undefined)[];
  private readonly sliceOfNode: Int32Array;
  private filling: Place[] | undefined;
  private exact: Float32Array | undefined;

  constructor(
    private readonly data: PageData,
    private readonly mesh: Mesh
  ) {
    this.levels = data.facts.levels;
    this.response = data.array("response") as Uint32Array;
    this.isThinned = this.response.length < data.facts.slices;
    this.isComplete = data.facts.isComplete;
    this.tables = this.levels.map(() => undefined);
    this.sliceOfNode = new Int32Array(mesh.nNodes).fill(-1);
    this.response.forEach((node, s) => (this.sliceOfNode[node] = s));
  }

  hasSlice(node: number): boolean {
    return this.sliceOfNode[node]! >= 0;
  }

  /** Whether x can be anywhere, or at the nodes of the slices only. */
  get canInterpolate(): boolean {
    return this.isComplete && !this.isThinned;
  }

  /** The slices that make up the kernel at x; undefined outside. */
  slicesAt(x: number[]): Place | undefined {
    const place = this.mesh.locate(x);
    if (!place) return undefined;
    if (this.canInterpolate) return place;
    return { nodes: [this.mesh.nearest(x, (node) => this.hasSlice(node))], weights: [1] };
  }

  /** The nodal values of G(x, .). */
  slice(level: number, place: Place): Float64Array {
    return this.combine(this.table(level).values, place);
  }

  private combine(values: Float32Array, place: Place): Float64Array {
    const m = this.mesh.nNodes;
    const result = new Float64Array(m);
    place.nodes.forEach((node, i) => {
      const s = this.sliceOfNode[node]!,
        weight = place.weights[i]!;
      if (s < 0) return; // zero at the boundary
      for (let k = 0; k < m; ++k) result[k]! += weight * values[s * m + k]!;
    });
    return result;
  }

  /** The same for the kernel of an integral operator, if it is known. */
  exactSlice(place: Place): Float64Array | undefined {
    if (!this.data.has("exact values")) return undefined;
    return this.combine((this.exact ??= this.data.table("exact values", this.mesh.nNodes)), place);
  }

  /** The solution at all nodes; NaN where the page has no slice for it. */
  solve(level: number, forcing: ArrayLike<number>): Float64Array {
    const m = this.mesh.nNodes,
      { rows } = this.table(level);
    const result = new Float64Array(m).fill(this.canInterpolate ? 0 : NaN);
    this.response.forEach((node, s) => {
      let sum = 0;
      for (let k = 0, at = s * m; k < m; ++k, ++at) sum += rows[at]! * forcing[k]!;
      result[node] = sum;
    });
    return result;
  }

  /** Values between the slices that the page has, by those around. */
  fill(values: Float64Array): void {
    if (!this.filling) {
      const known: number[] = [...this.response, ...this.mesh.boundary];
      this.filling = [];
      for (let node = 0; node < this.mesh.nNodes; ++node)
        this.filling.push(this.hasSlice(node) || this.mesh.isBoundary[node] ? { nodes: [], weights: [] } : this.around(node, known));
    }
    for (const node of this.mesh.boundary) values[node] = 0;
    this.filling.forEach(({ nodes, weights }, node) => {
      if (nodes.length > 0) values[node] = nodes.reduce((sum, other, i) => sum + weights[i]! * values[other]!, 0);
    });
  }

  /** The first atoms of the slice at a node. */
  atoms(node: number): Atom[] {
    const s = this.sliceOfNode[node]!;
    if (s < 0) return [];
    const starts = this.data.array("atom starts"),
      numbers = this.data.array("atom numbers"),
      coefficients = this.data.array("atom coefficients"),
      kinds = this.data.array("atom kinds"),
      weights = this.data.array("atom weights"),
      biases = this.data.array("atom biases");
    const dim = this.mesh.dim,
      list = starts.length === 2 ? 0 : s,
      x = this.mesh.point(node);
    const nVariables = kinds.length === 0 ? dim : weights.length / kinds.length;
    const result: Atom[] = [];
    for (let i = starts[list]!; i < starts[list + 1]!; ++i) {
      const atom = numbers[i]!;
      const all = Array.from(weights.subarray(atom * nVariables, (atom + 1) * nVariables));
      const entry = { kind: kinds[atom]!, weights: all, bias: biases[atom]!, coefficient: coefficients[i]! };
      if (nVariables > dim) {
        // In (x, y): what remains as a function of y.
        entry.weights = entry.kind >= 100 && entry.kind < 200 ? x : all.slice(dim);
        if (entry.kind < 10) entry.bias += x.reduce((sum, value, d) => sum + value * all[d]!, 0);
        else entry.kind %= 100;
      }
      result.push(entry);
    }
    return result;
  }

  private table(level: number): Tables {
    const known = this.tables[level];
    if (known) return known;
    const m = this.mesh.nNodes,
      isLast = level === this.levels.length - 1,
      suffix = isLast ? "" : " " + this.levels[level];
    const tables: Tables = {
      values: this.data.table("values" + suffix, m),
      rows: this.data.table("rows" + suffix, m),
    };
    if (!isLast) {
      const last = this.table(this.levels.length - 1);
      for (let i = 0; i < last.values.length; ++i) {
        tables.values[i]! += last.values[i]!;
        tables.rows[i]! += last.rows[i]!;
      }
    }
    this.tables[level] = tables;
    return tables;
  }

  private around(node: number, known: number[]): Place {
    const { points, dim } = this.mesh;
    const distances = known.map((other) => {
      let square = 0;
      for (let d = 0; d < dim; ++d) square += (points[other * dim + d]! - points[node * dim + d]!) ** 2;
      return { other, square };
    });
    const near: typeof distances = [];
    for (const entry of distances) {
      if (near.length === nNeighbours && entry.square >= near[nNeighbours - 1]!.square) continue;
      const place = near.findIndex((other) => other.square > entry.square);
      near.splice(place < 0 ? near.length : place, 0, entry);
      near.length = Math.min(near.length, nNeighbours);
    }
    const sum = near.reduce((total, { square }) => total + 1 / square, 0);
    return { nodes: near.map(({ other }) => other), weights: near.map(({ square }) => 1 / square / sum) };
  }
}

/** What makes an integral against every shape function of values at points. */
interface Load {
  points: Float64Array;
  nodes: Uint32Array;
  weights: Float64Array;
}

export class FiniteElements {
  /** Pages of large meshes have none. */
  private readonly mass: SparseMatrix | undefined;
  /** Whether formulas are projected, or count by their values at the nodes. */
  readonly canProject: boolean;
  private load: Load | undefined;
  private readonly free: number[] = [];
  private operator: SparseMatrix | undefined;
  private solver: BandSolver | undefined;
  private transposedSolver: BandSolver | undefined;

  constructor(
    private readonly data: PageData,
    private readonly mesh: Mesh
  ) {
    const matrix = (name: string) =>
      new SparseMatrix(data.array(name + " starts"), data.array(name + " columns"), data.array(name + " values"));
    if (data.has("mass values")) this.mass = matrix("mass");
    this.canProject = data.facts.degree === 1 && this.mass !== undefined;
    for (let node = 0; node < mesh.nNodes; ++node) if (!mesh.isBoundary[node]) this.free.push(node);
    if (data.facts.finiteElements) this.operator = matrix("operator").restricted(this.free);
  }

  /** Whether there is an operator, and not a mass matrix alone. */
  get canSolve(): boolean {
    return this.operator !== undefined;
  }

  solve(forcing: ArrayLike<number>): Float64Array | undefined {
    if (!this.operator || !this.mass) return undefined;
    this.solver ??= new BandSolver(this.operator);
    return this.spread(this.solver.solve(this.gather(this.mass.multiply(forcing))));
  }

  /**
   * The nodal values of the projection of a formula in L2, as the program makes
   * it; for elements of higher degree, which the page does not know, those of
   * the formula itself.
   */
  project(formula: (x: number[]) => number): Float64Array {
    if (!this.canProject || !this.mass) return Float64Array.from({ length: this.mesh.nNodes }, (_, node) => formula(this.mesh.point(node)));
    this.load ??= this.makeLoad();
    const { points, nodes, weights } = this.load;
    const { dim, nVertices } = this.mesh;
    const right = new Float64Array(this.mesh.nNodes);
    for (let q = 0, at = 0; q * dim < points.length; ++q) {
      const value = formula(Array.from(points.subarray(q * dim, (q + 1) * dim)));
      for (let k = 0; k < nVertices; ++k, ++at) right[nodes[at]!]! += value * weights[at]!;
    }
    return this.mass.solveDefinite(right);
  }

  /** The quadrature points of all cells, and the weights of their vertices. */
  private makeLoad(): Load {
    const { mesh } = this,
      { dim } = mesh;
    const reference = this.data.array("quadrature points"),
      factors = this.data.array("quadrature weights");
    const points: number[] = [],
      nodes: number[] = [],
      weights: number[] = [];
    for (let cell = 0; cell < mesh.nCells; ++cell) {
      const v = mesh.vertices(cell);
      factors.forEach((factor, q) => {
        const xi = Array.from(reference.subarray(q * dim, (q + 1) * dim));
        const { x, jacobian } = mesh.mapped(v, xi),
          size = factor * Math.abs(determinant(jacobian));
        points.push(...x);
        nodes.push(...v);
        weights.push(...mesh.shapes(xi).map((shape) => shape * size));
      });
    }
    return { points: Float64Array.from(points), nodes: Uint32Array.from(nodes), weights: Float64Array.from(weights) };
  }

  /** The nodal values of the discrete Green's function at a place. */
  slice(place: Place): Float64Array | undefined {
    if (!this.operator) return undefined;
    if (!this.transposedSolver) {
      if (this.operator.isSymmetric()) this.transposedSolver = this.solver ??= new BandSolver(this.operator);
      else this.transposedSolver = new BandSolver(this.operator.transposed());
    }
    const unit = new Float64Array(this.mesh.nNodes);
    place.nodes.forEach((node, i) => (unit[node]! += place.weights[i]!));
    return this.spread(this.transposedSolver.solve(this.gather(unit)));
  }

  /** |u - v| / |v| in L2 (by nodes without a mass matrix); NaN if v is zero. */
  relativeError(u: ArrayLike<number>, v: ArrayLike<number>): number {
    const square = (w: ArrayLike<number>) => this.mass?.form(w) ?? Array.from(w).reduce((sum, value) => sum + value * value, 0);
    const difference = Float64Array.from(u, (value, i) => value - v[i]!);
    const size = square(v);
    return size > 0 ? Math.sqrt(square(difference) / size) : NaN;
  }

  private gather(values: ArrayLike<number>): Float64Array {
    return Float64Array.from(this.free, (node) => values[node]!);
  }

  private spread(values: Float64Array): Float64Array {
    const result = new Float64Array(this.mesh.nNodes);
    this.free.forEach((node, i) => (result[node] = values[i]!));
    return result;
  }
}
