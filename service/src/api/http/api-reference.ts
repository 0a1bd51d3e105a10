import { createHash } from "node:crypto";
import { type FastifyInstance, fastify } from "fastify";
import type { ApiServer } from "./api-server.ts";
import { icon } from "./pages/page.ts";

/**
 * Serves the interactive documentation without any third-party fonts, proxy, telemetry or assistant. The content security
 * policy allows the page's one inline script by its hash, and inline styles because that script creates them. It is loaded by its first
 * request, because it is 4 MB of text that most processes never need.
 */
export function serveApiReference(app: ApiServer): void {
  let opened: Promise<FastifyInstance> | undefined;
  for (const url of ["/reference", "/reference/*"]) {
    app.get(url, { schema: { hide: true } }, async (request, reply) => {
      opened ??= openReference().catch((error: unknown) => {
        // The next request tries again.
        opened = undefined;
        throw error;
      });
      const { statusCode, headers, body } = await (await opened).inject({ method: "GET", url: request.url });
      if (statusCode === 404) return reply.callNotFound();
      for (const name of ["content-type", "location", "cache-control", "etag"]) {
        if (headers[name] !== undefined) reply.header(name, headers[name]);
      }
      const isPage = String(headers["content-type"]).includes("html");
      reply.header("content-security-policy", contentSecurityPolicy(isPage ? inlineScriptHashes(body) : []));
      return reply.code(statusCode).send(body);
    });
  }
}

async function openReference(): Promise<FastifyInstance> {
  const { default: apiReference } = await import("@scalar/fastify-api-reference");
  const app = fastify();
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
  return app;
}

function inlineScriptHashes(page: string): string[] {
  return [...page.matchAll(/<script(?![^>]*\bsrc=)[^>]*>([\s\S]*?)<\/script>/g)].map(
    ([, script = ""]) => `'sha256-${createHash("sha256").update(script).digest("base64")}'`,
  );
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
