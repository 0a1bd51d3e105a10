import { createHash } from "node:crypto";
import apiReference from "@scalar/fastify-api-reference";
import type { ApiServer } from "./api-server.ts";
import { icon } from "./pages/page.ts";

/**
 * Serves the interactive documentation without any third-party fonts, proxy, telemetry or assistant. The content security
 * policy allows the page's one inline script by its hash, and inline styles because that script creates them.
 */
export async function serveApiReference(app: ApiServer): Promise<void> {
  app.addHook("onSend", async (request, reply, payload) => {
    if (!request.url.startsWith("/reference") || typeof payload !== "string") return payload;
    const hashes = [...payload.matchAll(/<script(?![^>]*\bsrc=)[^>]*>([\s\S]*?)<\/script>/g)].map(
      ([, script = ""]) => `'sha256-${createHash("sha256").update(script).digest("base64")}'`,
    );
    reply.header("content-security-policy", contentSecurityPolicy(hashes));
    return payload;
  });
  await app.register(apiReference, {
    routePrefix: "/reference",
    configuration: {
      url: "/openapi.json",
      pageTitle: "Postern API reference",
      favicon: icon,
      withDefaultFonts: false,
      hideClientButton: true,
      telemetry: false,
      agent: { disabled: true },
      mcp: { disabled: true },
      showDeveloperTools: "never",
      documentDownloadType: "json",
      defaultHttpClient: { targetKey: "shell", clientKey: "curl" },
      // The Node sample of every operation uses the SDK (code-samples.ts).
      hiddenClients: { node: true, js: true },
    },
  });
}

function contentSecurityPolicy(scriptHashes: string[]): string {
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
