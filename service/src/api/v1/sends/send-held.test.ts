import { describe, expect, test } from "vitest";
import { aSuppression } from "../../../../test/send-builders.ts";
import { change } from "../../../../test/send-rows.ts";
import { useSendingApi } from "../../../../test/use-sending-api.ts";
import { holdAccount } from "../../../accounts/account-store.ts";

const { api, aSender, send } = useSendingApi();

describe("POST /api/v1/send accepts the mail of an account on hold and says", () => {
  test("that the operator holds it, without the operator's note", async () => {
    const sender = await aSender();
    await holdAccount(api.database.db, sender.accountId, "suspected fraud");
    const { status, json } = await send(sender);
    expect(status).toBe(202);
    expect(json()).toMatchObject({ status: "queued", held: true, held_reason: expect.stringContaining("operator") });
    expect(JSON.stringify(json())).not.toContain("fraud");
  });

  test("the reason of the guard for live mail", async () => {
    const sender = await aSender();
    await holdByGuard(sender.accountId);
    expect((await send(sender)).json()).toMatchObject({ held: true, held_reason: "24 of 200 bounced" });
  });

  test("nothing of the guard for test mail, which goes out", async () => {
    const sender = await aSender({ type: "test" });
    await holdByGuard(sender.accountId);
    expect((await send(sender)).json()).not.toHaveProperty("held");
  });

  test("nothing for a send whose recipients are all suppressed, nor for a repeat", async () => {
    const sender = await aSender();
    const first = await send(sender, { idempotency_key: "one" });
    await aSuppression(api.database.db, { accountId: sender.accountId, email: "gone@example.io" });
    await holdByGuard(sender.accountId);
    expect((await send(sender, { to: ["gone@example.io"] })).json()).not.toHaveProperty("held");
    const repeat = await send(sender, { idempotency_key: "one" });
    expect(repeat.json()).toEqual({ ...first.json(), idempotent: true });
  });
});

async function holdByGuard(accountId: string): Promise<void> {
  await change(
    api.database.db,
    "update accounts set guard_held_at = now(), guard_reason = '24 of 200 bounced' where id = $1",
    [accountId],
  );
}
