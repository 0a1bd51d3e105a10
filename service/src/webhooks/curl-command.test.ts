import { execFile } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { promisify } from "node:util";
import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, expect, test } from "vitest";
import { curlCommand } from "./curl-command.ts";
import { makeEndpointSecret } from "./endpoint-secret.ts";
import { notificationHeaders } from "./notification-headers.ts";

const run = promisify(execFile);
const secret = makeEndpointSecret();
const received: { body: Buffer; headers: Record<string, unknown>; path: string }[] = [];
const server = createServer((request, response) => {
  void buffer(request).then((body) => {
    received.push({ body, headers: request.headers, path: request.url ?? "" });
    response.end("received");
  });
});

beforeAll(async () => {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
});

afterAll(() => server.close());

const hostile = {
  "an example": '{"type":"send.bounced","data":{}}',
  "single quotes": `{"a":"it's 'quoted' ''"}`,
  "the end of a quoted text and a command": `'; touch /tmp/postern-was-here; echo '`,
  "expansions of the shell": '{"a":"$(id) `id` $HOME $((1+1)) !! !$ \\" \\\\ ~ * ? #"}',
  "line breaks": "first\nsecond\r\nthird\u2028fourth\n",
  "a format of printf": "100 %s %d %% \\n \\060\n'quoted'",
  "control characters": "bell \u0007, escape \u001b[201~, csi \u009b31m, delete \u007f, tab \t",
  "text that is shown in another order": '{"a":"abc\u202Efed\u2066x\u200b"}',
  "other scripts and emoji": '{"a":"Grüße 📬 日本語 👩‍💻 é"}',
  "what curl would read from a file": "@/etc/hostname",
  "the largest body": `{"a":"${"€'".repeat(4_000)}"}`,
};

for (const shell of ["bash", "sh"]) {
  test.for(Object.entries(hostile))(
    `pasted into ${shell}, it sends exactly the bytes of %s, signed`,
    async ([, body]) => {
      const { port } = server.address() as AddressInfo; // A listening TCP server has no other kind of address.
      const [publicId, timestamp] = ["0199a5c2-1f3e-7c4b-9d52-6a1b2c3d4e5f", Math.floor(Date.now() / 1000)];
      const headers = notificationHeaders({ secrets: [secret.bytes], publicId, timestamp, body });
      const url = `http://127.0.0.1:${port}/hooks/[a]/{b,c}?token='x'&y=$z`;
      const { stdout } = await run(shell, ["-c", curlCommand({ url, headers, body })], { timeout: 20_000 });
      expect(stdout).toMatch(/^HTTP\/1.1 200[\s\S]*received$/);
      const last = received.at(-1);
      expect(last?.body.toString()).toBe(body);
      const { pathname, search } = new URL(url);
      expect(last?.path).toBe(pathname + search);
      expect(last?.headers).toMatchObject(headers);
      expect(last?.headers).not.toHaveProperty("accept");
      // Throws unless signature and timestamp are right. It also parses the body, which the hostile ones are not meant for.
      const library = new Webhook(secret.text);
      const signature = library.sign(publicId, new Date(timestamp * 1000), last?.body.toString() ?? "");
      expect(last?.headers["webhook-signature"]).toBe(signature);
    },
  );
}

test.for(Object.entries(hostile))(
  "the command for %s has nothing that a terminal does not print as it is",
  ([, body]) => {
    expect(curlCommand({ url: "https://a.test/", headers: {}, body }).replaceAll(/ \\\n {2}/g, " ")).not.toMatch(
      /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u,
    );
  },
);
