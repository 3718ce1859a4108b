// node test/units.mjs: the page's mathematics without a browser: formulas,
// sparse solvers and places in meshes, against plain ways to the same numbers.
import assert from "node:assert/strict";
import { buildSync } from "esbuild";

async function load(module) {
  const [output] = buildSync({ entryPoints: ["src/" + module], bundle: true, write: false, format: "esm" }).outputFiles;
  return import("data:text/javascript;base64," + Buffer.from(output.contents).toString("base64"));
}
const { parseFormula, FormulaError } = await load("formula.ts");
const { SparseMatrix, BandSolver } = await load("sparse.ts");
const { Mesh } = await load("mesh.ts");

let seed = 1;
const random = () => (seed = (16807 * seed) % 2147483647) / 2147483647;

// Formulas: those of JavaScript where it has the same, and all kinds of nonsense.
const x = [0.7, -0.4, 1.3];
for (const [formula, value] of [
  ["1+2*3-4/8", 6.5],
  ["2^3^2", 512],
  ["-x^2", -0.49],
  ["2*-x", -1.4],
  ["2^-1", 0.5],
  ["-2^2*3", -12],
  ["1-2-3", -4],
  ["8/4/2", 1],
  ["sin(pi*x)*exp(-y)+sqrt(abs(z))", Math.sin(Math.PI * 0.7) * Math.exp(0.4) + Math.sqrt(1.3)],
  ["if(x<y, 1, 2)", 2],
  ["min(x,y)+max(x,z)+pow(2,3)", -0.4 + 1.3 + 8],
  [" 1.5e-3 + .5 ", 0.5015],
  ["x<1", 1],
  ["((x))", 0.7],
])
  assert.ok(Math.abs(parseFormula(formula, 3)(x) - value) < 1e-14, formula);
for (const formula of ["", "1+", "sin", "sin(", "sin()", "sin(1,2)", "x y", "2x", "alert(1)", "constructor", "__proto__", "toString(1)", "x.y", "a=1", "x[0]", "`1`", "(".repeat(500), "if(1,2)", "1;2", "z"])
  assert.throws(() => parseFormula(formula, 2), FormulaError, formula);

// Ticks: round numbers in the range, and an end to them in any case.
const { ticks } = await load("colour.ts");
assert.deepEqual(ticks(-1, 1, 4), [-1, -0.5, 0, 0.5, 1]);
assert.deepEqual(ticks(0, 7e-6, 4), [0, 2e-6, 4e-6, 6e-6]);
for (const [least, most] of [[1, 1 + 4e-16], [0, 0], [1, 0], [NaN, 1], [0, Infinity], [-1e300, 1e300], [1e-320, 3e-320]])
  assert.ok(ticks(least, most).length < 20, "ticks from " + least + " to " + most);

// Sparse systems that are neither symmetric nor definite, against elimination
// in a full matrix; a perturbed one is seen.
function randomMatrix(n, isDefinite) {
  const full = Array.from({ length: n }, () => new Array(n).fill(0));
  for (let i = 0; i < n; ++i)
    for (const j of [i, (i + 1) % n, (7 * i + 3) % n]) {
      const value = random() - 0.5;
      full[i][j] += value;
      if (isDefinite) full[j][i] += value;
    }
  if (isDefinite) for (let i = 0; i < n; ++i) full[i][i] = 0.1 + full[i].reduce((sum, value) => sum + Math.abs(value), 0);
  const starts = [0],
    columns = [],
    values = [];
  for (const row of full) {
    row.forEach((value, j) => {
      if (value !== 0) {
        columns.push(j);
        values.push(value);
      }
    });
    starts.push(columns.length);
  }
  return { full, sparse: new SparseMatrix(starts, columns, values) };
}
const residual = (full, u, b) => Math.max(...full.map((row, i) => Math.abs(row.reduce((sum, value, j) => sum + value * u[j], -b[i]))));
for (const n of [1, 2, 5, 40, 150]) {
  const { full, sparse } = randomMatrix(n, false);
  const b = Array.from({ length: n }, random);
  const u = new BandSolver(sparse).solve(b);
  assert.ok(residual(full, u, b) < 1e-9, "band solver, " + n);
  const v = new BandSolver(sparse.transposed()).solve(b);
  assert.ok(residual(full[0].map((_, j) => full.map((row) => row[j])), v, b) < 1e-9, "transposed, " + n);
  u[0] += 1e-3;
  assert.ok(residual(full, u, b) > 1e-6, "a perturbed solution, " + n);
  const definite = randomMatrix(n, true);
  assert.ok(residual(definite.full, definite.sparse.solveDefinite(b), b) < 1e-10, "conjugate gradients, " + n);
  assert.equal(definite.sparse.isSymmetric(), true);
  assert.equal(sparse.isSymmetric(), n === 1);
}

// Places in a mesh: linear functions are met, points outside are not.
function meshOf(dim, cellType, cellVertices, points, cells, boundary = []) {
  const arrays = { points: Float64Array.from(points.flat()), cells: Uint32Array.from(cells.flat()), boundary: Uint32Array.from(boundary) };
  return new Mesh({ facts: { dim, cellType, cellVertices }, array: (name) => arrays[name] });
}
const cube = [0, 1].flatMap((z) => [[0, 0, z], [1, 0, z], [1.2, 1, z], [0, 1.1, z]]).map((p, i) => p.map((c) => c + 0.05 * Math.sin(i)));
const square = cube.slice(0, 4).map((p) => p.slice(0, 2));
const linear = (p) => p.reduce((sum, c, d) => sum + (d + 2) * c, 1);
for (const [mesh, nodes] of [
  [meshOf(1, "line", 2, [[0], [2], [1]], [[0, 2], [2, 1]]), [[0], [2], [1]]],
  [meshOf(2, "triangle", 3, square, [[0, 1, 2], [0, 2, 3]]), square],
  [meshOf(2, "quadrilateral", 4, square, [[0, 1, 2, 3]]), square],
  [meshOf(3, "tetrahedron", 4, cube, [[0, 1, 2, 6], [0, 2, 3, 6], [0, 3, 7, 6], [0, 7, 4, 6], [0, 4, 5, 6], [0, 5, 1, 6]]), cube],
  [meshOf(3, "hexahedron", 8, cube, [[0, 1, 2, 3, 4, 5, 6, 7]]), cube],
]) {
  const values = nodes.map(linear);
  for (let k = 0; k < 50; ++k) {
    const p = nodes[0].map(() => 0.15 + 0.7 * random());
    assert.ok(Math.abs(mesh.value(values, p) - linear(p)) < 1e-9, mesh.cellType + " at " + p);
  }
  assert.ok(Number.isNaN(mesh.value(values, nodes[0].map(() => -0.4))), mesh.cellType + ": a point outside");
}
console.log("the page's mathematics is right");
