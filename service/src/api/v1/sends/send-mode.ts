import type { FastifyRequest } from "fastify";
import { z } from "zod";
import type { Mode } from "../../../mode.ts";
import type { Caller } from "../../auth/authenticate.ts";
import { invalidRequest } from "../../http/validation-error.ts";
import { modeParameter } from "../list-wire.ts";

export const modeQuery = z.object({ mode: modeParameter });

/** An API key always uses its own mode. A JWT uses the mode in the query, by default `live`. */
export function modeOfCaller({ mode, credential }: Caller, requested: Mode | undefined): Mode {
  return credential.kind === "jwt" ? (requested ?? mode) : mode;
}

/** Reads `?mode=` on routes whose handler validates the request itself. */
export function requestedMode(request: FastifyRequest): Mode {
  const { mode } = request.query as { mode?: unknown };
  if (mode === undefined || mode === "live" || mode === "test") return mode ?? "live";
  throw invalidRequest([{ field: "mode", code: "unknown_value", message: "must be live or test" }]);
}
