import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import type { FastifyReply, FastifyRequest } from "fastify";

const css = readFileSync(new URL("page.css", import.meta.url), "utf8");

/** A page has no script and loads nothing; the browser applies only this style sheet. */
const policy = [
  "default-src 'none'",
  `style-src 'sha256-${createHash("sha256").update(css).digest("base64")}'`,
  "img-src data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

export const icon =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Crect x='1' y='3' width='14' height='10' rx='2' " +
  "fill='%23b4532a'/%3E%3Cpath d='M2 4.5l6 4.5 6-4.5' fill='none' stroke='white' stroke-width='1.5'/%3E%3C/svg%3E";

export interface PageOptions {
  showReference: boolean;
}

/** Browsers list text/html; API clients and curl do not. */
export function wantsPage({ headers }: FastifyRequest): boolean {
  return headers.accept?.includes("text/html") ?? false;
}

export function sendPage(reply: FastifyReply, title: string, content: string, options: PageOptions): FastifyReply {
  return reply
    .headers({ "content-security-policy": policy, vary: "accept" })
    .type("text/html; charset=utf-8")
    .send(layout(title, content, options));
}

export function sendText(reply: FastifyReply, text: string): FastifyReply {
  return reply.header("vary", "accept").type("text/plain; charset=utf-8").send(text);
}

function layout(title: string, content: string, { showReference }: PageOptions): string {
  return `<!doctype html>
<html lang="en">
<head>
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <meta name="color-scheme" content="light dark">
  <title>${escapeHtml(title)}</title>
  <link rel="icon" href="${icon}">
  <style>${css}</style>
</head>
<body>
  <header>
    <nav aria-label="Pages">
      <a class="home" href="/">Postern</a>
      ${showReference ? '<a href="/reference/">API reference</a>' : ""}
      <a href="/errors">Errors</a>
      <a href="/healthz">Status</a>
    </nav>
  </header>
  <main>
${content}
  </main>
</body>
</html>
`;
}

export function escapeHtml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}

/** Text of this project, in which backticks mark code. */
export function textToHtml(text: string): string {
  return escapeHtml(text).replaceAll(/`([^`]+)`/g, "<code>$1</code>");
}
