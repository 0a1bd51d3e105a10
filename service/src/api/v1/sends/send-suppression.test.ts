import { describe, expect, test } from "vitest";
import { aSuppression } from "../../../../test/send-builders.ts";
import { useSendingApi } from "../../../../test/use-sending-api.ts";

const { api, aSender, send, statusOf, eventsOf } = useSendingApi();

describe("POST /api/v1/send filters suppressed recipients", () => {
  test("and sends to the others, lists the filtered ones as written and records one event each", async () => {
    const sender = await aSender();
    await aSuppression(api.database.db, { accountId: sender.accountId, email: "gone@example.io" });
    const response = await send(sender, { to: ["Gone@Example.io", "jane@example.io"] });
    expect(response.json()).toMatchObject({ status: "queued", suppressed_recipients: ["Gone@Example.io"] });
    const { id } = response.json();
    expect(await eventsOf(id)).toEqual([{ type: "Suppression", recipient: "gone@example.io", reason: "hard_bounce" }]);
    expect(await queuedRecipients(id)).toEqual(["jane@example.io"]);
    expect((await statusOf(id, sender)).json().to_addresses).toEqual(["Gone@Example.io", "jane@example.io"]);
  });

  test("and stores the send as suppressed without a queue entry when every recipient is filtered", async () => {
    const sender = await aSender();
    for (const email of ["a@example.io", "b@example.io"]) {
      await aSuppression(api.database.db, { accountId: sender.accountId, email });
    }
    const response = await send(sender, { to: ["a@example.io"], bcc: ["b@example.io"] });
    expect(response.status).toBe(202);
    expect(response.json()).toMatchObject({
      status: "suppressed",
      suppressed_recipients: ["a@example.io", "b@example.io"],
    });
    const { id } = response.json();
    expect(await eventsOf(id)).toHaveLength(2);
    expect(await queuedRecipients(id)).toBeUndefined();
    expect((await statusOf(id, sender)).json().status).toBe("suppressed");
  });

  test("and still sends when all of `to` is filtered but cc or bcc is not", async () => {
    const sender = await aSender();
    await aSuppression(api.database.db, { accountId: sender.accountId, email: "a@example.io" });
    const response = await send(sender, { to: ["a@example.io"], cc: ["b@example.io"] });
    expect(response.json()).toMatchObject({ status: "queued", suppressed_recipients: ["a@example.io"] });
    expect(await queuedRecipients(response.json().id)).toEqual(["b@example.io"]);
  });

  test("only by the suppression list of its own account and mode", async () => {
    const [sender, other] = [await aSender(), await aSender()];
    await aSuppression(api.database.db, { accountId: other.accountId, email: "a@example.io" });
    await aSuppression(api.database.db, { accountId: sender.accountId, email: "a@example.io", mode: "test" });
    expect((await send(sender, { to: ["a@example.io"] })).json()).not.toHaveProperty("suppressed_recipients");
  });
});

function queuedRecipients(id: string): Promise<string[] | undefined> {
  return api.database.db
    .query<{ recipients: string[] }>({
      name: "queued-recipients",
      text: `select recipients from send_queue where id = $1`,
      values: [id],
    })
    .then(([row]) => row?.recipients);
}
