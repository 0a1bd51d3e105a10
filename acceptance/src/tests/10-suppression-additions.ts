import type { Check } from "../check.ts";
import type { Answer } from "../client.ts";
import { suppressionFields } from "../fields.ts";
import { readExport } from "../read-export.ts";
import type { TestContext, Tests } from "../suite.ts";
import { sender, testMail } from "../test-mail.ts";

const inTestMode = { mode: "test" };
const note = "Added by the acceptance suite";

export const suppressionAdditionTests: Tests = {
  "10.4-01": async (check, context) => {
    const address = context.recipient("delivered");
    const answer = await add(context, { email: address, reason: "manual", note });
    check.status("the addition", answer, 201);
    check.fields("the entry", answer.body?.data, [...suppressionFields, "email_id", "note"]);
    check.equal("email", answer.body.data.email, address);
    check.equal("reason", answer.body.data.reason, "manual");
    check.equal("note", answer.body.data.note, note);
  },
  "10.4-02": async (check, context) => {
    const { address, entry } = await context.fixtures.complained();
    const answer = await add(context, { email: address, note });
    check.status("the addition of a suppressed address", answer, 200);
    check.equal("its entry", answer.body?.data, entry);
  },
  "10.4-03": async (check, context) => {
    const address = context.recipient("delivered");
    await add(context, { email: address });
    const mail = { from: sender, to: [address], subject: "Acceptance", text: "Hello." };
    const { body } = await context.admin.send("test", mail);
    check.equal("the status of the send", body?.status, "suppressed");
    check.equal("suppressed_recipients", body?.suppressed_recipients, [address]);
  },
  "10.4-04": async (check, context) => {
    const { address } = await context.fixtures.complained();
    await add(context, { email: context.recipient("delivered") });
    const answer = await list(context, { reason: "complaint", limit: 100 });
    const entries: { email: string; reason: string }[] = answer.body?.data ?? [];
    check.holds(
      "the complaint is listed",
      entries.some(({ email }) => email === address),
    );
    check.equal("the reasons", [...new Set(entries.map(({ reason }) => reason))], ["complaint"]);
    check.error("an unknown reason", await list(context, { reason: "bored" }), 422, "VALIDATION_ERROR");
  },
  "10.4-05": async (check, context) => {
    const { address } = await context.fixtures.complained();
    const fresh = context.recipient("delivered");
    const answer = await importEntries(context, [{ email: fresh }, { email: address }, { email: "no address" }]);
    checkCounts(check, answer, { dry_run: true, new: 1, known: 1, invalid: 1 });
    check.equal("the positions of the problems", problemsOf(answer), [2]);
    check.error("the address afterwards", await lookUp(context, fresh), 404, "NOT_FOUND");
  },
  "10.4-06": async (check, context) => {
    const { address, entry } = await context.fixtures.complained();
    const fresh = context.recipient("delivered");
    const entries = [{ email: fresh, reason: "hard_bounce" }, { email: address }];
    checkCounts(check, await importEntries(context, entries, false), { dry_run: false, new: 1, known: 1, invalid: 0 });
    checkCounts(check, await importEntries(context, entries, false), { dry_run: false, new: 0, known: 2, invalid: 0 });
    check.equal("the complaint", (await lookUp(context, address)).body?.data?.suppressions, [entry]);
    const [added] = (await lookUp(context, fresh)).body?.data?.suppressions ?? [];
    check.equal("the reason of the new entry", added?.reason, "hard_bounce");
  },
  "10.4-07": async (check, context) => {
    const email = context.recipient("delivered");
    await add(context, { email, note: "=1+1" });
    const json = await exported(context, "ndjson");
    check.status("the export", json, 200);
    const lines = json.text.trimEnd().split("\n");
    const entry = lines.map((line) => JSON.parse(line)).find((each) => each.email === email);
    check.equal("the note in NDJSON", entry?.note, "=1+1");
    const [header = "", ...rows] = (await exported(context, "csv")).text.trimEnd().split("\r\n");
    check.equal("the first columns of CSV", header.split(",").slice(0, 4), ["id", "email", "reason", "note"]);
    const row = rows.find((each) => each.split(",")[0] === entry?.id) ?? "";
    check.equal("the row in CSV", row.split(",").slice(1, 4), [email, "manual", "'=1+1"]);
  },
  "10.4-08": async (check, context) => {
    const { address, entry } = await context.fixtures.complained();
    const { status, body } = await lookUp(context, address);
    check.equal("the answer", [status, body], [200, found(address, [entry])]);
    const unknown = await lookUp(context, context.recipient("nobody"));
    check.error("an address without an entry", unknown, 404, "NOT_FOUND");
  },
  "10.4-09": async (check, context) => {
    const mail = testMail(context, "delivered");
    const [address = ""] = mail.to;
    for (const mode of ["live", "test"]) await add(context, { email: address }, { mode });
    check.status("the removal", await context.admin.asUser("DELETE", pathOf(address)), 200);
    const { body } = await context.admin.asUser("GET", pathOf(address));
    check.equal("the entries afterwards", body?.data?.suppressions, []);
    const removals: Removal[] = body?.data?.removals ?? [];
    check.equal(
      "mode, person and provider of the removals",
      removals.map(({ mode, removed_by, provider }) => [mode, removed_by.kind, provider.status]),
      ["live", "test"].map((mode) => [mode, "user", "not_needed"]),
    );
    const { body: send } = await context.admin.send("test", mail);
    check.equal("the status of a send to the address", send?.status, "queued");
  },
  "10.4-10": async (check, context) => {
    for (const wrong of [{ reason: "complaint" }, { reason: "hard_bounce" }, { note: "x".repeat(501) }]) {
      const answer = await add(context, { email: context.recipient("delivered"), ...wrong });
      check.error(`an addition with ${Object.keys(wrong).join()}`, answer, 422, "VALIDATION_ERROR");
    }
    const longest = await add(context, { email: context.recipient("delivered"), note: "x".repeat(500) });
    check.status("a note of 500 characters", longest, 201);
  },
  "10.4-11": async (check, context) => {
    const { fixtures, request } = context;
    const email = context.recipient("delivered");
    const addBy = (headers: Record<string, string>) =>
      request("POST", "/api/v1/suppression", { headers, body: { email } });
    check.error("a key with the scope read only", await addBy(await fixtures.keyWith.read()), 401, "UNAUTHORIZED");
    check.error("a viewer", await addBy(await fixtures.viewer()), 403, "FORBIDDEN");
    check.error("the address afterwards", await context.admin.asUser("GET", pathOf(email)), 404, "NOT_FOUND");
  },
};

interface Removal {
  mode: string;
  removed_by: { kind: string };
  provider: { status: string };
}

function add({ admin }: TestContext, body: object, query = inTestMode): Promise<Answer> {
  return admin.asUser("POST", "/api/v1/suppression", { body, query });
}

function pathOf(email: string): string {
  return `/api/v1/suppression/${encodeURIComponent(email)}`;
}

function found(email: string, suppressions: unknown[]) {
  return { success: true, data: { email, suppressions, removals: [] } };
}

function list({ admin }: TestContext, query: Record<string, string | number>): Promise<Answer> {
  return admin.asUser("GET", "/api/v1/suppression", { query: { ...inTestMode, ...query } });
}

function lookUp({ admin }: TestContext, email: string): Promise<Answer> {
  return admin.asUser("GET", pathOf(email), { query: inTestMode });
}

function importEntries({ admin }: TestContext, entries: object[], isDryRun?: boolean): Promise<Answer> {
  const body = { entries, ...(isDryRun !== undefined && { dry_run: isDryRun }) };
  return admin.asUser("POST", "/api/v1/suppression/import", { body, query: inTestMode });
}

function exported({ admin }: TestContext, format: "csv" | "ndjson"): Promise<Answer> {
  return readExport(admin, "suppression", { ...inTestMode, format });
}

function checkCounts(check: Check, answer: Answer, expected: Record<string, unknown>): void {
  check.status("the import", answer, 200);
  const counts = Object.fromEntries(Object.keys(expected).map((name) => [name, answer.body?.data?.[name]]));
  check.equal("the counts", counts, expected);
}

function problemsOf({ body }: Answer): number[] {
  return (body?.data?.problems ?? []).map(({ index }: { index: number }) => index);
}
