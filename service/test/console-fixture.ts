import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export const consoleScript = "export const text = 'hello';\n".repeat(500);
export const consoleImage = Buffer.from("89504e470d0a1a0a", "hex");

/** A built console: its page, two texts, an image and an icon, and files that must not be served. */
export function aConsoleFolder(): { path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), "postern-console-"));
  const dist = join(path, "dist");
  mkdirSync(join(dist, "assets"), { recursive: true });
  writeFileSync(join(path, "secret.txt"), "outside");
  writeFileSync(join(dist, "index.html"), page);
  writeFileSync(join(dist, "favicon.svg"), "<svg/>");
  writeFileSync(join(dist, ".hidden.json"), "{}");
  writeFileSync(join(dist, "unknown.type"), "not served");
  writeFileSync(join(dist, "assets/index-B1a2.js"), consoleScript);
  writeFileSync(join(dist, "assets/index-C3d4.css"), "p{}");
  writeFileSync(join(dist, "assets/mark-D5e6.png"), consoleImage);
  symlinkSync(join(path, "secret.txt"), join(dist, "assets/link.txt"));
  return { path: dist, remove: () => rmSync(path, { recursive: true, force: true }) };
}

const page = `<!doctype html>
<html lang="en">
<head>
  <meta name="csp-nonce" content="__CSP_NONCE__">
  <script type="module" src="/assets/index-B1a2.js" nonce="__CSP_NONCE__"></script>
</head>
<body></body>
</html>
`;
