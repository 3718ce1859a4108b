// What is computed for the state of the page: slices, forcings, solutions.

import { PageData } from "./data";
import { FormulaError, parseFormula } from "./formula";
import { Mesh, Place } from "./mesh";
import { FiniteElements, LearnedKernel } from "./operators";
import { State, defaultState } from "./state";

export interface Slice {
  /** Where the source is: the point asked for, or the nearest slice's. */
  at: number[];
  learned: Float64Array;
  reference: Float64Array | undefined;
  difference: Float64Array | undefined;
}

export interface Solution {
  forcing: Float64Array;
  learned: Float64Array;
  finite: Float64Array | undefined;
  error: Float64Array | undefined;
  relativeError: number;
}

const minus = (a: Float64Array, b: Float64Array) => a.map((value, i) => value - b[i]!);

export class Model {
  readonly mesh: Mesh;
  readonly kernel: LearnedKernel;
  readonly elements: FiniteElements;
  readonly state: State;
  private projected: { formula: string; values: Float64Array } | undefined;

  constructor(readonly data: PageData) {
    this.mesh = new Mesh(data);
    this.kernel = new LearnedKernel(data, this.mesh);
    this.elements = new FiniteElements(data, this.mesh);
    this.state = defaultState(data.facts, this.mesh);
  }

  get facts() {
    return this.data.facts;
  }

  get nNeurons(): number {
    return this.kernel.levels[this.state.level]!;
  }

  /** The slice at the source. */
  slice(): Slice {
    const place = this.kernel.slicesAt(this.state.x)!;
    const learned = this.kernel.slice(this.state.level, place),
      reference = this.reference(place);
    const at = this.kernel.canInterpolate ? this.state.x : this.mesh.point(place.nodes[0]!);
    return { at, learned, reference, difference: reference && minus(learned, reference) };
  }

  /** What slices are compared with; nothing if the operator is not known. */
  get referenceName(): string | undefined {
    return this.elements.canSolve ? "Discrete Green’s function" : this.data.has("exact values") ? "Exact kernel" : undefined;
  }

  /** The slice at a place that the learned one is compared with. */
  reference(place: Place): Float64Array | undefined {
    return this.elements.slice(place) ?? this.kernel.exactSlice(place);
  }

  /** The nodal values of the forcing. */
  forcing(): Float64Array {
    const { mesh, state } = this;
    const result =
      state.sample !== undefined ? Float64Array.from(this.data.array("forcing " + state.sample)) : this.formulaValues().slice();
    for (const { centre, radius, amplitude } of state.stamps)
      for (let node = 0; node < mesh.nNodes; ++node) {
        let square = 0;
        for (let d = 0; d < mesh.dim; ++d) square += (mesh.points[node * mesh.dim + d]! - centre[d]!) ** 2;
        result[node]! += amplitude * Math.exp(-square / (2 * radius * radius));
      }
    return result;
  }

  solution(): Solution {
    const { kernel, elements } = this;
    const forcing = this.forcing();
    const learned = kernel.solve(this.state.level, forcing),
      finite = elements.solve(forcing);
    const error = finite && minus(learned, finite);
    if (kernel.canInterpolate) return { forcing, learned, finite, error, relativeError: finite ? elements.relativeError(learned, finite) : NaN };
    // At the slices the error is known. Between them it is smoother than the
    // solution, so it is the error that is interpolated.
    const relativeError = finite && error ? this.errorAtSlices(error, finite) : NaN;
    if (kernel.isComplete) {
      kernel.fill(error ?? learned);
      if (finite && error) learned.set(finite.map((value, node) => value + error[node]!));
    }
    return { forcing, learned, finite, error, relativeError };
  }

  private errorAtSlices(error: Float64Array, finite: Float64Array): number {
    let above = 0,
      below = 0;
    for (const node of this.kernel.response) {
      above += error[node]! ** 2;
      below += finite[node]! ** 2;
    }
    return below > 0 ? Math.sqrt(above / below) : NaN;
  }

  /** Where relative errors of solutions are measured. */
  get errorPlace(): string {
    return this.kernel.canInterpolate ? "in L²" : "at " + this.kernel.response.length + " nodes";
  }

  /** The nodal values of the formula, which are made once. */
  private formulaValues(): Float64Array {
    const { formula } = this.state;
    if (this.projected?.formula !== formula) {
      const f = parseFormula(formula, this.mesh.dim);
      const values = this.elements.project((x) => {
        const value = f(x);
        if (!Number.isFinite(value)) throw new FormulaError("not a number at (" + x.map((c) => c.toPrecision(3)).join(", ") + ")");
        return value;
      });
      this.projected = { formula, values };
    }
    return this.projected.values;
  }
}
