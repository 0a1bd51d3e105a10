import type { CustomFetch } from "openid-client";

/** Far more than the largest discovery document, key set or token response. */
const maxBytes = 256 * 1024;

/** Reads the whole response within the deadline of the request, and refuses one that is too large. */
export const fetchFromIssuer: CustomFetch = async (url, { method, headers, body, redirect, signal }) => {
  const response = await fetch(url, {
    method,
    headers,
    redirect,
    ...(signal === undefined ? {} : { signal }),
    ...(body instanceof URLSearchParams || typeof body === "string" ? { body } : {}),
  });
  const text = await readAtMost(response.body, maxBytes);
  return new Response(text, { status: response.status, headers: response.headers });
};

export class TooLargeError extends Error {
  override readonly name = "TooLargeError";
}

async function readAtMost(body: ReadableStream<Uint8Array> | null, limit: number): Promise<Buffer<ArrayBuffer> | null> {
  if (body === null) return null;
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > limit) throw new TooLargeError(`a response of the issuer has more than ${limit} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
