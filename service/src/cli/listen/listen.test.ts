import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { verifyWebhook } from "../../../../sdk/src/verify-webhook.ts";
import { anAccount, anApiKey } from "../../../test/builders.ts";
import { startListen } from "../../../test/listen-run.ts";
import { runPostern } from "../../../test/run-postern.ts";
import { change } from "../../../test/send-rows.ts";
import { useTestApi } from "../../../test/use-test-api.ts";
import { aWebhook } from "../../../test/webhook-builders.ts";
import type { KeyScope } from "../../api-keys/scopes.ts";
import { fanOut } from "../../webhooks/fan-out.ts";

const api = useTestApi();
let url = "";
beforeAll(async () => {
  url = await api.app.listen({ port: 0, host: "127.0.0.1" });
});

describe("postern listen", () => {
  test.for(["SIGINT", "SIGTERM"] as const)(
    "posts notifications to the local URL, signed with the printed secret, until %s",
    async (signal) => {
      const { accountId, env } = await anEnvironment();
      const receiver = await aReceiver(() => 204);
      const run = startListen(["--forward", `${receiver.url}/hooks?a=1`, "--mode", "test"], env);
      await run.shows("Secret: whsec_");
      await notify(accountId, "first.example", "second.example");
      await run.shows("second.example");

      const secret = /^Secret: (whsec_\S+)$/m.exec(run.stderr())?.[1] ?? "";
      const [first, second] = receiver.requests;
      for (const { body, headers } of [first, second].filter((each) => each !== undefined)) {
        const notification = await verifyWebhook(body, headers, secret);
        expect(notification).toMatchObject({ type: "domain.verified", mode: "test" });
        await expect(
          verifyWebhook(body, headers, "whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="),
        ).rejects.toThrow();
      }
      expect(Object.keys(first?.headers ?? {}).toSorted()).toEqual(
        [
          "connection",
          "content-length",
          "content-type",
          "host",
          "user-agent",
          "webhook-id",
          "webhook-signature",
          "webhook-timestamp",
        ].toSorted(),
      );
      expect(first).toMatchObject({ method: "POST", path: "/hooks?a=1" });
      expect(first?.body).toContain("first.example");
      const line = /^✓ \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC {2}domain\.verified +\w+\.example {2}204 {2}\d+ ms$/;
      expect(run.stdout().trim().split("\n")).toEqual([expect.stringMatching(line), expect.stringMatching(line)]);

      run.kill(signal);
      expect(await run.exited).toBe(0);
      expect(run.stderr()).toContain("The listener is deleted.\n");
      expect(await change(api.database.db, "select from webhook_endpoints where account_id = $1", [accountId])).toEqual(
        [],
      );
      expect(receiver.requests).toHaveLength(2);
    },
  );

  test("prints a failure of the local URL and goes on with the next notification, without a retry", async () => {
    const { accountId, env } = await anEnvironment();
    const statuses = [500, 302, 200];
    const receiver = await aReceiver(() => statuses.shift() ?? 418);
    const run = startListen(["--forward", receiver.url, "--types", "domain.verified"], env);
    await run.shows("Types: domain.verified");
    await notify(accountId, "a.example", "b.example", "c.example");
    await run.shows("c.example");
    const lines = run.stdout().trim().split("\n");
    expect(lines).toEqual([
      expect.stringMatching(/^✗ .* a\.example {2}500 {2}\d+ ms {2}The endpoint answered 500\.$/),
      expect.stringMatching(/^✗ .* b\.example {2}302 .* Postern does not follow redirects\.$/),
      expect.stringMatching(/^✓ .* c\.example {2}200 {2}\d+ ms$/),
    ]);
    receiver.close();
    await notify(accountId, "d.example");
    await run.shows("The endpoint refused the connection.");
    expect(receiver.requests).toHaveLength(3);
  });

  test("ends with code 0 and deletes the listener when the program after the pipe has ended", async () => {
    const { accountId, env } = await anEnvironment();
    const receiver = await aReceiver(() => 200);
    const run = startListen(["--forward", receiver.url], env);
    await run.shows("Secret:");
    run.closePipe();
    await notify(accountId, "a.example");
    expect(await run.exited).toBe(0);
    expect(await change(api.database.db, "select from webhook_endpoints where account_id = $1", [accountId])).toEqual(
      [],
    );
  });
});

describe("postern listen ends with code 1 and says what to do", () => {
  const args = ["listen", "--forward", "http://127.0.0.1:9/"];

  test("with a key that the API does not know", async () => {
    const { code, stdout, stderr } = await runPostern(args, { POSTERN_URL: url, POSTERN_API_KEY: "pk_test_wrong" });
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toMatch(/refuses the key\. .*Set POSTERN_API_KEY to a key with the scopes webhooks and read\.\n$/);
  });

  test("with a key that lacks a scope", async () => {
    const { env } = await anEnvironment(["read", "send"]);
    const { code, stderr } = await runPostern(args, env);
    expect([code, stderr]).toEqual([1, expect.stringContaining("`webhooks` and the scope `read`")]);
  });

  test("with the mode of another key", async () => {
    const { env } = await anEnvironment();
    const { code, stderr } = await runPostern([...args, "--mode", "live"], env);
    expect([code, stderr]).toEqual([1, expect.stringContaining("the API key is a test key")]);
  });

  test("when the account has ten webhooks", async () => {
    const { accountId, env } = await anEnvironment();
    for (let made = 0; made < 10; made++) await aWebhook(api.database.db, { accountId });
    const { code, stderr } = await runPostern(args, env);
    expect([code, stderr]).toEqual([1, expect.stringContaining("limit of 10 webhooks")]);
  });

  test("when nothing listens at POSTERN_URL, and when it is no Postern API", async () => {
    const other = await aReceiver(() => 404);
    const notPostern = await runPostern(args, { POSTERN_URL: other.url, POSTERN_API_KEY: "pk" });
    expect([notPostern.code, notPostern.stderr]).toEqual([
      1,
      expect.stringContaining("it is no Postern API, or an older one"),
    ]);
    other.close();
    const unreachable = await runPostern(args, { POSTERN_URL: other.url, POSTERN_API_KEY: "pk" });
    expect([unreachable.code, unreachable.stderr]).toEqual([
      1,
      expect.stringMatching(
        /cannot be reached \(connect ECONNREFUSED .*\)\. Check POSTERN_URL, and that the API runs\.\n$/,
      ),
    ]);
  });
});

test("a missing key ends with code 78, wrong values of options with 64", async () => {
  const forward = ["--forward", "http://127.0.0.1:9/"];
  for (const [args, code, reason] of [
    [forward, 78, "POSTERN_API_KEY is missing"],
    [[], 64, "--forward is missing."],
    [["--forward", "localhost:80"], 64, "--forward must be an http or https URL"],
    [["--forward", "http://a:b@localhost/"], 64, "no user name and password"],
    [[...forward, "--types", "send.sent,send.opened"], 64, '--types has "send.opened"'],
    [[...forward, "--mode", "both"], 64, "--mode must be live or test"],
  ] as const) {
    const run = await runPostern(["listen", ...args], {});
    expect([run.code, run.stdout, run.stderr]).toEqual([code, "", expect.stringContaining(reason)]);
  }
});

/** A test key of a new account, and the environment of the command with it. */
async function anEnvironment(scopes: KeyScope[] = ["webhooks", "read"]) {
  const accountId = await anAccount(api.database.db);
  const { key } = await anApiKey(api.database.db, api.deps.apiKeyIssuer, accountId, { type: "test", scopes });
  return { accountId, env: { POSTERN_URL: url, POSTERN_API_KEY: key } };
}

/** Writes notifications about these domains and fans them out, as a worker does. */
async function notify(accountId: string, ...names: string[]): Promise<void> {
  const { db } = api.database;
  await change(
    db,
    `insert into notifications (id, public_id, account_id, mode, type, occurred_at, facts)
     select new_id_at(now() + n * interval '1 millisecond'), gen_random_uuid(), $1, 'test', 'domain.verified', now(),
       jsonb_build_object('id', 1, 'name', name)
     from unnest($2::text[]) with ordinality as given (name, n)`,
    [accountId, names],
  );
  await fanOut(db, 100);
}

interface LocalRequest {
  method: string | undefined;
  path: string | undefined;
  headers: Record<string, string>;
  body: string;
}

async function aReceiver(statusOf: () => number) {
  const requests: LocalRequest[] = [];
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      requests.push({ method: request.method, path: request.url, headers: plain(request.headers), body });
      response.writeHead(statusOf(), { location: "/elsewhere" }).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  onTestFinished(close);
  const { port } = server.address() as AddressInfo; // A TCP server has no path.
  return { url: `http://127.0.0.1:${port}`, requests, close };
}

function plain(headers: IncomingHttpHeaders): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
}
