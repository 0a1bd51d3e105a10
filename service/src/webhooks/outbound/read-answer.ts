import type { IncomingMessage } from "node:http";

const maxAnswerBytes = 16 * 1024;

/** Reads at most 16 KiB; the caller closes the connection after that. Rejects when the connection ends before the answer does. */
export async function readAnswer(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    size += chunk.length;
    if (size >= maxAnswerBytes) break;
  }
  return storableText(Buffer.concat(chunks).subarray(0, maxAnswerBytes));
}

/** PostgreSQL stores no NUL. Each invalid byte becomes three, so the text is cut again. */
function storableText(bytes: Buffer): string {
  const text = new TextDecoder().decode(bytes).replaceAll("\0", "");
  const encoded = Buffer.from(text);
  if (encoded.length <= maxAnswerBytes) return text;
  return new TextDecoder().decode(encoded.subarray(0, maxAnswerBytes), { stream: true });
}

/** `Retry-After` as seconds from now, whether it has seconds or a date. */
export function retryAfterSeconds(header: string | undefined, now = Date.now()): number | undefined {
  if (header === undefined) return undefined;
  if (/^\d{1,9}$/.test(header)) return Number(header);
  // The date of HTTP: other texts, such as "-5", are dates for JavaScript too.
  const time = /^[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT$/.test(header)
    ? Date.parse(header)
    : Number.NaN;
  return Number.isNaN(time) ? undefined : Math.max(0, Math.ceil((time - now) / 1000));
}
