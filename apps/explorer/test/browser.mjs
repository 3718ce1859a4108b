// Looks at pages in a real browser.
//
//   node test/browser.mjs check DIR             the tests of tests/end_to_end/explore
//   node test/browser.mjs picture PAGE.html OUT.png
//
// DIR holds the pages disk.html, line.html, cube.html, sensors.html, kernel.html
// (an integral operator) and hostile.html, and expected.json with numbers from
// elsewhere. What was painted is left in DIR/painted.json, to be solved elsewhere.
import { readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const flags =
  "--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking --disable-component-update --disable-sync";
const browser = await chromium.launch({
  executablePath: process.env.EVERGREEN_CHROMIUM ?? "/usr/bin/chromium",
  headless: true,
  args: flags.split(" "),
});

let failures = 0;
function expect(condition, what) {
  if (condition) return;
  ++failures;
  console.log("FAILED: " + what);
}

/** Opens a page; whatever it says or asks the network for is a failure. */
async function open(file, options = {}) {
  const { hash = "", width = 1280, height = 820, ...rest } = options;
  const page = await browser.newPage({ viewport: { width, height }, ...rest });
  page.on("console", (message) => expect(false, file + " says: " + message.text()));
  page.on("pageerror", (error) => expect(false, file + " fails: " + error.message));
  page.on("dialog", (dialog) => {
    expect(false, file + " opens a dialog");
    void dialog.dismiss();
  });
  page.on("request", (request) => {
    const url = request.url();
    if (url !== address(file) + hash && url !== address(file) && !url.startsWith("data:") && !url.startsWith("blob:"))
      expect(false, file + " asks for " + url);
  });
  await page.goto(address(file) + hash);
  await page.waitForFunction(() => window.evergreen !== undefined);
  return page;
}
const address = (file) => pathToFileURL(resolve(file)).href;
const settled = (page) => page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));

/** The largest difference as a part of the largest value. */
function difference(a, b) {
  let most = 0,
    size = 0;
  expect(a.length === b.length, "arrays of " + a.length + " and " + b.length + " numbers");
  for (let i = 0; i < b.length; ++i) {
    most = Math.max(most, Math.abs(a[i] - b[i]));
    size = Math.max(size, Math.abs(b[i]));
  }
  return most / size;
}

function close(a, b, tolerance, what) {
  const found = difference(a, b);
  console.log(`  ${what}: ${found.toExponential(1)}`);
  expect(found <= tolerance, `${what}: ${found} > ${tolerance}`);
  // A test that cannot fail shows nothing.
  const k = b.findIndex((value) => Math.abs(value) > 1e-3 * Math.max(...b.map(Math.abs)));
  expect(difference(a.map((value, i) => (i === k ? value + 2.1 * tolerance * Math.max(...b.map(Math.abs)) : value)), b) > tolerance, what + ": blind");
}

const sliceAt = (page, x, level) =>
  page.evaluate(
    ([x, level]) => {
      const { model } = window.evergreen;
      model.state.x = x;
      model.state.level = level ?? model.kernel.levels.length - 1;
      const slice = model.slice();
      return { learned: [...slice.learned], discrete: slice.reference && [...slice.reference] };
    },
    [x, level]
  );
const solution = (page) =>
  page.evaluate(() => {
    const { forcing, learned, finite, relativeError } = window.evergreen.model.solution();
    return { forcing: [...forcing], learned: [...learned], finite: finite && [...finite], relativeError };
  });
const state = (page) => page.evaluate(() => JSON.parse(JSON.stringify(window.evergreen.model.state)));
const canvas = (page, view, k) => page.locator(`#view-${view} .panel canvas`).nth(k);

/** Presses and drags on a canvas, in parts of its size. */
async function drag(page, target, points) {
  const box = await target.boundingBox();
  const at = ([x, y]) => [box.x + x * box.width, box.y + y * box.height];
  await page.mouse.move(...at(points[0]));
  await page.mouse.down();
  for (const point of points.slice(1)) await page.mouse.move(...at(point), { steps: 8 });
  await page.mouse.up();
  await settled(page);
}

/** The picture of a canvas as text, to see whether it changes. */
const pixels = (target) => target.evaluate((element) => element.toDataURL());

function values(expected, field) {
  return expected.nodes.map((node) => field[node]);
}

async function checkNumbers(file, expected) {
  console.log(file);
  const page = await open(file);
  for (const { x, nodes, values: wanted } of expected.slices) {
    const { learned } = await sliceAt(page, x);
    close(nodes.map((node) => learned[node]), wanted, 1e-4, "G at " + x.map((c) => c.toFixed(2)).join(", "));
  }
  for (const { x, values: wanted } of expected.discrete ?? []) {
    const { discrete } = await sliceAt(page, x);
    close(discrete, wanted, 1e-5, "discrete G at " + x.map((c) => c.toFixed(2)).join(", "));
  }
  for (const { level, x, nodes, values: wanted } of expected.levels ?? []) {
    const k = await page.evaluate((n) => window.evergreen.model.kernel.levels.indexOf(n), level);
    expect(k >= 0, "no level of " + level + " atoms");
    const { learned } = await sliceAt(page, x, k);
    close(nodes.map((node) => learned[node]), wanted, 5e-3, `G with ${level} atoms`); // 8 bits
  }
  for (const { formula, level, nodes, learned } of expected.formulas ?? []) {
    await page.evaluate(
      ([formula, level]) => {
        const { state, kernel } = window.evergreen.model;
        state.formula = formula;
        state.level = level === undefined ? kernel.levels.length - 1 : kernel.levels.indexOf(level);
      },
      [formula, level]
    );
    const found = await solution(page);
    close(nodes.map((node) => found.learned[node]), learned, level ? 5e-4 : 1e-4, `u for f = ${formula}` + (level ? ` with ${level} atoms` : ""));
  }
  for (const { sample, finite } of expected.samples ?? []) {
    await page.evaluate((sample) => (window.evergreen.model.state.sample = sample), sample);
    const found = await solution(page);
    close(found.finite, finite, 1e-5, "finite elements for test sample " + sample);
  }
  await page.close();
}

async function checkDisk(directory, expected) {
  console.log("what people do on the disk");
  let page = await open(join(directory, "disk.html"));
  const boot = await page.evaluate(() => performance.now());
  console.log(`  open after ${Math.round(boot)} ms`);
  expect(boot < 5000, "opens in " + boot + " ms");

  // The source follows the pointer, and the arrow keys.
  const before = await pixels(canvas(page, "slice", 0));
  await drag(page, canvas(page, "slice", 0), [[0.5, 0.45], [0.35, 0.3]]);
  const moved = await state(page);
  expect(moved.x[0] < -0.2 && moved.x[1] > 0.1, "the source is at " + moved.x);
  expect((await pixels(canvas(page, "slice", 0))) !== before, "the picture does not follow");
  await canvas(page, "slice", 1).focus();
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("Shift+ArrowUp");
  const next = await state(page);
  expect(Math.abs(next.x[0] - moved.x[0] - 0.04) < 1e-4 && Math.abs(next.x[1] - moved.x[1] - 0.008) < 1e-4, "the keys move the source to " + next.x);
  await drag(page, canvas(page, "slice", 0), [[0.02, 0.02], [0.03, 0.02]]);
  expect((await state(page)).x[0] === next.x[0], "the source leaves the domain");
  const delay = await page.evaluate(() => {
    const start = performance.now();
    for (let k = 0; k < 20; ++k) {
      window.evergreen.model.state.x = [0.5 * Math.cos(k), 0.5 * Math.sin(k)];
      window.evergreen.update();
    }
    return (performance.now() - start) / 20;
  });
  console.log(`  ${delay.toFixed(1)} ms a moved source`);
  expect(delay < 150, "a moved source takes " + delay + " ms");

  // Levels, atoms, mesh.
  const all = await pixels(canvas(page, "slice", 0));
  await page.locator("#view-slice .level").fill("0");
  await settled(page);
  const title = await page.locator("#view-slice h3").first().textContent();
  expect(title.endsWith(", " + (await page.evaluate(() => window.evergreen.model.kernel.levels[0])) + " atoms"), "the title is " + title);
  expect((await pixels(canvas(page, "slice", 0))) !== all, "the slider changes nothing");
  for (const label of ["Mesh", "Ridges"]) {
    const plain = await pixels(canvas(page, "slice", 0));
    await page.locator("#view-slice .check", { hasText: label }).click();
    await settled(page);
    expect((await pixels(canvas(page, "slice", 0))) !== plain, label + " changes nothing");
  }

  // A forcing: a formula, a wrong one, the brush, undo, sensors.
  await page.locator("#tab-solution").click();
  const slider = page.locator("#view-solution .level");
  await slider.fill(await slider.getAttribute("max"));
  await page.locator("#formula").fill("alert(1)");
  await settled(page);
  expect((await page.locator("#problem").textContent()).includes("alert"), "a wrong formula is not named");
  await page.locator("#formula").fill("2*x");
  await settled(page);
  expect((await page.locator("#problem").textContent()) === "", "a right formula is not accepted");
  const plain = await solution(page);
  await drag(page, canvas(page, "solution", 0), [[0.4, 0.4], [0.6, 0.4]]);
  const painted = await state(page);
  expect(painted.stamps.length >= 3, painted.stamps.length + " bumps were painted");
  await page.locator(".choice label", { hasText: "−" }).click();
  await drag(page, canvas(page, "solution", 0), [[0.5, 0.65], [0.5, 0.65]]);
  const two = await state(page);
  expect(two.stamps[two.stamps.length - 1].amplitude < 0, "the sign has no effect");
  const u = await solution(page);
  expect(difference(u.learned, plain.learned) > 0.1, "painting changes nothing");
  expect(u.relativeError < 0.2, "the error is " + u.relativeError);
  await canvas(page, "solution", 1).click({ position: { x: 150, y: 130 } });
  await settled(page);
  const cells = await page.locator(".sensors td").allTextContents();
  expect(cells.length === 4, "a sensor shows " + cells);
  const sensed = await page.evaluate(() => {
    const { mesh, state } = window.evergreen.model;
    return mesh.value(window.evergreen.model.solution().learned, state.sensors[0]);
  });
  expect(Math.abs(Number(cells[2].replace("−", "-")) - sensed) <= 0.006 * Math.abs(sensed), `the sensor says ${cells[2]}, not ${sensed}`);
  writeFileSync(join(directory, "painted.json"), JSON.stringify({ ...u, sensors: (await state(page)).sensors, sensed }));

  // The link, the picture.
  await page.waitForFunction(() => location.hash.includes("sensors="));
  const hash = await page.evaluate(() => location.hash);
  const copy = await open(join(directory, "disk.html"), { hash });
  close((await solution(copy)).learned, u.learned, 1e-4, "u by a link");
  await copy.close();
  const [download] = await Promise.all([page.waitForEvent("download"), page.locator("button", { hasText: "PNG" }).click()]);
  const png = readFileSync(await download.path());
  expect(png.length > 20000 && png.subarray(1, 4).toString() === "PNG", "the picture has " + png.length + " bytes");
  await page.locator("button", { hasText: "Undo" }).click();
  await settled(page);
  expect((await state(page)).stamps.length === two.stamps.length - 1, "nothing is undone");
  await page.locator("#preset").selectOption({ label: "Test sample " + expected.disk.samples[0].sample });
  await page.locator("button", { hasText: "Clear" }).click();
  await settled(page);
  close((await solution(page)).finite, expected.disk.samples[0].finite, 1e-5, "a chosen sample");
  await page.close();

  // Links from anywhere; a phone; light and dark.
  page = await open(join(directory, "disk.html"), {
    hash: "#view=nowhere&x=1e99,zwei&level=77&f=%3Cimg%20src=x%20onerror=alert(1)%3E&paint=1;2,3;0,0,1e-200,5&sensors=9,9&theme=pink&sample=-1",
  });
  expect((await page.locator("img").count()) === 0, "markup from a link");
  expect((await state(page)).stamps.length === 0, "senseless paint from a link");
  await page.close();
  for (const colorScheme of ["light", "dark"])
    for (const view of ["slice", "solution", "about"]) {
      page = await open(join(directory, "disk.html"), { hash: "#view=" + view, width: 360, height: 740, colorScheme, hasTouch: true });
      const width = await page.evaluate(() => document.documentElement.scrollWidth);
      expect(width <= 360, `${view} is ${width} pixels wide on a phone`);
      const bright = await page.evaluate(() => Number(getComputedStyle(document.body).backgroundColor.match(/\d+/)[0]));
      expect(colorScheme === "dark" ? bright < 60 : bright > 200, "the page is not " + colorScheme);
      await page.close();
    }
}

async function checkOthers(directory) {
  console.log("one and three dimensions, sensors, integral operators");
  let page = await open(join(directory, "line.html"));
  await drag(page, canvas(page, "slice", 0), [[0.5, 0.5], [0.3, 0.6]]);
  const x = (await state(page)).x[0];
  expect(x > 0.1 && x < 0.4, "the cross is at " + x);
  expect((await page.locator("#view-slice h3").allTextContents()).some((text) => text.includes("Section G(x, ·) at x = 0.")), "no section");
  await page.locator("#tab-solution").click();
  await drag(page, canvas(page, "solution", 0), [[0.4, 0.5], [0.6, 0.5]]);
  expect((await state(page)).stamps.length > 2, "nothing is painted on the line");
  await page.close();

  page = await open(join(directory, "cube.html"));
  const before = await state(page),
    still = await pixels(canvas(page, "slice", 0));
  await drag(page, canvas(page, "slice", 0), [[0.5, 0.5], [0.7, 0.4]]);
  const turned = await state(page);
  expect(turned.azimuth !== before.azimuth && turned.elevation !== before.elevation, "the cube does not turn");
  expect((await pixels(canvas(page, "slice", 0))) !== still, "the picture of the cube does not turn");
  for (const change of [{ isoLevel: 0.6 }, { isoLevel: null }, { planes: [0.25, 0.25, null] }]) {
    const last = await pixels(canvas(page, "slice", 0));
    await page.evaluate((change) => {
      const undefine = (value) => (value === null ? undefined : Array.isArray(value) ? value.map(undefine) : value);
      for (const [key, value] of Object.entries(change)) window.evergreen.model.state[key] = undefine(value);
      window.evergreen.update();
    }, change);
    expect((await pixels(canvas(page, "slice", 0))) !== last, JSON.stringify(change) + " changes nothing");
  }
  await page.locator("#tab-solution").click();
  await page.locator(".choice label", { hasText: "paints" }).click();
  await drag(page, canvas(page, "solution", 0), [[0.5, 0.45], [0.5, 0.45]]);
  expect((await state(page)).stamps.length > 0, "nothing is painted in the cube");
  await page.close();

  page = await open(join(directory, "sensors.html"), { hash: "#view=solution" });
  const known = (await solution(page)).learned.filter((value) => value !== null && !Number.isNaN(value));
  expect(known.length === 2, known.length + " values at two sensors");
  await page.close();
  page = await open(join(directory, "kernel.html"));
  expect((await page.locator("#view-slice h3").nth(1).textContent()) === "Exact kernel", "no exact kernel");
  expect((await page.locator("#view-solution .panel").count()) === 2, "finite elements of an integral operator");
  const kernel = await page.evaluate(() => {
    const { model } = window.evergreen;
    model.state.x = model.mesh.point(model.mesh.locate(model.state.x).nodes[0]);
    return { reference: [...model.slice().reference], x: model.state.x, points: [...model.mesh.points] };
  });
  const cosine = Array.from({ length: kernel.reference.length }, (_, i) =>
    Math.cos(2 * Math.PI * Math.hypot(kernel.points[2 * i] - kernel.x[0], kernel.points[2 * i + 1] - kernel.x[1]))
  );
  close(kernel.reference, cosine, 1e-4, "exact kernel");
  expect((await page.locator(".note").first().textContent()).includes("integral operator"), "no note");
  await page.close();
  page = await open(join(directory, "hostile.html"), { hash: "#view=about" });
  expect((await page.locator("img, iframe, script[src]").count()) === 0, "markup from a kernel");
  expect((await page.evaluate(() => window.hostile)) === undefined, "a script from a kernel");
  expect((await page.locator("h1").textContent()).includes("<img"), "the title is not shown as it is");
  await page.close();
}

async function makePicture(file, output) {
  const page = await open(file, {
    width: 1280,
    height: 530,
    hash: "#view=slice&x=-0.35,0.25&atoms=8",
  });
  await settled(page);
  await page.screenshot({ path: output });
  await page.close();
}

const [mode, first, second] = process.argv.slice(2);
try {
  if (mode === "picture") await makePicture(first, second);
  else {
    const expected = JSON.parse(readFileSync(join(first, "expected.json"), "utf8"));
    for (const name of ["disk", "line", "cube"]) await checkNumbers(join(first, name + ".html"), expected[name]);
    await checkDisk(first, expected);
    await checkOthers(first);
  }
} finally {
  await browser.close();
}
console.log(failures === 0 ? "the page does what it should" : failures + " expectations failed");
process.exitCode = failures === 0 ? 0 : 1;
