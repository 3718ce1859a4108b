// The explorer: reads what is in the page, lays it out, and keeps panels,
// controls and the link in step with the state.

import { makeAboutView } from "./about_view";
import { short } from "./colour";
import { aboutControls, sliceControls, solutionControls } from "./controls";
import { PageData, byId } from "./data";
import { picture, save } from "./export";
import { Model } from "./model";
import { makeSliceView, View } from "./slice_view";
import { makeSolutionView } from "./solution_view";
import { fromHash, Theme, toHash, ViewName } from "./state";
import { button, element, onNextFrame, select } from "./ui";

const model = new Model(new PageData());
const { state, facts, mesh } = model;
fromHash(location.hash, state, facts, mesh);

const changed = onNextFrame(update);
const controls = {
  slice: sliceControls(model, changed),
  solution: solutionControls(model, changed),
  about: { root: aboutControls(model), refresh: () => undefined },
};
const solutionView = makeSolutionView(model, changed, () => controls.solution.points);
const views: Record<ViewName, View> = {
  slice: makeSliceView(model, changed),
  solution: solutionView,
  about: makeAboutView(model),
};
const names: [ViewName, string][] = [
  ["slice", "Green’s function"],
  ["solution", "Forcing → solution"],
  ["about", "About"],
];

const tabs = new Map<ViewName, HTMLButtonElement>();
const bodies = new Map<ViewName, HTMLElement>();
const message = element("p", { class: "message", role: "status" });

layOut();
update();

/** The line under the title. */
function summary(): string {
  const last = (values: (number | null)[]) => values.filter((value): value is number => value !== null).pop();
  const test = last(facts.history.test),
    kernel = last(facts.history.kernel);
  const parts = [`${mesh.nNodes} nodes`, `${facts.neurons} atoms`];
  if (test !== undefined) parts.push(`error of solutions ${short(100 * test)} %`);
  if (kernel !== undefined) parts.push(`of the kernel ${short(100 * kernel)} %`);
  return parts.join(" · ");
}

function layOut(): void {
  document.title = facts.title + " · Evergreen";
  const list = element("div", { role: "tablist", "aria-label": "Views", class: "tabs" });
  for (const [name, text] of names) {
    const tab = element("button", { type: "button", role: "tab", id: "tab-" + name, "aria-controls": "view-" + name }, text);
    tab.addEventListener("click", () => show(name));
    tab.addEventListener("keydown", (event) => {
      const move = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (move === undefined) return;
      const next = names[(names.findIndex(([other]) => other === name) + move + names.length) % names.length]![0];
      show(next);
      tabs.get(next)!.focus();
    });
    tabs.set(name, tab);
    list.append(tab);
    const body = element(
      "main",
      { role: "tabpanel", id: "view-" + name, "aria-labelledby": "tab-" + name },
      element("aside", {}, controls[name].root),
      element("div", { class: "panels n" + views[name].panels.length + " dim" + mesh.dim }, ...views[name].panels.map((panel) => panel.root))
    );
    bodies.set(name, body);
  }
  const themes: [Theme, string][] = [
    ["auto", "Theme: auto"],
    ["light", "Light"],
    ["dark", "Dark"],
  ];
  const theme = select(themes, state.theme, (value) => {
    state.theme = value;
    update();
  });
  theme.setAttribute("aria-label", "Theme");
  const actions = element(
    "div",
    { class: "actions" },
    theme,
    button("Save PNG", "Save the pictures of this view", savePicture),
    button("Copy link", "Copy a link to this page as it is now", () => void copyLink())
  );
  byId("app").append(
    element("header", {}, element("div", { class: "title" }, element("h1", {}, facts.title), element("p", {}, summary())), actions, list),
    message,
    ...facts.notes.map((note) => element("p", { class: "note" }, "Note: " + note + ".")),
    ...bodies.values()
  );
  new ResizeObserver(changed).observe(byId("app"));
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", changed);
  addEventListener("hashchange", () => {
    if (location.hash.slice(1) === toHash(state, mesh.dim)) return;
    fromHash(location.hash, state, facts, mesh);
    theme.value = state.theme;
    update();
  });
  document.addEventListener("focusin", changed);
}

function show(name: ViewName): void {
  state.view = name;
  update();
}

/** Brings everything on the page to the state. */
function update(): void {
  document.documentElement.dataset["theme"] = state.theme;
  for (const [name] of names) {
    const isShown = name === state.view;
    bodies.get(name)!.hidden = !isShown;
    tabs.get(name)!.setAttribute("aria-selected", String(isShown));
    tabs.get(name)!.tabIndex = isShown ? 0 : -1;
  }
  controls[state.view].refresh();
  views[state.view].update();
  if (state.view === "solution") controls.solution.show(solutionView.solution, solutionView.problem);
  rememberLater();
}

let timer = 0;

/** Keeps the address in step, but not so often that a browser would refuse. */
function rememberLater(): void {
  clearTimeout(timer);
  timer = window.setTimeout(() => history.replaceState(null, "", "#" + toHash(state, mesh.dim)), 400);
}

function savePicture(): void {
  save(picture(facts.title, views[state.view].panels), "evergreen-" + state.view + ".png");
}

async function copyLink(): Promise<void> {
  const link = location.href.replace(/#.*$/, "") + "#" + toHash(state, mesh.dim);
  try {
    await navigator.clipboard.writeText(link);
    say("The link is copied.");
  } catch {
    const field = element("input", { type: "text", readonly: true, value: link, "aria-label": "Link to this page" });
    message.replaceChildren("Copy this link: ", field);
    field.select();
  }
}

function say(text: string): void {
  message.textContent = text;
  setTimeout(() => {
    if (message.textContent === text) message.textContent = "";
  }, 4000);
}

/** The numbers behind the pictures, for tests and for the curious. */
declare global {
  interface Window {
    evergreen: { model: Model; update: () => void };
  }
}
window.evergreen = { model, update };
