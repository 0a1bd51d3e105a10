import type { FastifyRequest } from "fastify";
import { AppError, type FieldProblem } from "../../../errors.ts";
import { requireJsonMedia } from "../../http/json-body.ts";
import { invalidRequest } from "../../http/validation-error.ts";
import type { BodyReader } from "./body-reader.ts";
import type { ParsedSend } from "./send-request-wire.ts";

type ParsedBody = Extract<ParsedSend, { request: unknown }> | { problem: AppError };

/**
 * Returns the problem instead of throwing it, because the route reports it only after it has checked the caller and the limits. Problems
 * of the query are reported together with those of the body.
 */
export async function parseSendBody(
  request: FastifyRequest,
  reader: BodyReader,
  queryProblems: FieldProblem[] = [],
): Promise<ParsedBody> {
  try {
    const parsed = await reader.read(jsonBytesOf(request), headerKeyOf(request));
    const problems = [...queryProblems, ...("problems" in parsed ? parsed.problems : [])];
    return "problems" in parsed || problems.length > 0 ? { problem: invalidRequest(problems) } : parsed;
  } catch (error) {
    if (error instanceof AppError) return { problem: error };
    throw error;
  }
}

/** Throws 415 unless the headers declare JSON. Without a body there is nothing to declare. */
export function jsonBytesOf({ body, headers }: FastifyRequest): Buffer {
  const bytes = Buffer.isBuffer(body) ? body : Buffer.alloc(0);
  if (bytes.length > 0) requireJsonMedia(headers);
  return bytes;
}

export function headerKeyOf({ headers }: FastifyRequest): string | undefined {
  const key = headers["idempotency-key"];
  return Array.isArray(key) ? key.join(",") : key;
}
