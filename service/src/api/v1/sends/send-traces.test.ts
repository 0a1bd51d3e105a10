import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { change } from "../../../../test/send-rows.ts";
import { useSendingApi } from "../../../../test/use-sending-api.ts";

const { api, aSender, send } = useSendingApi();
const ids = "4bf92f3577b34da6a3ce929d0e0e473600f067aa0ba902b7";
const traceparent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

async function tracesOf(accountId: string): Promise<(string | null)[]> {
  const rows = await change(
    api.database.db,
    "select encode(trace_context, 'hex') as trace from sends where account_id = $1 order by id",
    [accountId],
  );
  return rows.map(({ trace }) => trace as string | null);
}

test("without an SDK a send keeps the sampled trace of its request", async () => {
  const sender = await aSender();
  expect(await send(sender, {}, { traceparent })).toMatchObject({ status: 202 });
  expect(await tracesOf(sender.accountId)).toEqual([ids]);
});

test("all mails of a batch keep the trace of their request, scheduled ones too", async () => {
  const sender = await aSender();
  const scheduled_at = new Date(Date.now() + 3_600_000).toISOString();
  const mail = { from: sender.from, to: ["jane@example.io"], subject: "Hello", text: "Hi" };
  const body = { mails: [mail, { ...mail, scheduled_at }] };
  const headers = { traceparent };
  const answer = await api.call({ method: "POST", path: "/api/v1/send/batch", key: sender.key, headers, body });
  expect(answer.status).toBe(202);
  expect(await tracesOf(sender.accountId)).toEqual([ids, ids]);
});

test("a repeat leaves the trace of the first request", async () => {
  const sender = await aSender();
  const body = { idempotency_key: randomUUID() };
  await send(sender, body, { traceparent });
  const other = traceparent.replace("4bf9", "aaaa");
  expect((await send(sender, body, { traceparent: other })).json()).toMatchObject({ idempotent: true });
  expect(await tracesOf(sender.accountId)).toEqual([ids]);
});

test.each([
  ["absent", undefined],
  ["not sampled", traceparent.replace(/01$/, "00")],
  ["malformed", "00-not-a-trace-01"],
  ["an address", "jane@example.io"],
  ["all zeros", `00-${"0".repeat(32)}-${"0".repeat(16)}-01`],
  ["12 KB long", `01-${ids.slice(0, 32)}-${ids.slice(32)}-01-${"x".repeat(12_000)}`],
  ["two values", `${traceparent}, ${traceparent}`],
  ["SQL", `${traceparent}'; drop table sends; --`],
])("a traceparent that is %s is no error, and nothing is kept", async (_, header) => {
  const sender = await aSender();
  const answer = await send(sender, {}, header === undefined ? {} : { traceparent: header });
  expect(answer.status).toBe(202);
  expect(await tracesOf(sender.accountId)).toEqual([null]);
});
