import { randomBytes } from "node:crypto";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { ApiServer } from "../api-server.ts";
import { unknownPath } from "../error-response.ts";
import { type Asset, type ConsoleFiles, chooseEncoding } from "./console-files.ts";
import { consolePaths } from "./console-paths.ts";

/** Vite adds a hash of the content to each name, so a name never gets another content. */
const forever = "public, max-age=31536000, immutable";
/** The names of other files stay, so a new version of the console must reach the browser soon. */
const forAnHour = "public, max-age=3600";
const noncePlaceholder = "__CSP_NONCE__";
const hidden = { schema: { hide: true } };

/**
 * The console is one page for all its paths, whose script shows the screen of the path; / is its first one. Without a built console
 * these paths do not exist. The routes need no credential: the files are the same for everyone, and the page gets its data from the API.
 */
export function consoleRoutes(app: ApiServer, files: ConsoleFiles | undefined): void {
  const page = (request: FastifyRequest, reply: FastifyReply) => {
    if (files === undefined || !acceptsPage(request)) throw unknownPath();
    return sendConsole(reply, files);
  };
  for (const path of consolePaths) app.get(path, hidden, page);

  app.get<{ Params: { name: string } }>("/assets/:name", hidden, async (request, reply) => {
    const asset = files?.assets.get(request.params.name);
    if (asset === undefined) throw unknownPath();
    return sendAsset(request, reply.header("cache-control", forever), asset);
  });
  for (const [name, asset] of files?.pageFiles ?? []) {
    app.get(`/${name}`, hidden, (request, reply) =>
      sendAsset(request, reply.header("cache-control", forAnHour), asset),
    );
  }
}

async function sendAsset(request: FastifyRequest, reply: FastifyReply, asset: Asset): Promise<FastifyReply> {
  const encoding = chooseEncoding(request.headers["accept-encoding"]);
  const compressed = encoding && (await asset.compressed(encoding));
  if (encoding !== undefined && compressed !== undefined) reply.header("content-encoding", encoding);
  return reply
    .headers({ vary: "accept-encoding", "cross-origin-resource-policy": "same-origin" })
    .type(asset.type)
    .send(compressed ?? asset.content);
}

/** The page gets a new nonce each time, so it is never cached. */
export function sendConsole(reply: FastifyReply, { index }: ConsoleFiles): FastifyReply {
  const nonce = randomBytes(16).toString("base64");
  return reply
    .headers({
      "content-security-policy": contentSecurityPolicy(nonce),
      "cross-origin-opener-policy": "same-origin",
      vary: "accept",
    })
    .type("text/html; charset=utf-8")
    .send(index.replaceAll(noncePlaceholder, nonce));
}

/** Browsers name this type when they open a page. A program that accepts all types gets the published 404. */
function acceptsPage({ headers: { accept = "" } }: FastifyRequest): boolean {
  return accept.includes("text/html");
}

/** Scripts come from our files only. The nonce is for style sheets that the script adds, the attribute for positions on the screen. */
function contentSecurityPolicy(nonce: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "style-src-attr 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "frame-src 'self'",
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join("; ");
}
