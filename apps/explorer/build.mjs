// node build.mjs PAGE.html TEMPLATE.cc: checks the types, bundles the page into
// one HTML file with a content security policy that names its own parts only,
// and writes it as a C++ string.
import { createHash } from "node:crypto";
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { buildSync } from "esbuild";

const [page, source] = process.argv.slice(2);
execFileSync(process.execPath, ["node_modules/typescript/bin/tsc", "--noEmit"], { stdio: "inherit" });

const bundle = (entry) =>
  buildSync({
    entryPoints: [entry],
    bundle: true,
    minify: true,
    write: false,
    format: "iife",
    target: "es2020",
    charset: "utf8",
    legalComments: "none",
  }).outputFiles[0].text.trim();
const script = bundle("src/main.ts");
const style = bundle("src/style.css");
if (script.includes("</script") || style.includes("</style")) throw new Error("a closing tag in the bundle");

const hash = (text) => "'sha256-" + createHash("sha256").update(text).digest("base64") + "'";
const policy = [
  "default-src 'none'",
  "script-src " + hash(script),
  "style-src " + hash(style),
  "img-src data: blob:",
  "base-uri 'none'",
  "form-action 'none'",
].join("; ");
const html = readFileSync("src/page.html", "utf8")
  .replace("%POLICY%", () => policy)
  .replace("%STYLE%", () => style)
  .replace("%SCRIPT%", () => script);
writeFileSync(page, html);

// Long string literals are not portable; many that follow each other are.
const literals = [];
const bytes = Buffer.from(html, "utf8");
for (let i = 0; i < bytes.length; i += 100) {
  let literal = "";
  for (const byte of bytes.subarray(i, i + 100)) {
    const c = String.fromCharCode(byte);
    literal += byte < 32 || byte > 126 || c === '"' || c === "\\" || c === "?" ? "\\" + byte.toString(8).padStart(3, "0") : c;
  }
  literals.push('  "' + literal + '"');
}
writeFileSync(
  source,
  `#include "explorer_template.h"
const char *const Evergreen::explorer_obstacle = "";
const char *const Evergreen::explorer_template =
${literals.join("\n")};
`
);
