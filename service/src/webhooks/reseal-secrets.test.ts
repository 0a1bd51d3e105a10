import { createSecretKey, randomBytes, randomUUIDv7 } from "node:crypto";
import { expect, test } from "vitest";
import { anAccount } from "../../test/builders.ts";
import { change } from "../../test/send-rows.ts";
import { useTestDatabase } from "../../test/use-test-database.ts";
import { anEndpoint } from "../../test/webhook-builders.ts";
import type { Secret } from "../secret.ts";
import { makeEndpointSecret, openEndpointSecret, sealEndpointSecret } from "./endpoint-secret.ts";
import { resealEndpointSecrets } from "./reseal-secrets.ts";

const database = useTestDatabase();

test("after a rotation of the content key every secret is sealed with the new one, and signs as before", async () => {
  const { db } = database;
  const [old, next, lost] = [aSecret("old"), aSecret("next"), aSecret("lost")];
  const accountId = await anAccount(db);
  const endpointId = await anEndpoint(db, { accountId });
  const { bytes } = makeEndpointSecret();
  const insert = "insert into webhook_secrets (id, endpoint_id, account_id, sealed) values ($1, $2, $3, $4)";
  const ids = [old, next, lost].map((current) => ({ id: randomUUIDv7(), current }));
  for (const { id, current } of ids) {
    const sealed = sealEndpointSecret({ current, second: undefined }, endpointId, bytes);
    await change(db, insert, [id, endpointId, accountId, sealed]);
  }
  const keys = { current: next, second: old };
  expect(await resealEndpointSecrets(db, keys)).toEqual({ resealed: 1, unreadable: 1 });
  expect(await resealEndpointSecrets(db, keys)).toEqual({ resealed: 0, unreadable: 1 });
  const rows = await change(db, "select sealed from webhook_secrets where id = any ($1) order by id", [
    ids.slice(0, 2).map(({ id }) => id),
  ]);
  for (const { sealed } of rows) {
    expect(openEndpointSecret({ current: next, second: undefined }, endpointId, sealed as Buffer)).toEqual(bytes);
  }
});

function aSecret(id: string): Secret {
  return { id, key: createSecretKey(randomBytes(32)) };
}
