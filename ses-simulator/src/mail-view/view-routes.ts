import { existsSync, readFileSync } from "node:fs";
import type { Call, Reply } from "../http/call.ts";

const types: Record<string, string> = {
  html: "text/html; charset=utf-8",
  css: "text/css; charset=utf-8",
  js: "text/javascript; charset=utf-8",
};

/**
 * The page loads nothing from other hosts and runs no inline script. It shows a mail in a frame with an opaque origin
 * and no scripts. The frame inherits this policy, so the browser does not load tracking images of a mail.
 */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "connect-src 'self'",
  "img-src data:",
  "font-src data:",
  "frame-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

/** `/` is the page, `/_page/<name>` is a file that it loads. */
export function answerViewCall(call: Call): Reply | undefined {
  const name = call.path === "/" ? "page.html" : /^\/_page\/([a-z-]+\.(?:css|js))$/.exec(call.path)?.[1];
  if (call.method !== "GET" || name === undefined) return undefined;
  const file = new URL(`page/${name}`, import.meta.url);
  if (!existsSync(file)) return undefined;
  return {
    status: 200,
    headers: {
      "content-type": types[name.slice(name.lastIndexOf(".") + 1)] ?? "",
      "content-security-policy": policy,
      "x-content-type-options": "nosniff",
      "referrer-policy": "no-referrer",
      "cache-control": "no-store",
    },
    body: readFileSync(file),
  };
}
