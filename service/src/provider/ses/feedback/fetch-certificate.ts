import { get as getHttp, type IncomingMessage } from "node:http";
import { get as getHttps } from "node:https";

const maxBytes = 65_536;
const deadlineMs = 5_000;

/**
 * Fetches the text at an address that the caller has checked. Uses Node's plain client, which follows no redirect and
 * uses no proxy. If DNS returns a wrong server for the host name, the TLS handshake fails.
 */
export async function fetchCertificate(url: string, timeoutMs = deadlineMs): Promise<string> {
  const signal = AbortSignal.timeout(timeoutMs);
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const get = url.startsWith("https:") ? getHttps : getHttp;
    get(url, { agent: false, signal }, resolve).on("error", reject);
  });
  try {
    if (response.statusCode !== 200) throw new Error(`the server answered ${response.statusCode}`);
    return await textOf(response);
  } finally {
    response.destroy();
  }
}

async function textOf(response: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw new Error(`the answer has more than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("latin1");
}
