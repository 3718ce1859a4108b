// Small helpers for the page's elements. Text goes into text nodes only, so that
// whatever a kernel is called stays text.

type Attributes = Record<string, string | number | boolean | ((event: Event) => void) | undefined>;

/** An element with attributes, "on..." handlers and children. */
export function element<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: (Node | string | undefined)[]
): HTMLElementTagNameMap[K] {
  const result = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") result.addEventListener(name.slice(2), value);
    else if (value === true) result.setAttribute(name, "");
    else if (value !== false && value !== undefined) result.setAttribute(name, String(value));
  }
  for (const child of children) if (child !== undefined) result.append(child);
  return result;
}

export function button(text: string, title: string, action: () => void): HTMLButtonElement {
  return element("button", { type: "button", title, onclick: action }, text);
}

/** A labelled control in the column of controls. */
export function field(label: string, control: HTMLElement, output?: HTMLElement): HTMLLabelElement {
  return element("label", { class: "field" }, element("span", { class: "name" }, label), control, output);
}

export function range(least: number, most: number, step: number, value: number, action: (value: number) => void): HTMLInputElement {
  const input = element("input", { type: "range", min: least, max: most, step });
  input.value = String(value);
  input.addEventListener("input", () => action(Number(input.value)));
  return input;
}

export function checkbox(label: string, value: boolean, action: (value: boolean) => void): HTMLLabelElement {
  const input = element("input", { type: "checkbox" });
  input.checked = value;
  input.addEventListener("change", () => action(input.checked));
  return element("label", { class: "check" }, input, label);
}

/** A choice of several, as buttons that exclude each other. */
export function choice<T extends string>(
  label: string,
  options: [T, string][],
  value: T,
  action: (value: T) => void
): HTMLFieldSetElement {
  const name = "choice-" + Math.random().toString(36).slice(2);
  const result = element("fieldset", { class: "choice" }, element("legend", {}, label));
  for (const [key, text] of options) {
    const input = element("input", { type: "radio", name, value: key });
    input.checked = key === value;
    input.addEventListener("change", () => action(key));
    result.append(element("label", {}, input, element("span", {}, text)));
  }
  return result;
}

export function select<T extends string>(options: [T, string][], value: T, action: (value: T) => void): HTMLSelectElement {
  const result = element("select", {}, ...options.map(([key, text]) => element("option", { value: key }, text)));
  result.value = value;
  result.addEventListener("change", () => action(result.value as T));
  return result;
}

/** Calls a function once before the next picture, however often it is asked. */
export function onNextFrame(action: () => void): () => void {
  let isWaiting = false;
  return () => {
    if (isWaiting) return;
    isWaiting = true;
    requestAnimationFrame(() => {
      isWaiting = false;
      action();
    });
  };
}

/** The colour that a custom property has in the present theme. */
export function themeColour(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();
}
