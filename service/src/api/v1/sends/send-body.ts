import type { FastifyRequest } from "fastify";
import { z } from "zod";
import { AppError } from "../../../errors.ts";
import type { Mode } from "../../../sends/send-request.ts";
import { invalidRequest } from "../../http/field-problems.ts";
import { parseJsonBody } from "../../http/json-body.ts";
import { modeParameter } from "../list-wire.ts";
import { readSendRequest } from "./send-wire.ts";

export const maxSendBytes = 8 * 1024 * 1024;

export const modeQuery = z.object({ mode: modeParameter });

export function requestedMode(request: FastifyRequest): Mode {
  const { mode } = request.query as { mode?: unknown };
  if (mode === undefined || mode === "live" || mode === "test") return mode ?? "live";
  throw invalidRequest([{ field: "mode", code: "unknown_value", message: "must be live or test" }]);
}

type Reading = Extract<ReturnType<typeof readSendRequest>, { request: unknown }> | { problem: AppError };

/** What is wrong with the body is a value here: it is told only after the caller was found allowed to send. */
export function readSendBody(request: FastifyRequest): Reading {
  try {
    const type = request.headers["content-type"];
    const bytes = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
    if (bytes.length > 0 && !/^application\/json *(;|$)/i.test(type ?? "")) {
      const message = "Send the body as JSON with the header Content-Type: application/json.";
      return { problem: new AppError("UNSUPPORTED_MEDIA_TYPE", message) };
    }
    const key = request.headers["idempotency-key"];
    const reading = readSendRequest(parseJsonBody(bytes), Array.isArray(key) ? key.join(",") : key);
    return "problems" in reading ? { problem: invalidRequest(reading.problems) } : reading;
  } catch (error) {
    if (error instanceof AppError) return { problem: error };
    throw error;
  }
}
