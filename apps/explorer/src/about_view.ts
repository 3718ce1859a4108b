// The view of what the kernel is: how its errors fell, the spectrum of its
// forcings, and where it comes from.

import { CurvePanel } from "./curve_panel";
import { Model } from "./model";
import { View } from "./slice_view";

export function makeAboutView(model: Model): View {
  const { history, singularValues } = model.facts;
  const convergence = new CurvePanel(
    "Convergence",
    "Relative errors against the number of atoms.",
    { xLabel: "atoms", yLabel: "relative error", logX: true, logY: true }
  );
  const curves: [string, (number | null)[], number][] = [
    ["training", history.training, 1],
    ["validation", history.validation, 4],
    ["test, solutions", history.test, 2],
    ["test, kernel", history.kernel, 3],
  ];
  convergence.curves = curves
    .filter(([, y]) => y.some((value) => value !== null))
    .map(([label, y, colour]) => ({ label, x: history.neurons, y, colour, markers: true, dashed: label === "training" }));
  const panels = [convergence];
  if (singularValues.length > 0) {
    const spectrum = new CurvePanel(
      "Singular values of the training forcings",
      "Relative to the first.",
      { xLabel: "number", yLabel: "σ / σ₁", logY: true }
    );
    const first = singularValues[0]! || 1;
    spectrum.curves = [{ label: "σ", x: singularValues.map((_, i) => i + 1), y: singularValues.map((s) => Math.max(s / first, 1e-18)), colour: 1 }];
    panels.push(spectrum);
  }
  return { panels, update: () => panels.forEach((panel) => panel.draw()) };
}
