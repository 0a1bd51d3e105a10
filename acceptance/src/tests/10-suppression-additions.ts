import type { Check } from "../check.ts";
import type { Answer } from "../client.ts";
import { suppressionFields } from "../fields.ts";
import type { TestContext, Tests } from "../suite.ts";
import { sender } from "../test-mail.ts";

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
};

function add({ admin }: TestContext, body: object): Promise<Answer> {
  return admin.asUser("POST", "/api/v1/suppression", { body, query: inTestMode });
}

function list({ admin }: TestContext, query: Record<string, string | number>): Promise<Answer> {
  return admin.asUser("GET", "/api/v1/suppression", { query: { ...inTestMode, ...query } });
}

function lookUp({ admin }: TestContext, email: string): Promise<Answer> {
  return admin.asUser("GET", `/api/v1/suppression/${encodeURIComponent(email)}`, { query: inTestMode });
}

function importEntries({ admin }: TestContext, entries: object[], isDryRun?: boolean): Promise<Answer> {
  const body = { entries, ...(isDryRun !== undefined && { dry_run: isDryRun }) };
  return admin.asUser("POST", "/api/v1/suppression/import", { body, query: inTestMode });
}

function exported({ admin }: TestContext, format: "csv" | "ndjson"): Promise<Answer> {
  return admin.asUser("GET", "/api/v1/suppression/export", { query: { ...inTestMode, format } });
}

function checkCounts(check: Check, answer: Answer, expected: Record<string, unknown>): void {
  check.status("the import", answer, 200);
  const counts = Object.fromEntries(Object.keys(expected).map((name) => [name, answer.body?.data?.[name]]));
  check.equal("the counts", counts, expected);
}

function problemsOf({ body }: Answer): number[] {
  return (body?.data?.problems ?? []).map(({ index }: { index: number }) => index);
}
