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

describe("what a claim takes", () => {
  test("a claimed send has a lease of 60 seconds, its attempt, its content and its recipients", async () => {
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
    const content = openContent(testContentKeys, { accountId, sendId: id }, send?.sealed ?? Buffer.alloc(0));
    expect(content.to).toEqual(["Ann@example.test"]);
    expect(await queueRow(database.db, id)).toMatchObject({ state: "leased", attempt: 1, dueInSeconds: 60 });
  });

  test("the smallest fair_at goes first, however many of another account came before", async () => {
    const [heavy, light] = [await aSender(), await aSender()];
    for (const fairInSeconds of [10, 20, 30]) await aQueuedSend(database.db, { ...heavy, fairInSeconds });
    await aQueuedSend(database.db, { ...light, fairInSeconds: 15 });
    expect((await claim()).map(({ accountId }) => accountId)).toEqual([
      heavy.accountId,
      light.accountId,
      heavy.accountId,
      heavy.accountId,
    ]);
  });

  test("no more than the free slots, and each send to one claimer", async () => {
    const sender = await aSender();
    const ids = await Promise.all(Array.from({ length: 40 }, () => aQueuedSend(database.db, sender)));
    expect(await claim({ maxSends: 3 })).toHaveLength(3);
    const rest = await Promise.all(Array.from({ length: 8 }, () => claim({ maxSends: 10 })));
    const claimed = rest.flat().map(({ id }) => id);
    expect(new Set(claimed).size).toBe(claimed.length);
    const left = await claim();
    expect(claimed.length + left.length).toBe(ids.length - 3);
  });

  test("no more recipients than granted, counted in order", async () => {
    const sender = await aSender();
    const [first, second] = [await sendTo(sender, 2, 1), await sendTo(sender, 2, 2)];
    const third = await sendTo(sender, 1, 3);
    expect((await claim({ maxRecipients: 4 })).map(({ id }) => id)).toEqual([first, second]);
    expect((await claim({ maxRecipients: 4 })).map(({ id }) => id)).toEqual([third]);
  });

  test("the first goes even with more recipients than granted, and then alone", async () => {
    const sender = await aSender();
    const large = await sendTo(sender, 50, 1);
    await sendTo(sender, 1, 2);
    expect((await claim({ maxRecipients: 5 })).map(({ id }) => id)).toEqual([large]);
  });

  test("leased, waiting and in-doubt sends and those of the other mode stay where they are", async () => {
    const sender = await aSender();
    for (const state of ["leased", "waiting", "in-doubt"]) {
      const id = await aQueuedSend(database.db, sender);
      await change(database.db, "update send_queue set state = $2, due_at = now() where id = $1", [id, state]);
    }
    await aQueuedSend(database.db, { ...sender, mode: "test" });
    expect(await claim()).toEqual([]);
  });

  test("under a hold nothing is claimed but a probe", async () => {
    const sender = await aSender();
    const id = await aQueuedSend(database.db, sender);
    await holdProvider(database.db, "live", "paused");
    expect(await claim()).toEqual([]);
    expect((await claim({ isProbe: true })).map((send) => send.id)).toEqual([id]);
  });

  test("a row locked by another is skipped and not waited for", async () => {
    const sender = await aSender();
    const [locked, free] = [await sendTo(sender, 1, 1), await sendTo(sender, 1, 2)];
    await database.db.withTransaction(async (tx) => {
      await tx.query({ name: "lock", text: "select from send_queue where id = $1 for update", values: [locked] });
      expect((await claim()).map(({ id }) => id)).toEqual([free]);
    });
  });
});

test("what has an earlier turn than the given one is not looked at", async () => {
  const sender = await aSender();
  const [old, young] = [await sendTo(sender, 1, -60), await sendTo(sender, 1, -30)];
  const [turn] = await change(database.db, "select fair_at::text as turn from send_queue where id = $1", [young]);
  expect((await claim({ fromFairAt: String(turn?.turn) })).map(({ id }) => id)).toEqual([young]);
  expect((await claim()).map(({ id }) => id)).toEqual([old]);
});

describe("what a claim checks again", () => {
  test("a recipient suppressed since acceptance drops out, with an event", async () => {
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
        is_from_list: true,
        is_of_its_time: true,
      },
    ]);
  });

  test("a suppression of another account or mode drops nobody", async () => {
    const sender = await aSender();
    await aQueuedSend(database.db, { ...sender, to: ["here@a.test"] });
    await aSuppression(database.db, { accountId: await anAccount(database.db), email: "here@a.test" });
    await aSuppression(database.db, { accountId: sender.accountId, email: "here@a.test", mode: "test" });
    expect((await claim())[0]?.recipients).toEqual(["here@a.test"]);
  });

  test("a recipient suppressed in the same way twice has one event", async () => {
    const sender = await aSender();
    const id = await aQueuedSend(database.db, { ...sender, to: ["gone@a.test"] });
    await aSuppression(database.db, { accountId: sender.accountId, email: "gone@a.test" });
    expect((await claim())[0]?.recipients).toEqual([]);
    await change(database.db, "update send_queue set state = 'ready', recipients = '{gone@a.test}' where id = $1", [
      id,
    ]);
    await claim();
    expect(await eventsOf(id)).toHaveLength(1);
  });

  test("a domain that is no longer verified, and one that is gone, are told apart", async () => {
    const sender = await aSender();
    await aQueuedSend(database.db, { ...sender, fairInSeconds: 1 });
    await aQueuedSend(database.db, { ...sender, fromDomain: "never.test", fairInSeconds: 2 });
    await aQueuedSend(database.db, { ...sender, fromDomain: `sub.${sender.fromDomain}`, fairInSeconds: 3 });
    await change(database.db, "update domains set verification_status = 'Failed' where domain_name = $1", [
      sender.fromDomain,
    ]);
    expect((await claim()).map(({ domain }) => domain)).toEqual(["unverified", "gone", "gone"]);
  });

  test("the domain of another account counts for nothing", async () => {
    const { fromDomain } = await aSender();
    await aQueuedSend(database.db, { accountId: await anAccount(database.db), fromDomain });
    expect((await claim())[0]?.domain).toBe("gone");
  });

  test.for(["suspended_at", "held_at"])(
    "sends of an account with %s are put aside, without an attempt",
    async (column) => {
      const [stopped, other] = [await aSender(), await aSender()];
      const parked = await aQueuedSend(database.db, { ...stopped, to: ["gone@a.test", "here@a.test"] });
      await aSuppression(database.db, { accountId: stopped.accountId, email: "gone@a.test" });
      const going = await aQueuedSend(database.db, other);
      await change(database.db, `update accounts set ${column} = now() where id = $1`, [stopped.accountId]);
      const claimed = await claimSends(database.db, everything);
      expect(claimed).toMatchObject({ parked: 1, sends: [{ id: going }] });
      const row = { state: "parked", attempt: 0, dueInSeconds: 0, recipients: ["gone@a.test", "here@a.test"] };
      expect(await queueRow(database.db, parked)).toMatchObject(row);
      expect(await attemptsOf(database.db, parked)).toEqual([]);
      expect(await eventsOf(parked)).toEqual([]);
      expect(await claimSends(database.db, everything)).toMatchObject({ parked: 0, sends: [] });
    },
  );

  test("a send whose content is gone is claimed all the same", async () => {
    const id = await aQueuedSend(database.db, { ...(await aSender()), hasContent: false });
    expect(await claim()).toMatchObject([{ id, sealed: null }]);
  });

  test("patience is counted from the first try-later, without the time of holds", async () => {
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

test("eight claimers at work on 400 sends never meet a deadlock and claim each once", async () => {
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
    `select account_id, mode, event_type, recipient, suppression_reason, suppressed_at is not null as is_from_list,
       left(id::text, 13) = left(send_id::text, 13) as is_of_its_time
     from events where send_id = $1`,
    [sendId],
  );
}
