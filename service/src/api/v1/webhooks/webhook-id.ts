import { z } from "zod";
import type { AppError } from "../../../errors.ts";
import { noSuchEndpoint } from "../../../webhooks/endpoint-store.ts";

/** A malformed id gets the same 404 as an unknown one. */
export function requireUuid(text: string, missing: () => AppError = noSuchEndpoint): string {
  if (!z.guid().safeParse(text).success) throw missing();
  return text;
}
