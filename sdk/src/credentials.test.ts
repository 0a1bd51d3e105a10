import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { isForPeople } from "../test/for-people.ts";
import { cutConnection, refuse, respond, type Step, startScriptedServer } from "../test/scripted-server.ts";
import { withoutWaiting } from "../test/without-waiting.ts";
import { connect } from "./connect.ts";
import { Postern } from "./postern.ts";

const login = { email: "ada@example.test", password: "a password" };
const tokens = (name: string) =>
  respond(200, { access_token: name, token_type: "Bearer", expires_in: 900, refresh_token: `refresh-${name}` });
const ok = respond(200, []);

test("a client with key and token sends the one that the API document names first, and no credential to log in", async () => {
  const { url, requests } = await startScriptedServer(ok);
  const postern = new Postern({ baseUrl: url, apiKey: "key", accessToken: async () => "token" });
  await callEveryMethod(postern);
  const sent = requests.map(({ method, path, headers }) => {
    const credential = [headers["x-api-key"] && "apiKey", headers.authorization && "jwt"].filter(Boolean).join();
    return [`${method} ${pathPattern(path)}`, credential] as const;
  });
  expect(Object.fromEntries(sent)).toEqual(documentedCredentials());
});

test("a client with one credential always sends it, so that the service can explain the refusal", async () => {
  const { url, requests } = await startScriptedServer(ok);
  await new Postern({ baseUrl: url, apiKey: "key" }).domains.list();
  await new Postern({ baseUrl: url, accessToken: "token" }).send({ from: "", to: [], subject: "", text: "" });
  expect(requests[0]?.headers["x-api-key"]).toBe("key");
  expect(requests[1]?.headers.authorization).toBe("Bearer token");
});

test("concurrent calls share one login", async () => {
  const { url, requests } = await startScriptedServer(tokens("one"), ok);
  const postern = new Postern({ baseUrl: url, login });
  await Promise.all([postern.domains.list(), postern.apiKeys.list(), postern.domains.list()]);
  const paths = requests.map(({ path }) => path.replace("/api/v1/", ""));
  expect(paths.toSorted()).toEqual(["api-keys", "auth/login", "domains", "domains"]);
  expect(requests[0]?.body).toEqual(login);
  expect(requests.slice(1).map(({ headers }) => headers.authorization)).toEqual(Array(3).fill("Bearer one"));
});

test("the client refreshes a token before it expires, and logs in again when the refresh fails", async () => {
  const steps = [tokens("one"), ok, ok, tokens("two"), ok, refuse(401, "UNAUTHORIZED"), tokens("three"), ok];
  const { listDomains, paths, clock } = await aSession(...steps);
  await listDomains();
  clock.seconds = 869;
  await listDomains();
  clock.seconds = 870;
  await listDomains();
  clock.seconds = 2000;
  await listDomains();
  expect(paths()).toEqual([
    "auth/login",
    "domains Bearer one",
    "domains Bearer one",
    "auth/refresh refresh-one",
    "domains Bearer two",
    "auth/refresh refresh-two",
    "auth/login",
    "domains Bearer three",
  ]);
});

test("the client retries a refresh after a lost response: the service gives the same tokens again", async () => {
  const { listDomains, paths, clock } = await aSession(tokens("one"), ok, cutConnection, tokens("two"), ok);
  await listDomains();
  clock.seconds = 900;
  expect((await listDomains()).error).toBeNull();
  expect(paths().slice(2)).toEqual(["auth/refresh refresh-one", "auth/refresh refresh-one", "domains Bearer two"]);
});

test("while the service cannot refresh, the client keeps the refresh token and does not log in", async () => {
  const unavailable = Array<Step>(4).fill(refuse(503, "UNAVAILABLE"));
  const { listDomains, paths, clock } = await aSession(tokens("one"), ok, ...unavailable, tokens("two"), ok);
  await listDomains();
  clock.seconds = 900;
  expect((await listDomains()).error).toMatchObject({ status: 503 });
  expect((await listDomains()).error).toBeNull();
  expect(new Set(paths().slice(2))).toEqual(new Set(["auth/refresh refresh-one", "domains Bearer two"]));
});

describe("a login with a code, which counts once", () => {
  const withCode = { ...login, totp_code: "492039" };

  test("is not repeated when the service refuses the refresh token", async () => {
    const steps = [tokens("one"), refuse(401, "UNAUTHORIZED"), refuse(401, "UNAUTHORIZED"), ok];
    const { url, requests } = await startScriptedServer(...steps);
    const request = connect({ baseUrl: url, login: withCode }, withoutWaiting());
    for (let calls = 0; calls < 3; calls++) {
      expect((await request("GET /api/v1/domains", {})).error).toMatchObject({ status: 401 });
    }
    expect(requests.map(({ path }) => path.replace("/api/v1/", ""))).toEqual(["auth/login", "domains", "auth/refresh"]);
  });

  test("is not repeated after a wrong code or a lost response", async () => {
    for (const [step, times] of [
      [refuse(401, "UNAUTHORIZED"), 2],
      [cutConnection, 1],
    ] as const) {
      const { url, requests } = await startScriptedServer(step, ok);
      const request = connect({ baseUrl: url, login: withCode }, withoutWaiting());
      for (let calls = 0; calls < times; calls++)
        expect((await request("GET /api/v1/domains", {})).error).not.toBeNull();
      expect(requests).toHaveLength(1);
    }
  });
});

test("the next call logs in again after the service ended the login", async () => {
  const { listDomains, paths } = await aSession(tokens("one"), refuse(401, "UNAUTHORIZED"), tokens("two"), ok);
  expect((await listDomains()).error?.code).toBe("UNAUTHORIZED");
  expect((await listDomains()).error).toBeNull();
  expect(paths()).toEqual(["auth/login", "domains Bearer one", "auth/login", "domains Bearer two"]);
});

test("a failed login is the result of the call, and the client does not send the request", async () => {
  const { listDomains, paths } = await aSession(refuse(503, "UNAVAILABLE"));
  expect((await listDomains()).error).toMatchObject({ code: "UNAVAILABLE", status: 503 });
  expect(paths()).toEqual(Array(4).fill("auth/login"));
});

test("the error has the idempotency key of the send when the login of a later attempt fails", async () => {
  const steps = [tokens("one"), refuse(503, "UNAVAILABLE"), refuse(401, "UNAUTHORIZED")];
  const { url, requests } = await startScriptedServer(...steps);
  const clock = { seconds: 0 };
  const wait = async () => {
    clock.seconds = 1000;
  };
  const timing = { ...withoutWaiting(), now: () => clock.seconds * 1000, wait };
  const request = connect({ baseUrl: url, login }, timing);
  const requestOptions = { credential: "key-or-token", idempotencyKey: "receipt-1" } as const;
  const body = { from: "a@b.test", to: ["c@d.test"], subject: "s", text: "t" };
  const { error } = await request("POST /api/v1/send", { body }, requestOptions);
  expect(error).toMatchObject({ code: "UNAUTHORIZED", idempotencyKey: "receipt-1" });
  expect(requests.at(-1)?.path).toBe("/api/v1/auth/login");
});

test("an aborted call does not wait for a login, and a call aborted before it starts does not log in", async () => {
  const { url, requests } = await startScriptedServer(() => controller.abort());
  const controller = new AbortController();
  const postern = new Postern({ baseUrl: url, login });
  expect((await postern.domains.list({ signal: controller.signal })).error?.code).toBe("ABORTED");
  expect((await postern.domains.list({ signal: controller.signal })).error?.code).toBe("ABORTED");
  expect(requests).toHaveLength(1);
});

async function aSession(...steps: Step[]) {
  const { url, requests } = await startScriptedServer(...steps);
  const clock = { seconds: 0 };
  const request = connect({ baseUrl: url, login }, { ...withoutWaiting(), now: () => clock.seconds * 1000 });
  const paths = () =>
    requests.map(({ path, headers, body }) =>
      [path.replace("/api/v1/", ""), headers.authorization ?? body?.refresh_token].filter(Boolean).join(" "),
    );
  return { listDomains: () => request("GET /api/v1/domains", {}), paths, clock };
}

/** Calls every method of the client once. */
async function callEveryMethod(postern: Postern): Promise<void> {
  const mail = { from: "a@b.test", to: ["c@d.test"], subject: "s", text: "t" };
  await postern.send(mail);
  await postern.account();
  await postern.usage();
  await postern.requests.list();
  await postern.sends.status("1");
  await postern.sends.timeline("1");
  await postern.sends.content("1");
  await postern.sends.batch({ mails: [mail] });
  await postern.sends.cancel("1");
  await postern.sends.cancelByKey("k");
  await postern.sends.validate(mail);
  await postern.sends.list();
  await postern.events.list();
  await postern.suppressions.list();
  await postern.suppressions.add({ email: "a@b.test" });
  await postern.suppressions.import({ entries: [{ email: "a@b.test" }] });
  await postern.suppressions.get("a@b.test");
  await postern.suppressions.remove("a@b.test");
  await postern.domains.register({ domain_name: "b.test" });
  await postern.domains.list();
  await postern.domains.get(1);
  await postern.domains.verify(1);
  await postern.domains.dns(1);
  await postern.domains.setMailFrom(1, { subdomain: null });
  await postern.domains.remove(1);
  await postern.apiKeys.create({ name: "n", type: "test" });
  await postern.apiKeys.list();
  await postern.apiKeys.roll("1");
  await postern.apiKeys.revoke("1");
  await postern.webhooks.create({ url: "https://a.test", types: ["send.sent"] });
  await postern.webhooks.list();
  await postern.webhooks.get("1");
  await postern.webhooks.change("1", { enabled: true });
  await postern.webhooks.delete("1");
  await postern.webhooks.rotate("1");
  await postern.webhooks.test("1", { type: "send.sent" });
  await postern.webhooks.deliveries("1");
  await postern.webhooks.delivery("1", "2");
  await postern.webhooks.replay("1", "2");
  await postern.webhooks.curl("1", "2");
  await postern.webhooks.replayRange("1", { from: "2026-01-01T00:00:00Z", to: "2026-01-02T00:00:00Z" });
  await postern.webhooks.replays("1");
  await postern.webhooks.replayOf("1", "3");
  await postern.webhooks.cancelReplay("1", "3");
  await postern.webhooks.createListener();
  await postern.webhooks.takeNotifications("1");
  await postern.auth.logIn(login);
  await postern.auth.refresh({ refresh_token: "r" });
  await postern.auth.logOut();
}

function pathPattern(path: string): string {
  return path
    .replace("/1", "/{id}")
    .replace("/2", "/{delivery_id}")
    .replace("/3", "/{replay_id}")
    .replace("/a%40b.test", "/{email}");
}

/** Every operation for programs with the credential that its document names first. */
function documentedCredentials(): Record<string, string> {
  type Documented = { paths: Record<string, Record<string, { security?: Record<string, unknown>[] }>> };
  const document: Documented = JSON.parse(readFileSync(new URL("../../service/openapi.json", import.meta.url), "utf8"));
  const operations = Object.entries(document.paths)
    .filter(([path]) => path.startsWith("/api/v1/") && !path.startsWith("/api/v1/feedback/"))
    .flatMap(([path, methods]) =>
      Object.entries(methods)
        .filter(([method]) => !isForPeople(method, path))
        .map(([method, { security = [] }]): [string, string] => [
          `${method.toUpperCase()} ${path}`,
          security.flatMap(Object.keys)[0] ?? "",
        ]),
    );

  return Object.fromEntries(operations);
}
