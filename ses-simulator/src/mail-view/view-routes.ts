import { readFileSync } from "node:fs";
import type { Call, Reply } from "../http/call.ts";

const files: Record<string, { file: string; type: string }> = {
  "/": { file: "page.html", type: "text/html; charset=utf-8" },
  "/page.css": { file: "page.css", type: "text/css; charset=utf-8" },
  "/page.js": { file: "page.js", type: "text/javascript; charset=utf-8" },
};

/**
 * Nothing from elsewhere, no inline script. Mail is shown in a frame with an opaque origin and no scripts; the frame
 * inherits this policy, so remote images of a mail, which would report who looked, are not loaded either.
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

export function viewReply(call: Call): Reply | undefined {
  const found = call.method === "GET" && Object.hasOwn(files, call.path) ? files[call.path] : undefined;
  if (found === undefined) return undefined;
  return {
    status: 200,
    headers: {
      "content-type": found.type,
      "content-security-policy": policy,
      "x-content-type-options": "nosniff",
      "referrer-policy": "no-referrer",
      "cache-control": "no-store",
    },
    body: readFileSync(new URL(found.file, import.meta.url)),
  };
}
