import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { AppError } from "../../../errors.ts";
import type { BodyRead, BodyToRead } from "./body-thread.ts";
import { readSendBody } from "./read-send-body.ts";
import type { ParsedSend, SendLimits } from "./send-request-wire.ts";

export interface BodyReader {
  /** Takes the bytes: the caller has them no longer. */
  read(bytes: Buffer, headerKey: string | undefined): Promise<ParsedSend>;
}

/** Decoding and hashing an attachment of 10 MiB takes 0.3 s, in which the plain mail of others would wait. */
const threadFromBytes = 1024 * 1024;
const maxReadMs = 15_000;
const keepIdleMs = 60_000;
const threadFile = new URL("body-thread.ts", import.meta.url);

/**
 * Reads small bodies at once and large ones in a thread, one at a time. The thread starts with the first large body and ends when none has
 * come for a minute.
 */
export function createBodyReader(limits: SendLimits): BodyReader {
  let thread: Worker | undefined;
  let idle: NodeJS.Timeout | undefined;
  let last: Promise<unknown> = Promise.resolve();

  function stop(): void {
    void thread?.terminate();
    thread = undefined;
  }

  async function readInThread(body: BodyToRead): Promise<ParsedSend> {
    clearTimeout(idle);
    thread ??= startThread();
    try {
      const answer = once(thread, "message", { signal: AbortSignal.timeout(maxReadMs) });
      thread.postMessage(body, [body.bytes.buffer as ArrayBuffer]);
      return parsedOf(((await answer) as [BodyRead])[0]);
    } catch (error) {
      if (error instanceof AppError) throw error;
      stop();
      throw notRead(error);
    } finally {
      idle = setTimeout(stop, keepIdleMs).unref();
    }
  }

  return {
    async read(bytes, headerKey) {
      if (bytes.length < threadFromBytes) return readSendBody(bytes, headerKey, limits);
      const isOwn = bytes.buffer.byteLength === bytes.length;
      const read = last.then(() => readInThread({ bytes: isOwn ? bytes : new Uint8Array(bytes), headerKey, limits }));
      last = read.catch(() => undefined);
      return read;
    },
  };
}

function startThread(): Worker {
  const thread = new Worker(threadFile, { resourceLimits: { maxOldGenerationSizeMb: 256 } });
  thread.unref();
  // The request that waits for an answer gets the error too; without a listener the error would end the process.
  thread.on("error", () => undefined);
  return thread;
}

function parsedOf(read: BodyRead): ParsedSend {
  if ("error" in read) {
    const { code, message, details } = read.error;
    throw new AppError(code, message, details === undefined ? {} : { details });
  }
  const { parsed } = read;
  if ("problems" in parsed) return parsed;
  const attachments = (parsed.request.attachments ?? []).map((one) => ({ ...one, bytes: asBuffer(one.bytes) }));
  return { request: { ...parsed.request, attachments } };
}

/** Buffers leave a thread as plain arrays. */
function asBuffer({ buffer, byteOffset, length }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, length);
}

function notRead(cause: unknown): AppError {
  return new AppError("UNAVAILABLE", "The body could not be read in time. Send the same request again.", {
    retryAfterSeconds: 2,
    cause,
  });
}
