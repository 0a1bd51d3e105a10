import { z } from "zod";
import { AppError } from "../../errors.ts";
import type { ApiDeps, ApiServer } from "./api-server.ts";
import { errorResponses } from "./wire-format.ts";

/** Public, so the response contains no details. The operations port reports why a process is not ready. */
export function healthRoutes(app: ApiServer, deps: ApiDeps): void {
  app.get(
    "/healthz",
    {
      schema: {
        operationId: "healthz",
        summary: "Check that the process is alive",
        tags: ["Health"],
        security: [],
        response: {
          200: z.object({ status: z.literal("alive") }).describe("The process is alive"),
          ...errorResponses(431),
        },
      },
    },
    () => ({ status: "alive" as const }),
  );

  app.get(
    "/readyz",
    {
      schema: {
        operationId: "readyz",
        summary: "Check that the process can serve requests",
        tags: ["Health"],
        security: [],
        response: {
          200: z.object({ status: z.literal("ready") }).describe("The process can serve requests"),
          ...errorResponses(431),
        },
      },
    },
    async () => {
      const { isReady } = await deps.readiness();
      if (isReady) return { status: "ready" as const };
      throw new AppError(
        "UNAVAILABLE",
        "This process is not ready. The operator finds the reason at GET /health on the operations port.",
        { retryAfterSeconds: 2 },
      );
    },
  );
}
