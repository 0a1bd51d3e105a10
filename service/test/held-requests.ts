import { request as startRequest } from "node:http";

export interface Held {
  method: string;
  path: string;
  body: object;
}

/** Sends all headers and the first byte of each body, waits until the API has read them, calls `meanwhile` and sends the rest. */
export async function callHeld(
  port: number,
  requests: Held[],
  credential: Record<string, string>,
  meanwhile: () => Promise<unknown>,
) {
  const held = requests.map(({ method, path, body }) => {
    const text = JSON.stringify(body);
    const headers = { ...credential, "content-type": "application/json", "content-length": Buffer.byteLength(text) };
    const request = startRequest({ port, method, path, headers });
    const status = new Promise<number | undefined>((resolve, reject) => {
      request.on("error", reject);
      request.on("response", (response) => {
        response.resume();
        resolve(response.statusCode);
      });
    });
    request.write(text.slice(0, 1));
    return { status, finish: () => request.end(text.slice(1)) };
  });
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  await meanwhile();
  for (const { finish } of held) finish();
  return Promise.all(held.map(({ status }) => status));
}
