import { z } from "zod";
import { AppError } from "../../errors.ts";
import type { ApiDeps, ApiServer } from "./api-server.ts";
import { errorAnswers } from "./wire-format.ts";

/** Public and bare; the reasons stand on the operations port. */
export function healthRoutes(app: ApiServer, deps: ApiDeps): void {
  app.get(
    "/healthz",
    {
      schema: {
        operationId: "healthz",
        summary: "Is the process alive?",
        tags: ["Health"],
        security: [],
        response: { 200: z.object({ status: z.literal("alive") }).describe("It answers"), ...errorAnswers(431) },
      },
    },
    () => ({ status: "alive" as const }),
  );

  app.get(
    "/readyz",
    {
      schema: {
        operationId: "readyz",
        summary: "Can the process do its work?",
        tags: ["Health"],
        security: [],
        response: { 200: z.object({ status: z.literal("ready") }).describe("It can"), ...errorAnswers(431) },
      },
    },
    async () => {
      const { isReady } = await deps.readiness();
      if (isReady) return { status: "ready" as const };
      throw new AppError("UNAVAILABLE", "Not ready. The operations port says why.", { retryAfterSeconds: 2 });
    },
  );
}
