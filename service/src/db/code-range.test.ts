import { expect, onTestFinished, test } from "vitest";
import { aHeartbeat } from "../../test/a-heartbeat.ts";
import { aQueuedSend } from "../../test/send-builders.ts";
import { change, queueRow } from "../../test/send-rows.ts";
import { useSendingApi } from "../../test/use-sending-api.ts";
import { requireUsableDatabase } from "../processes/require-usable-database.ts";
import { claimSends } from "../queue/claim-sends.ts";
import { readCellState } from "../status/cell-state.ts";
import { findProblems } from "../status/find-problems.ts";
import { readProcesses } from "../status/process-state.ts";
import { recordProcess } from "../status/process-store.ts";
import { checkReadiness } from "../status/readiness.ts";
import { codeLevel } from "./code-range.ts";
import { migrate } from "./migrate.ts";

const { api, aSender, send } = useSendingApi();
const everything = {
  mode: "live",
  maxSends: 1000,
  maxRecipients: 50_000,
  fromFairAt: "-infinity",
  isProbe: false,
} as const;

const outside: [string, string, RegExp][] = [
  [
    "too old",
    `update schema_range set oldest_code = ${codeLevel + 1}`,
    /is too old for the schema, which permits code \d+ and newer/,
  ],
  ["too new", `update schema_range set level = ${codeLevel - 1}`, /The schema \(level \d+\) is too old/],
];

test.for(outside)("code that is %s for the schema gets 503 for a send and stores nothing", async ([, sql]) => {
  const sender = await aSender();
  await withRange(sql);
  const response = await send(sender);
  expect(response.status).toBe(503);
  expect(response.json()).toMatchObject({ error: { code: "UNAVAILABLE" } });
  expect(response.headers["retry-after"]).toBe("2");
  const stored = "select from sends where account_id = $1 union all select from idempotency_keys where account_id = $1";
  expect(await change(api.database.db, stored, [sender.accountId])).toEqual([]);
  await withRange(inRange);
  expect((await send(sender)).status).toBe(202);
});

test.for(outside)("code that is %s for the schema claims nothing", async ([, sql]) => {
  const { accountId, domain } = await aSender();
  const id = await aQueuedSend(api.database.db, { accountId, fromDomain: domain });
  await withRange(sql);
  expect(await claimSends(api.database.db, everything)).toEqual({ sends: [], parked: 0 });
  expect(await queueRow(api.database.db, id)).toMatchObject({ state: "ready", attempt: 0 });
  await withRange(inRange);
  expect((await claimSends(api.database.db, everything)).sends.map((claimed) => claimed.id)).toContain(id);
});

test.for(outside)(
  "code that is %s for the schema is not ready, does not start, and says why and what to do",
  async ([, sql, reason]) => {
    const { db } = api.database;
    await withRange(sql);
    const { isReady, checks } = await checkReadiness(db);
    expect(isReady).toBe(false);
    expect(checks.schema).toMatchObject({
      reason: expect.stringMatching(reason),
      action: expect.stringMatching(/Start a newer version|Run `postern migrate`/),
    });
    const [problem] = findProblems(await readCellState(db, { feedbackGapSeconds: 60, hasFeedbackQueue: false }, 10));
    expect(problem).toMatchObject({ what: expect.stringMatching(reason), stopsMail: true });
    await expect(requireUsableDatabase(db, "ses")).rejects.toThrow(reason);
  },
);

test("code that is too old for the schema does not migrate it", async () => {
  await withRange(`update schema_range set oldest_code = ${codeLevel + 1}`);
  await expect(migrate(api.database.url, () => undefined)).rejects.toThrow(
    /too old for the schema.*Use a newer version/,
  );
});

test("a running process with code that the schema no longer permits is reported", async () => {
  const { db } = api.database;
  const worker = aHeartbeat();
  const { id } = worker;
  await recordProcess(db, worker);
  const outdated = async () => (await readProcesses(db)).find((each) => each.id === id)?.isOutdated;
  expect(await outdated()).toBe(false);
  await change(db, "update processes set code_level = null where id = $1", [id]);
  await withRange("update schema_range set oldest_code = 80");
  expect(await outdated()).toBe(true);
  const problems = findProblems(await readCellState(db, { feedbackGapSeconds: 60, hasFeedbackQueue: false }, 10));
  expect(problems.map(({ what }) => what)).toContain(
    "The worker mail-1/7 runs a version (0.1.0) that is too old for the schema.",
  );
});

test("what older code ignores may be switched on only when every permitted process knows it", async () => {
  const knows = (step: number) => change(api.database.db, "select every_process_knows($1) as knows", [step]);
  expect(await knows(79)).toEqual([{ knows: true }]);
  expect(await knows(80)).toEqual([{ knows: false }]);
  await withRange("update schema_range set oldest_code = 80");
  expect(await knows(80)).toEqual([{ knows: true }]);
});

const inRange = `update schema_range set oldest_code = 79, level = ${codeLevel}`;

async function withRange(sql: string): Promise<void> {
  await change(api.database.db, sql);
  onTestFinished(async () => void (await change(api.database.db, inRange)));
}
