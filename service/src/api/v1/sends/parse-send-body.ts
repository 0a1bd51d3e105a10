import type { FastifyRequest } from "fastify";
import { AppError, type FieldProblem } from "../../../errors.ts";
import { parseJsonBody, requireJsonMedia } from "../../http/json-body.ts";
import { invalidRequest } from "../../http/validation-error.ts";
import { parseSendRequest } from "./send-request-wire.ts";

export const maxSendBytes = 8 * 1024 * 1024;

type ParsedBody = Extract<ReturnType<typeof parseSendRequest>, { request: unknown }> | { problem: AppError };

/**
 * Returns the problem instead of throwing it, because the route reports it only after it has checked the caller and the limits. Problems
 * of the query are reported together with those of the body.
 */
export function parseSendBody(request: FastifyRequest, queryProblems: FieldProblem[] = []): ParsedBody {
  try {
    const bytes = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
    if (bytes.length > 0) requireJsonMedia(request.headers);
    const key = request.headers["idempotency-key"];
    const parsed = parseSendRequest(parseJsonBody(bytes), Array.isArray(key) ? key.join(",") : key);
    const problems = [...queryProblems, ...("problems" in parsed ? parsed.problems : [])];
    return "problems" in parsed || problems.length > 0 ? { problem: invalidRequest(problems) } : parsed;
  } catch (error) {
    if (error instanceof AppError) return { problem: error };
    throw error;
  }
}
