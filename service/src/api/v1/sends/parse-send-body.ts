import type { FastifyRequest } from "fastify";
import { AppError } from "../../../errors.ts";
import { parseJsonBody } from "../../http/json-body.ts";
import { invalidRequest } from "../../http/validation-error.ts";
import { parseSendRequest } from "./send-request-wire.ts";

export const maxSendBytes = 8 * 1024 * 1024;

type ParsedBody = Extract<ReturnType<typeof parseSendRequest>, { request: unknown }> | { problem: AppError };

/** Returns the problem instead of throwing it, because the route reports it only after it has checked the caller and the limits. */
export function parseSendBody(request: FastifyRequest): ParsedBody {
  try {
    const type = request.headers["content-type"];
    const bytes = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
    if (bytes.length > 0 && !/^application\/json *(;|$)/i.test(type ?? "")) {
      const message = "Send the body as JSON with the header Content-Type: application/json.";
      return { problem: new AppError("UNSUPPORTED_MEDIA_TYPE", message) };
    }
    const key = request.headers["idempotency-key"];
    const parsed = parseSendRequest(parseJsonBody(bytes), Array.isArray(key) ? key.join(",") : key);
    return "problems" in parsed ? { problem: invalidRequest(parsed.problems) } : parsed;
  } catch (error) {
    if (error instanceof AppError) return { problem: error };
    throw error;
  }
}
