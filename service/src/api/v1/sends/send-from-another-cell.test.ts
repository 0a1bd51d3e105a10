import { createSecretKey, randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { change } from "../../../../test/send-rows.ts";
import { type TestSender, useSendingApi } from "../../../../test/use-sending-api.ts";
import { adoptFingerprintKey } from "../../../accept/fingerprint-keys.ts";

const { api, aSender, send, countSends } = useSendingApi();

/** Stores sends as the cell where the account was created, which has another key. */
async function aSenderFromAnotherCell(bodies: Record<string, unknown>[]) {
  const sender = await aSender();
  const { acceptDeps } = api.deps;
  const { fingerprintKeys } = acceptDeps;
  const key = createSecretKey(randomBytes(32));
  acceptDeps.fingerprintKeys = { of: () => key };
  const stored = [];
  for (const body of bodies) stored.push((await send(sender, body)).json());
  acceptDeps.fingerprintKeys = fingerprintKeys;
  const contentKeys = { current: acceptDeps.contentKey, second: undefined };
  const name = await adoptFingerprintKey(api.database.db, contentKeys, key);
  await change(api.database.db, "update accounts set fingerprint_key = $2 where id = $1", [sender.accountId, name]);
  return { sender, stored, name };
}

const keyed = { idempotency_key: "receipt-of-order-1001" };

test("an account from another cell gets its first answers again for its idempotency keys", async () => {
  const { sender, stored } = await aSenderFromAnotherCell([keyed, {}]);
  const [first, second] = stored;
  const repeat = await send(sender, keyed);
  expect([repeat.status, repeat.json().id, repeat.headers["idempotent-replayed"]]).toEqual([202, first.id, "true"]);
  const generated = await send(sender, { idempotency_key: second.idempotency_key });
  expect([generated.status, generated.json().id]).toEqual([202, second.id]);
  expect(await countSends(sender.accountId)).toBe(2);
});

test("another payload under such a key is a conflict", async () => {
  const { sender, stored } = await aSenderFromAnotherCell([keyed, {}]);
  const other = await send(sender, { ...keyed, subject: "Another" });
  expect([other.status, other.json().error.details[0].field]).toEqual([409, "subject"]);
  expect((await send(sender, { idempotency_key: stored[1].idempotency_key, subject: "Another" })).status).toBe(409);
  expect(await countSends(sender.accountId)).toBe(2);
});

test("validation and cancelling by key know its keys too", async () => {
  const { sender, stored } = await aSenderFromAnotherCell([keyed]);
  const post = (path: string, body: object) => api.call({ method: "POST", path, key: sender.key, body });
  const mail = { from: sender.from, to: ["jane@example.io"], subject: "Hello", text: "Hi Jane", ...keyed };
  expect((await post("/api/v1/send/validate", mail)).json().idempotency).toEqual({ state: "repeat", id: stored[0].id });
  expect((await post("/api/v1/send/cancel", keyed)).json().id).toBe(stored[0].id);
});

test("503 for its sends, validations and batches while its key is missing, and nothing is stored", async () => {
  const { sender, name } = await aSenderFromAnotherCell([keyed]);
  await change(api.database.db, "delete from sealed_keys where name = $1", [name]);
  const mail = { from: sender.from, to: ["jane@example.io"], subject: "Hello", text: "Hi Jane" };
  const answers = [
    await send(sender, keyed),
    await batch(sender, mail),
    await api.call({ method: "POST", path: "/api/v1/send/validate", key: sender.key, body: mail }),
  ];
  for (const { status, headers, json } of answers) {
    expect([status, headers["retry-after"], json().error.code]).toEqual([503, "10", "UNAVAILABLE"]);
  }
  expect(await countSends(sender.accountId)).toBe(1);
  const other = await aSender();
  expect((await send(other)).status).toBe(202);
});

function batch(sender: TestSender, mail: object) {
  return api.call({ method: "POST", path: "/api/v1/send/batch", key: sender.key, body: { mails: [mail] } });
}
