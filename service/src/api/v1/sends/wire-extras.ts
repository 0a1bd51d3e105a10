import { z } from "zod";
import type { SendExtras } from "../../../events/facts-of-send.ts";

/** Additions to the published interface, present when the request had them. */
export const wireExtras = {
  tags: z
    .array(z.string())
    .optional()
    .describe("Present when the send has tags")
    .meta({ example: ["receipt"] }),
  metadata: z
    .record(z.string(), z.unknown())
    .optional()
    .describe("Present when the send has metadata")
    .meta({ example: { order: "1001" } }),
};

export function toWireExtras({ tags, metadata }: SendExtras) {
  return {
    ...(tags !== null && { tags }),
    // Only the accept statement writes it, from a JSON object.
    ...(metadata !== null && { metadata: JSON.parse(metadata) as Record<string, unknown> }),
  };
}
