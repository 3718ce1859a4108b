// Formulas in x, y, z: a small parser that makes functions of them, so that
// nothing that somebody types or sends in a link is ever run as a program.

export type Formula = (x: number[]) => number;

/** What is wrong with a formula, for the person who wrote it. */
export class FormulaError extends Error {}

const functions: Record<string, [number, (...values: number[]) => number]> = {
  sin: [1, Math.sin],
  cos: [1, Math.cos],
  tan: [1, Math.tan],
  asin: [1, Math.asin],
  acos: [1, Math.acos],
  atan: [1, Math.atan],
  sinh: [1, Math.sinh],
  cosh: [1, Math.cosh],
  tanh: [1, Math.tanh],
  exp: [1, Math.exp],
  log: [1, Math.log],
  ln: [1, Math.log],
  log10: [1, Math.log10],
  sqrt: [1, Math.sqrt],
  abs: [1, Math.abs],
  sign: [1, Math.sign],
  min: [2, Math.min],
  max: [2, Math.max],
  pow: [2, Math.pow],
  if: [3, (condition, yes, no) => (condition !== 0 ? yes : no)],
};

const constants: Record<string, number> = { pi: Math.PI, e: Math.E };

const binary: Record<string, [number, (a: number, b: number) => number]> = {
  "<": [1, (a, b) => (a < b ? 1 : 0)],
  ">": [1, (a, b) => (a > b ? 1 : 0)],
  "<=": [1, (a, b) => (a <= b ? 1 : 0)],
  ">=": [1, (a, b) => (a >= b ? 1 : 0)],
  "+": [2, (a, b) => a + b],
  "-": [2, (a, b) => a - b],
  "*": [3, (a, b) => a * b],
  "/": [3, (a, b) => a / b],
  "^": [5, Math.pow],
};

/** A minus sign binds as in -x^2 = -(x^2) and 2*-x. */
const signStrength = 4;

const own = (object: object, key: string) => Object.prototype.hasOwnProperty.call(object, key);

/** Makes a function of a formula in the first @p dim of x, y and z. */
export function parseFormula(text: string, dim: number): Formula {
  const pattern = /\s*(?:(\d+\.?\d*(?:[eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)?)|([A-Za-z_]\w*)|(<=|>=|[-+*/^(),<>]))/y;
  const tokens: string[] = [];
  for (let at = 0; text.slice(at).trim() !== ""; at = pattern.lastIndex) {
    pattern.lastIndex = at;
    const match = pattern.exec(text);
    if (!match) throw new FormulaError("not understood: " + text.slice(at).trim().slice(0, 12));
    tokens.push((match[1] ?? match[2] ?? match[3])!);
  }
  const variables = ["x", "y", "z"].slice(0, dim);
  let at = 0;
  let depth = 0;

  const expect = (token: string) => {
    if (tokens[at] !== token) throw new FormulaError("'" + token + "' is missing" + (at < tokens.length ? " before '" + tokens[at] + "'" : " at the end"));
    ++at;
  };

  const call = (name: string): Formula => {
    const [n, f] = functions[name]!;
    const values: Formula[] = [];
    expect("(");
    for (let i = 0; i < n; ++i) {
      if (i > 0) expect(",");
      values.push(expression(0));
    }
    expect(")");
    const [a, b, c] = values;
    if (n === 1) return (x) => f(a!(x));
    if (n === 2) return (x) => f(a!(x), b!(x));
    return (x) => f(a!(x), b!(x), c!(x));
  };

  const operand = (): Formula => {
    const token = tokens[at++];
    if (token === undefined) throw new FormulaError("something is missing at the end");
    if (/^[.\d]/.test(token)) {
      const value = Number(token);
      return () => value;
    }
    if (token === "(") {
      const inner = expression(0);
      expect(")");
      return inner;
    }
    if (token === "-" || token === "+") {
      const inner = expression(signStrength);
      return token === "-" ? (x) => -inner(x) : inner;
    }
    const variable = variables.indexOf(token);
    if (variable >= 0) return (x) => x[variable]!;
    if (own(constants, token)) {
      const value = constants[token]!;
      return () => value;
    }
    if (own(functions, token)) return call(token);
    throw new FormulaError("unknown: '" + token + "'; there are " + variables.join(", ") + ", pi and functions such as sin");
  };

  const expression = (strength: number): Formula => {
    if (++depth > 200) throw new FormulaError("too deep");
    let left = operand();
    for (;;) {
      const token = tokens[at];
      if (token === undefined || !own(binary, token)) break;
      const [level, f] = binary[token]!;
      if (level <= strength) break;
      ++at;
      // Powers are taken from the right: 2^3^2 = 2^9.
      const first = left,
        right = expression(token === "^" ? level - 1 : level);
      left = (x) => f(first(x), right(x));
    }
    --depth;
    return left;
  };

  const result = expression(0);
  if (at < tokens.length) throw new FormulaError("'" + tokens[at] + "' does not belong there");
  return result;
}
