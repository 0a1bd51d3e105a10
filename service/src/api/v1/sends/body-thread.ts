import { parentPort } from "node:worker_threads";
import { AppError } from "../../../errors.ts";
import type { SendRequest } from "../../../sends/send-request.ts";
import { readSendBody } from "./read-send-body.ts";
import type { ParsedSend, SendLimits } from "./send-request-wire.ts";

/** What the thread gets. The bytes are transferred. */
export interface BodyToRead {
  bytes: Uint8Array;
  headerKey: string | undefined;
  limits: SendLimits;
}

/** What it returns. The bytes of the attachments are transferred. */
export type BodyRead = { parsed: ParsedSend } | { error: Pick<AppError, "code" | "message" | "details"> };

// oxlint-disable-next-line unicorn/require-post-message-target-origin -- the target is a thread, not a window
parentPort?.on("message", (body: BodyToRead) => {
  const read = readInThread(body);
  parentPort?.postMessage(read, "parsed" in read && "request" in read.parsed ? buffersOf(read.parsed.request) : []);
});

function readInThread({ bytes, headerKey, limits }: BodyToRead): BodyRead {
  try {
    return { parsed: readSendBody(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length), headerKey, limits) };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const { code, message, details } = error;
    return { error: { code, message, details } };
  }
}

/** A small buffer is part of a pool that others use, so it is copied. */
function buffersOf({ attachments }: SendRequest): ArrayBuffer[] {
  return (attachments ?? []).flatMap(({ bytes }) =>
    bytes.length > 0 && bytes.buffer.byteLength === bytes.length ? [bytes.buffer as ArrayBuffer] : [],
  );
}
