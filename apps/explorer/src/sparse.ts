// Sparse matrices and their direct solution: a band in the order of Cuthill and
// McKee, and Gaussian elimination with pivots.

export class SparseMatrix {
  constructor(
    readonly starts: ArrayLike<number>,
    readonly columns: ArrayLike<number>,
    readonly values: ArrayLike<number>
  ) {}

  get n(): number {
    return this.starts.length - 1;
  }

  multiply(x: ArrayLike<number>): Float64Array {
    const y = new Float64Array(this.n);
    for (let i = 0; i < this.n; ++i) {
      let sum = 0;
      for (let k = this.starts[i]!; k < this.starts[i + 1]!; ++k) sum += this.values[k]! * x[this.columns[k]!]!;
      y[i] = sum;
    }
    return y;
  }

  /** x . A x, the square of a norm if A is a mass matrix. */
  form(x: ArrayLike<number>): number {
    return this.multiply(x).reduce((sum, value, i) => sum + value * x[i]!, 0);
  }

  /** Conjugate gradients with the diagonal, for a definite matrix. */
  solveDefinite(right: ArrayLike<number>): Float64Array {
    const dot = (a: Float64Array, b: Float64Array) => a.reduce((sum, value, i) => sum + value * b[i]!, 0);
    const diagonal = new Float64Array(this.n);
    for (let i = 0; i < this.n; ++i)
      for (let k = this.starts[i]!; k < this.starts[i + 1]!; ++k) if (this.columns[k] === i) diagonal[i] = this.values[k]!;
    const x = new Float64Array(this.n),
      r = Float64Array.from(right),
      z = r.map((value, i) => value / diagonal[i]!),
      p = z.slice();
    const limit = 1e-24 * dot(r, r);
    for (let step = 0, rz = dot(r, z); step < 500 && dot(r, r) > limit; ++step) {
      const q = this.multiply(p),
        alpha = rz / dot(p, q);
      for (let i = 0; i < this.n; ++i) {
        x[i]! += alpha * p[i]!;
        r[i]! -= alpha * q[i]!;
        z[i] = r[i]! / diagonal[i]!;
      }
      const last = rz;
      rz = dot(r, z);
      for (let i = 0; i < this.n; ++i) p[i] = z[i]! + (rz / last) * p[i]!;
    }
    return x;
  }

  /** The rows and columns of some indices, in this order. */
  restricted(indices: ArrayLike<number>): SparseMatrix {
    const number = new Int32Array(this.n).fill(-1);
    for (let i = 0; i < indices.length; ++i) number[indices[i]!] = i;
    const starts = [0],
      columns: number[] = [],
      values: number[] = [];
    for (let i = 0; i < indices.length; ++i) {
      const row = indices[i]!;
      for (let k = this.starts[row]!; k < this.starts[row + 1]!; ++k)
        if (number[this.columns[k]!]! >= 0) {
          columns.push(number[this.columns[k]!]!);
          values.push(this.values[k]!);
        }
      starts.push(columns.length);
    }
    return new SparseMatrix(starts, columns, values);
  }

  transposed(): SparseMatrix {
    const starts = new Array<number>(this.n + 1).fill(0);
    for (let k = 0; k < this.columns.length; ++k) starts[this.columns[k]! + 1]! += 1;
    for (let i = 0; i < this.n; ++i) starts[i + 1]! += starts[i]!;
    const next = starts.slice(),
      columns = new Array<number>(this.columns.length),
      values = new Array<number>(this.columns.length);
    for (let i = 0; i < this.n; ++i)
      for (let k = this.starts[i]!; k < this.starts[i + 1]!; ++k) {
        const place = next[this.columns[k]!]!++;
        columns[place] = i;
        values[place] = this.values[k]!;
      }
    return new SparseMatrix(starts, columns, values);
  }

  /** Whether it is its transpose, up to rounding. */
  isSymmetric(): boolean {
    const x = Float64Array.from({ length: this.n }, (_, i) => Math.sin(1 + 7.3 * i));
    const a = this.multiply(x),
      b = this.transposed().multiply(x);
    let difference = 0,
      size = 0;
    for (let i = 0; i < this.n; ++i) {
      difference += (a[i]! - b[i]!) ** 2;
      size += a[i]! ** 2;
    }
    return difference <= 1e-20 * size;
  }

  /** A numbering that keeps neighbours together: reverse Cuthill-McKee. */
  bandOrder(): Int32Array {
    const degree = (i: number) => this.starts[i + 1]! - this.starts[i]!;
    const byDegree = Array.from({ length: this.n }, (_, i) => i).sort((i, j) => degree(i) - degree(j));
    const seen = new Uint8Array(this.n),
      order: number[] = [];
    for (const seed of byDegree) {
      if (seen[seed]) continue;
      const first = this.farthest(this.farthest(seed));
      order.push(first);
      seen[first] = 1;
      for (let at = order.length - 1; at < order.length; ++at) {
        const next: number[] = [];
        for (let k = this.starts[order[at]!]!; k < this.starts[order[at]! + 1]!; ++k)
          if (!seen[this.columns[k]!]) {
            seen[this.columns[k]!] = 1;
            next.push(this.columns[k]!);
          }
        order.push(...next.sort((i, j) => degree(i) - degree(j)));
      }
    }
    return Int32Array.from(order.reverse());
  }

  /** A node that is reached last from another one. */
  private farthest(from: number): number {
    const seen = new Uint8Array(this.n),
      queue = [from];
    seen[from] = 1;
    for (let at = 0; at < queue.length; ++at)
      for (let k = this.starts[queue[at]!]!; k < this.starts[queue[at]! + 1]!; ++k)
        if (!seen[this.columns[k]!]) {
          seen[this.columns[k]!] = 1;
          queue.push(this.columns[k]!);
        }
    return queue[queue.length - 1]!;
  }
}

/** The factors of a matrix, in a band, with row exchanges. */
export class BandSolver {
  private readonly n: number;
  private readonly below: number;
  private readonly width: number;
  private readonly order: Int32Array;
  private readonly band: Float64Array;
  private readonly pivots: Int32Array;

  constructor(matrix: SparseMatrix) {
    this.n = matrix.n;
    this.order = matrix.bandOrder();
    const a = matrix.restricted(this.order);
    let below = 0;
    for (let i = 0; i < a.n; ++i)
      for (let k = a.starts[i]!; k < a.starts[i + 1]!; ++k) below = Math.max(below, Math.abs(i - a.columns[k]!));
    this.below = below;
    this.width = 3 * below + 1; // exchanged rows reach twice as far
    this.band = new Float64Array(this.n * this.width);
    this.pivots = new Int32Array(this.n);
    for (let i = 0; i < a.n; ++i)
      for (let k = a.starts[i]!; k < a.starts[i + 1]!; ++k) this.band[this.place(i, a.columns[k]!)]! += a.values[k]!;
    this.factor();
  }

  private place(i: number, j: number): number {
    return i * this.width + j - i + this.below;
  }

  private factor(): void {
    const { n, below, band } = this;
    let lastColumn = 0; // that the rows so far reach
    for (let k = 0; k < n; ++k) {
      const lastRow = Math.min(n - 1, k + below);
      let pivot = k;
      for (let i = k + 1; i <= lastRow; ++i)
        if (Math.abs(band[this.place(i, k)]!) > Math.abs(band[this.place(pivot, k)]!)) pivot = i;
      this.pivots[k] = pivot;
      lastColumn = Math.max(lastColumn, Math.min(n - 1, pivot + below));
      const length = lastColumn - k + 1,
        at = this.place(k, k);
      if (pivot !== k) {
        const other = this.place(pivot, k);
        for (let j = 0; j < length; ++j) {
          const value = band[at + j]!;
          band[at + j] = band[other + j]!;
          band[other + j] = value;
        }
      }
      const diagonal = band[at]!;
      if (diagonal === 0) throw new Error("The matrix is singular.");
      for (let i = k + 1; i <= lastRow; ++i) {
        const row = this.place(i, k),
          factor = band[row]! / diagonal;
        band[row] = factor;
        if (factor !== 0) for (let j = 1; j < length; ++j) band[row + j]! -= factor * band[at + j]!;
      }
    }
  }

  solve(right: ArrayLike<number>): Float64Array {
    const { n, below, band } = this;
    const x = new Float64Array(n);
    for (let i = 0; i < n; ++i) x[i] = right[this.order[i]!]!;
    for (let k = 0; k < n; ++k) {
      const pivot = this.pivots[k]!,
        value = x[pivot]!;
      x[pivot] = x[k]!;
      x[k] = value;
      for (let i = k + 1; i <= Math.min(n - 1, k + below); ++i) x[i]! -= band[this.place(i, k)]! * value;
    }
    for (let k = n - 1; k >= 0; --k) {
      let sum = x[k]!;
      for (let j = k + 1; j <= Math.min(n - 1, k + 2 * below); ++j) sum -= band[this.place(k, j)]! * x[j]!;
      x[k] = sum / band[this.place(k, k)]!;
    }
    const result = new Float64Array(n);
    for (let i = 0; i < n; ++i) result[this.order[i]!] = x[i]!;
    return result;
  }
}
