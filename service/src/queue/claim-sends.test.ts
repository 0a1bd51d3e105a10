import { describe, expect, onTestFinished, test } from "vitest";
import { anAccount } from "../../test/builders.ts";
import { aQueuedSend, aSuppression, aVerifiedDomain, testContentKeys } from "../../test/send-builders.ts";
import { attemptsOf, change, queueRow, useEmptyQueue } from "../../test/send-rows.ts";
import { openTestDatabase } from "../../test/template-database.ts";
import { useTestDatabase } from "../../test/use-test-database.ts";
import { openContent } from "../sends/content.ts";
import { claimSends } from "./claim-sends.ts";
import { holdProvider } from "./provider-hold.ts";

const database = useTestDatabase();
useEmptyQueue(database);

describe("a claim leases ready sends", () => {
  test("a claimed send has a lease of 60 seconds, an attempt number, its content and its recipients", async () => {
    const { accountId, fromDomain } = await aSender();
    const id = await aQueuedSend(database.db, { accountId, fromDomain, to: ["Ann@example.test"], cc: ["bob@b.test"] });
    const [send] = await claim();
    expect(send).toMatchObject({
      id,
      accountId,
      mode: "live",
      attempt: 1,
      backoffStep: 0,
      retryingSeconds: null,
      fromDomain,
      domain: "verified",
      configurationSetName: "postern-AA",
      recipients: ["ann@example.test", "bob@b.test"],
    });
    expect(send?.waitedSeconds).toBeGreaterThan(0);
    const content = openContent(testContentKeys, { accountId, sendId: id }, send?.sealed ?? Buffer.alloc(0));
    expect(content.to).toEqual(["Ann@example.test"]);
    expect(await queueRow(database.db, id)).toMatchObject({ state: "leased", attempt: 1, dueInSeconds: 60 });
  });

  test("the send with the smallest fair_at goes first, however many sends of another account were queued before it", async () => {
    const [busy, idle] = [await aSender(), await aSender()];
    for (const fairInSeconds of [10, 20, 30]) await aQueuedSend(database.db, { ...busy, fairInSeconds });
    await aQueuedSend(database.db, { ...idle, fairInSeconds: 15 });
    expect((await claim()).map(({ accountId }) => accountId)).toEqual([
      busy.accountId,
      idle.accountId,
      busy.accountId,
      busy.accountId,
    ]);
  });

  test("a claim takes at most maxSends, and no two claims get the same send", async () => {
    const sender = await aSender();
    const ids = await Promise.all(Array.from({ length: 40 }, () => aQueuedSend(database.db, sender)));
    expect(await claim({ maxSends: 3 })).toHaveLength(3);
    const rest = await Promise.all(Array.from({ length: 8 }, () => claim({ maxSends: 10 })));
    const claimed = rest.flat().map(({ id }) => id);
    expect(new Set(claimed).size).toBe(claimed.length);
    const left = await claim();
    expect(claimed.length + left.length).toBe(ids.length - 3);
  });

  test("a claim takes at most maxRecipients, counted in queue order", async () => {
    const sender = await aSender();
    const [first, second] = [await sendTo(sender, 2, 1), await sendTo(sender, 2, 2)];
    const third = await sendTo(sender, 1, 3);
    expect((await claim({ maxRecipients: 4 })).map(({ id }) => id)).toEqual([first, second]);
    expect((await claim({ maxRecipients: 4 })).map(({ id }) => id)).toEqual([third]);
  });

  test("a first send with more recipients than maxRecipients is claimed alone", async () => {
    const sender = await aSender();
    const large = await sendTo(sender, 50, 1);
    await sendTo(sender, 1, 2);
    expect((await claim({ maxRecipients: 5 })).map(({ id }) => id)).toEqual([large]);
  });

  test("a claim leaves leased, waiting and in-doubt sends and sends of the other mode unchanged", async () => {
    const sender = await aSender();
    for (const state of ["leased", "waiting", "in-doubt"]) {
      const id = await aQueuedSend(database.db, sender);
      await change(database.db, "update send_queue set state = $2, due_at = now() where id = $1", [id, state]);
    }
    await aQueuedSend(database.db, { ...sender, mode: "test" });
    expect(await claim()).toEqual([]);
  });

  test("while the provider is held only a probe claims a send", async () => {
    const sender = await aSender();
    const id = await aQueuedSend(database.db, sender);
    await holdProvider(database.db, "live", "paused");
    expect(await claim()).toEqual([]);
    expect((await claim({ isProbe: true })).map((send) => send.id)).toEqual([id]);
  });

  test("a claim skips a locked row and does not wait for it", async () => {
    const sender = await aSender();
    const [locked, free] = [await sendTo(sender, 1, 1), await sendTo(sender, 1, 2)];
    await database.db.withTransaction(async (tx) => {
      await tx.query({ name: "lock", text: "select from send_queue where id = $1 for update", values: [locked] });
      expect((await claim()).map(({ id }) => id)).toEqual([free]);
    });
  });
});

test("a claim skips sends with a fair_at before fromFairAt", async () => {
  const sender = await aSender();
  const [old, young] = [await sendTo(sender, 1, -60), await sendTo(sender, 1, -30)];
  const [row] = await change(database.db, "select fair_at::text from send_queue where id = $1", [young]);
  expect((await claim({ fromFairAt: String(row?.fair_at) })).map(({ id }) => id)).toEqual([young]);
  expect((await claim()).map(({ id }) => id)).toEqual([old]);
});

describe("a claim checks each send again", () => {
  test("a recipient suppressed after acceptance drops out, with a Suppression event", async () => {
    const sender = await aSender();
    const id = await aQueuedSend(database.db, { ...sender, to: ["Gone@a.test", "here@a.test"], bcc: ["also@b.test"] });
    await aSuppression(database.db, { accountId: sender.accountId, email: "gone@a.test" });
    const [send] = await claim();
    expect(send?.recipients).toEqual(["here@a.test", "also@b.test"]);
    expect(await queueRow(database.db, id)).toMatchObject({ recipients: ["here@a.test", "also@b.test"] });
    expect(await eventsOf(id)).toEqual([
      {
        account_id: sender.accountId,
        mode: "live",
        event_type: "Suppression",
        recipient: "gone@a.test",
        suppression_reason: "hard_bounce",
        has_suppressed_at: true,
        has_time_of_claim: true,
        id_has_its_time: true,
      },
    ]);
  });

  test("a suppression of another account or mode drops no recipient", async () => {
    const sender = await aSender();
    await aQueuedSend(database.db, { ...sender, to: ["here@a.test"] });
    await aSuppression(database.db, { accountId: await anAccount(database.db), email: "here@a.test" });
    await aSuppression(database.db, { accountId: sender.accountId, email: "here@a.test", mode: "test" });
    expect((await claim())[0]?.recipients).toEqual(["here@a.test"]);
  });

  test("a send that is claimed again has one event for a recipient that dropped out", async () => {
    const sender = await aSender();
    const id = await aQueuedSend(database.db, { ...sender, to: ["gone@a.test", "here@a.test"] });
    await aSuppression(database.db, { accountId: sender.accountId, email: "gone@a.test" });
    for (let attempt = 1; attempt <= 3; attempt++) {
      expect(await claim()).toMatchObject([{ attempt, recipients: ["here@a.test"] }]);
      await change(database.db, "update send_queue set state = 'ready' where id = $1", [id]);
    }
    expect(await eventsOf(id)).toHaveLength(1);
  });

  test("a claim that is rolled back leaves the recipient in the queue and no event, and the next claim stores one", async () => {
    const sender = await aSender();
    const id = await aQueuedSend(database.db, { ...sender, to: ["gone@a.test", "here@a.test"] });
    await aSuppression(database.db, { accountId: sender.accountId, email: "gone@a.test" });
    const undone = database.db.withTransaction(async (tx) => {
      expect((await claimSends(tx, everything)).sends).toHaveLength(1);
      throw new Error("undone");
    });
    await expect(undone).rejects.toThrow("undone");
    expect(await queueRow(database.db, id)).toMatchObject({ attempt: 0, recipients: ["gone@a.test", "here@a.test"] });
    expect(await eventsOf(id)).toEqual([]);
    await claim();
    expect(await eventsOf(id)).toHaveLength(1);
  });

  test("a claim distinguishes a domain that is no longer verified from one that is gone", async () => {
    const sender = await aSender();
    await aQueuedSend(database.db, { ...sender, fairInSeconds: 1 });
    await aQueuedSend(database.db, { ...sender, fromDomain: "never.test", fairInSeconds: 2 });
    await aQueuedSend(database.db, { ...sender, fromDomain: `sub.${sender.fromDomain}`, fairInSeconds: 3 });
    await change(database.db, "update domains set verification_status = 'Failed' where domain_name = $1", [
      sender.fromDomain,
    ]);
    expect((await claim()).map(({ domain }) => domain)).toEqual(["unverified", "gone", "gone"]);
  });

  test("a verified domain of another account does not count", async () => {
    const { fromDomain } = await aSender();
    await aQueuedSend(database.db, { accountId: await anAccount(database.db), fromDomain });
    expect((await claim())[0]?.domain).toBe("gone");
  });

  test.for(["suspended_at", "held_at", "guard_held_at"])(
    "sends of an account with %s are parked without an attempt",
    async (column) => {
      const [stopped, other] = [await aSender(), await aSender()];
      const parked = await aQueuedSend(database.db, { ...stopped, to: ["gone@a.test", "here@a.test"] });
      await aSuppression(database.db, { accountId: stopped.accountId, email: "gone@a.test" });
      const going = await aQueuedSend(database.db, other);
      const reason = column === "guard_held_at" ? "bounces" : null;
      await change(database.db, `update accounts set ${column} = now(), guard_reason = $2 where id = $1`, [
        stopped.accountId,
        reason,
      ]);
      const claimed = await claimSends(database.db, everything);
      expect(claimed).toMatchObject({ parked: 1, sends: [{ id: going }] });
      const row = { state: "parked", attempt: 0, dueInSeconds: 0, recipients: ["gone@a.test", "here@a.test"] };
      expect(await queueRow(database.db, parked)).toMatchObject(row);
      expect(await attemptsOf(database.db, parked)).toEqual([]);
      expect(await eventsOf(parked)).toEqual([]);
      expect(await claimSends(database.db, everything)).toMatchObject({ parked: 0, sends: [] });
    },
  );

  test("the guard stops live mail only: test mail of the account is claimed", async () => {
    const { accountId } = await aSender();
    const id = await aQueuedSend(database.db, { accountId, mode: "test", fromDomain: "sandbox.test" });
    await change(database.db, "update accounts set guard_held_at = now(), guard_reason = 'bounces' where id = $1", [
      accountId,
    ]);
    expect((await claim({ mode: "test" })).map((send) => send.id)).toEqual([id]);
  });

  test("a send without content is still claimed", async () => {
    const id = await aQueuedSend(database.db, { ...(await aSender()), hasContent: false });
    expect(await claim()).toMatchObject([{ id, sealed: null }]);
  });

  test("retryingSeconds counts from the first try-later and excludes the time of holds", async () => {
    const id = await aQueuedSend(database.db, await aSender());
    await change(
      database.db,
      "update send_queue set retrying_since = retry_clock('live') - interval '1 hour' where id = $1",
      [id],
    );
    await change(database.db, "update provider_state set held_for = interval '30 minutes'");
    expect((await claim())[0]?.retryingSeconds).toBeCloseTo(1800, 0);
  });
});

test("eight workers claim 400 sends without a deadlock, each send once", async () => {
  const sender = await aSender();
  await Promise.all(Array.from({ length: 400 }, (_, index) => sendTo(sender, 1, index % 7)));
  const claimed: string[] = [];
  const claimer = async () => {
    const db = openTestDatabase(database.url);
    onTestFinished(() => db.close());
    for (;;) {
      const { sends } = await claimSends(db, { ...everything, maxSends: 17 });
      if (sends.length === 0) return;
      claimed.push(...sends.map(({ id }) => id));
    }
  };
  await Promise.all(Array.from({ length: 8 }, claimer));
  claimed.push(...(await claim()).map(({ id }) => id));
  expect([claimed.length, new Set(claimed).size]).toEqual([400, 400]);
});

const everything = {
  mode: "live",
  maxSends: 1_000,
  maxRecipients: 10_000,
  fromFairAt: "-infinity",
  isProbe: false,
} as const;

async function claim(changes: Partial<Parameters<typeof claimSends>[1]> = {}) {
  const { sends } = await claimSends(database.db, { ...everything, ...changes });
  return sends;
}

async function aSender() {
  const accountId = await anAccount(database.db);
  return { accountId, fromDomain: await aVerifiedDomain(database.db, accountId) };
}

function sendTo(sender: { accountId: string; fromDomain: string }, recipients: number, fairInSeconds: number) {
  const to = Array.from({ length: recipients }, (_, index) => `to-${index}@example.test`);
  return aQueuedSend(database.db, { ...sender, to, fairInSeconds });
}

function eventsOf(sendId: string) {
  return change(
    database.db,
    `select account_id, mode, event_type, recipient, suppression_reason, suppressed_at is not null as has_suppressed_at,
       (select abs(extract(epoch from q.attempted_at - event_at)) < 5 from send_queue q where q.id = send_id) as has_time_of_claim,
       time_of_id(id) = date_trunc('milliseconds', event_at) as id_has_its_time
     from events where send_id = $1`,
    [sendId],
  );
}
