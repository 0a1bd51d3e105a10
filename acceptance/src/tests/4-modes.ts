import { type ListPath, listAll, readPage } from "../list-all.ts";
import type { TestContext, Tests } from "../suite.ts";
import { liveMail, testMail } from "../test-mail.ts";

/** The modes of an account, and query parameters that a request must not have. */
export const modeTests: Tests = {
  "4-14": async (check, { admin, fixtures }) => {
    const [{ path: domain }, { accepted }] = [await fixtures.domain(), await fixtures.delivered()];
    const requests: [string, string, unknown?][] = [
      ["POST", "/api/v1/send", {}],
      ["GET", `/api/v1/send/${accepted.id}/status`],
      ["POST", "/api/v1/domains", { domain_name: "misspelt.io" }],
      ["GET", "/api/v1/domains"],
      ["GET", domain],
      ["DELETE", "/api/v1/domains/1"],
      ["POST", "/api/v1/api-keys", { name: "misspelt", type: "test" }],
      ["GET", "/api/v1/api-keys"],
      ["DELETE", `/api/v1/api-keys/${accepted.id}`],
      ["GET", "/api/v1/suppression"],
      ["DELETE", "/api/v1/suppression/nobody%40sandbox.test"],
      ["GET", "/api/v1/events"],
    ];
    for (const [method, path, body] of requests) {
      const query = { Mode: "test" };
      const answer =
        path === "/api/v1/send"
          ? await admin.send("live", body, admin.jwt, query)
          : await admin.asUser(method, path, { query, body });
      check.error(`${method} ${path}?Mode=test`, answer, 422, "VALIDATION_ERROR");
    }
  },
  "4-15": async (check, context) => {
    const { admin, fixtures } = context;
    const refusals = [
      await admin.send("live", liveMail(context), undefined, { mode: "test" }),
      await admin.send("test", testMail(context, "delivered"), undefined, { mode: "live" }),
      await admin.send("live", liveMail(context), undefined, { Mode: "test" }),
    ];
    for (const answer of refusals)
      check.error("a send with another mode than its key", answer, 422, "VALIDATION_ERROR");
    const { accepted } = await fixtures.delivered();
    const status = (mode: string) =>
      admin.withKey("test", "GET", `/api/v1/send/${accepted.id}/status`, { query: { mode } });
    check.error("reading the status with another mode", await status("live"), 422, "VALIDATION_ERROR");
    check.status("reading the status with the mode of the key", await status("test"), 200);
  },

  "4.2-04": async (check, { admin, fixtures }) => {
    const [test, live] = [await fixtures.delivered(), await fixtures.liveSend()];
    for (const [{ accepted }, mode, other] of [
      [test, "test", "live"],
      [live, "live", "test"],
    ] as const) {
      const status = (query: Record<string, string>) =>
        admin.asUser("GET", `/api/v1/send/${accepted.id}/status`, { query });
      const answer = await status({});
      check.status(`a ${mode} send without mode`, answer, 200);
      check.equal("mode", answer.body?.mode, mode);
      check.status(`a ${mode} send with mode=${mode}`, await status({ mode }), 200);
      check.error(`a ${mode} send with mode=${other}`, await status({ mode: other }), 404, "NOT_FOUND");
    }
  },

  "4.10-07": async (check, context) => {
    const { addresses } = await context.fixtures.manySuppressed();
    const [address] = addresses;
    const ofAddress = (await listAll(context.admin, "/api/v1/suppression")).filter(({ email }) => email === address);
    check.equal(
      "the mode of the entry in the list without mode",
      ofAddress.map(({ mode }) => mode),
      ["test"],
    );
    await checkNarrowed(check, context, "/api/v1/suppression");
  },
  "4.10-08": (check, context) => checkFarPage(check, context, "/api/v1/suppression"),

  "4.12-09": async (check, context) => {
    const [test, live] = [await context.fixtures.delivered(), await context.fixtures.liveSend()];
    const events = await listAll(context.admin, "/api/v1/events");
    for (const [{ accepted }, mode] of [
      [test, "test"],
      [live, "live"],
    ] as const) {
      const modes = events.filter(({ email_id }) => email_id === accepted.id).map((event) => event.mode);
      check.equal(`the modes of the events of a ${mode} send`, [...new Set(modes)], [mode]);
    }
    await checkNarrowed(check, context, "/api/v1/events");
  },
  "4.12-10": (check, context) => checkFarPage(check, context, "/api/v1/events"),
};

async function checkNarrowed(
  check: Parameters<Tests[string]>[0],
  { admin }: TestContext,
  path: ListPath,
): Promise<void> {
  for (const mode of ["live", "test"]) {
    const { entries } = await readPage(admin, path, { mode, limit: 100 });
    check.holds(
      `mode=${mode} lists only entries of this mode`,
      entries.every((entry) => entry.mode === mode),
      entries.map((entry) => entry.mode),
    );
  }
}

/** Far beyond the last page, so the test needs no list of that length. */
async function checkFarPage(
  check: Parameters<Tests[string]>[0],
  { admin, fixtures }: TestContext,
  path: ListPath,
): Promise<void> {
  await fixtures.manySuppressed();
  const { pagination } = await readPage(admin, path, { limit: 1 });
  const last = await readPage(admin, path, { limit: 1, page: pagination?.total_pages });
  check.equal("the length of the last page", last.entries.length, 1);
  const answer = await admin.asUser("GET", path, { query: { limit: 100, page: 1_000_000 } });
  check.status("page 1,000,000", answer, 200);
  const far = await readPage(admin, path, { limit: 100, page: 1_000_000 });
  check.equal("the entries of page 1,000,000", far.entries, []);
  check.equal("page", far.pagination?.page, 1_000_000);
}
