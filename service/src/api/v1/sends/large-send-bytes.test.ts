import { EventEmitter } from "node:events";
import type { FastifyReply, FastifyRequest } from "fastify";
import { describe, expect, test } from "vitest";
import { createLargeBodyLimit } from "../../http/large-bodies.ts";
import { largeSendBytes } from "./large-send-bytes.ts";

const mebibyte = 1024 * 1024;

describe.for([0, 10, 18, 19, 25])("with %s MiB of attachments in a mail", (mebibytes) => {
  const limits = largeSendBytes({ maxAttachmentBytes: mebibytes * mebibyte });

  /** Starts requests of the account until one is refused, and never ends them, as slow clients do. Returns how many were admitted. */
  function fill(admit: ReturnType<typeof createLargeBodyLimit>["admit"], account: string, bytes: number): number {
    for (let admitted = 0; ; admitted++) {
      const request = { headers: { "content-length": String(bytes) } } as unknown as FastifyRequest;
      const reply = { raw: Object.assign(new EventEmitter(), { destroyed: false }) } as unknown as FastifyReply;
      try {
        admit(request, reply, account);
      } catch {
        return admitted;
      }
    }
  }

  test.for([limits.largest, 8 * mebibyte, 100_000])(
    "slow uploads of one account leave room for the largest mail of another (%s bytes each)",
    (bytes) => {
      const { admit } = createLargeBodyLimit(limits);
      expect(fill(admit, "slow", bytes)).toBeGreaterThanOrEqual(1);
      expect(fill(admit, "other", limits.largest)).toBeGreaterThanOrEqual(1);
    },
  );

  test("the bytes in progress are bounded", () => {
    const { admit } = createLargeBodyLimit(limits);
    const admitted = ["a", "b", "c", "d"].reduce((sum, account) => sum + fill(admit, account, limits.largest), 0);
    expect(admitted * limits.largest).toBeLessThanOrEqual(limits.total);
    expect(limits.total).toBe(mebibytes <= 18 ? 64 * mebibyte : 2 * limits.largest);
  });
});
