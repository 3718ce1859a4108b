// What the program has put into the page: facts as JSON, and arrays of numbers
// in one Base64 block.

export interface History {
  neurons: number[];
  training: (number | null)[];
  validation: (number | null)[];
  test: (number | null)[];
  kernel: (number | null)[];
}

export interface Facts {
  title: string;
  dim: 1 | 2 | 3;
  method: string;
  quadrature: string;
  symmetrised: boolean;
  neurons: number;
  /** How many slices the kernel has, of which the page may have some only. */
  slices: number;
  cellType: string;
  cellVertices: number;
  degree: number;
  /** Whether the kernel was learned at all nodes where u is not given. */
  isComplete: boolean;
  finiteElements: boolean;
  parameters: string;
  history: History;
  singularValues: number[];
  /** The numbers of the test samples whose forcings are here. */
  samples: number[];
  /** Numbers of neurons, increasing. */
  levels: number[];
  notes: string[];
  arrays: Record<string, { type: string; offset: number; length: number }>;
}

export type Numbers = Float64Array | Float32Array | Uint32Array | Uint8Array | Int16Array | Int8Array;

const types: Record<string, new (buffer: ArrayBuffer, offset: number, length: number) => Numbers> = {
  f64: Float64Array,
  f32: Float32Array,
  u32: Uint32Array,
  u8: Uint8Array,
  i16: Int16Array,
  i8: Int8Array,
};

/** The element with this id, which the page must have. */
export function byId(id: string): HTMLElement {
  const element = document.getElementById(id);
  if (!element) throw new Error("The page lacks '" + id + "'.");
  return element;
}

export class PageData {
  readonly facts: Facts;
  private readonly buffer: ArrayBuffer;

  constructor() {
    const facts = byId("facts"),
      numbers = byId("numbers");
    this.facts = JSON.parse(facts.textContent ?? "{}") as Facts;
    const bytes = atob(numbers.textContent ?? "");
    const array = new Uint8Array(bytes.length);
    for (let i = 0; i < bytes.length; ++i) array[i] = bytes.charCodeAt(i);
    this.buffer = array.buffer;
    // The text is as large as all the rest, and nobody needs it any more.
    numbers.remove();
    facts.remove();
  }

  has(name: string): boolean {
    return name in this.facts.arrays;
  }

  array(name: string): Numbers {
    const entry = this.facts.arrays[name];
    if (!entry) throw new Error("The page lacks the numbers '" + name + "'.");
    return new types[entry.type]!(this.buffer, entry.offset, entry.length);
  }

  /** A table that was rounded row by row. */
  table(name: string, nColumns: number): Float32Array {
    const values = this.array(name),
      scales = this.array(name + " scale");
    const result = new Float32Array(values.length);
    for (let i = 0; i < values.length; ++i) result[i] = values[i]! * scales[Math.floor(i / nColumns)]!;
    return result;
  }
}
