import { createHash } from "node:crypto";
import apiReference from "@scalar/fastify-api-reference";
import type { ApiServer } from "./api-server.ts";

/**
 * Interactive documentation, all of it served from here: no font, proxy, telemetry or assistant of anyone else. The page
 * has one inline script, allowed by its hash; styles are written by that script, which is why they may be inline.
 */
export async function serveReference(app: ApiServer): Promise<void> {
  app.addHook("onSend", async (request, reply, payload) => {
    if (!request.url.startsWith("/reference") || typeof payload !== "string") return payload;
    const hashes = [...payload.matchAll(/<script(?![^>]*\bsrc=)[^>]*>([\s\S]*?)<\/script>/g)].map(
      ([, script = ""]) => `'sha256-${createHash("sha256").update(script).digest("base64")}'`,
    );
    reply.header("content-security-policy", contentPolicy(hashes));
    return payload;
  });
  await app.register(apiReference, {
    routePrefix: "/reference",
    configuration: {
      url: "/openapi.json",
      pageTitle: "Postern API reference",
      withDefaultFonts: false,
      hideClientButton: true,
      telemetry: false,
      agent: { disabled: true },
      mcp: { disabled: true },
      showDeveloperTools: "never",
      documentDownloadType: "json",
    },
  });
}

function contentPolicy(scriptHashes: string[]): string {
  return [
    "default-src 'self'",
    `script-src ${["'self'", ...scriptHashes].join(" ")}`,
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; ");
}
