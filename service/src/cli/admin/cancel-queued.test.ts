import { randomUUIDv7 } from "node:crypto";
import { expect, onTestFinished, test, vi } from "vitest";
import { anAccount } from "../../../test/builders.ts";
import { aQueuedSend, aVerifiedDomain, claimAgain } from "../../../test/send-builders.ts";
import { useEmptyQueue } from "../../../test/send-rows.ts";
import { useTestDatabase } from "../../../test/use-test-database.ts";
import { cancelQueued } from "./cancel-queued.ts";

const database = useTestDatabase();
useEmptyQueue(database);

test("cancels queued sends, also those accepted while it waits, and lists every send of the key with its status", async () => {
  const key = await aLeakedKey();
  const submitting = await aSendOf(key);
  await claimAgain(database.db, submitting);
  const queued = await aSendOf(key);
  const printed = capturedOutput();
  const running = cancelQueued(database.db, key, 300);
  await vi.waitFor(() => expect(printed()).toContain("1 queued send cancelled"));
  const late = await aSendOf(key);
  await running;
  for (const id of [queued, late]) expect(printed()).toMatch(new RegExp(`^${id}  .* UTC  failed CANCELLED  to-`, "m"));
  expect(printed()).toMatch(new RegExp(`^${submitting}  .* UTC  processing`, "m"));
  expect(printed()).toContain("3 sends of this key: 2 failed, 1 processing.\n2 sends cancelled");
  expect(printed()).toContain("A worker is submitting 1 of them, or the outcome is in doubt.");
});

test("says when the key has sent nothing", async () => {
  const printed = capturedOutput();
  await cancelQueued(database.db, await aLeakedKey(), 0);
  expect(printed()).toContain("The key has sent nothing.");
});

async function aLeakedKey() {
  const accountId = await anAccount(database.db);
  const shown = { name: "a key", type: "live", keyPrefix: "postern_live_AA...", accountName: "Acme" } as const;
  return { ...shown, id: randomUUIDv7(), accountId, createdAt: new Date(0).toISOString(), revokedAt: null };
}

async function aSendOf({ accountId, id }: { accountId: string; id: string }): Promise<string> {
  return aQueuedSend(database.db, {
    accountId,
    apiKeyId: id,
    fromDomain: await aVerifiedDomain(database.db, accountId),
  });
}

function capturedOutput(): () => string {
  const write = vi.spyOn(process.stdout, "write").mockReturnValue(true);
  onTestFinished(() => write.mockRestore());
  return () => write.mock.calls.map(([text]) => String(text)).join("");
}
