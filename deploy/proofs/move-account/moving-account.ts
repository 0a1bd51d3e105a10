import { type ChaosCell, highLimits } from "../../../chaos/cell/chaos-cell.ts";
import { storePastYear } from "../../../service/proofs/retention/past-year.ts";
import { senderDomain, type TestSender } from "../../../service/proofs/sends/sending-client.ts";
import { anAccount, anApiKey } from "../../../service/test/builders.ts";
import { makePastMonths } from "../../../service/test/past-records.ts";
import { aVerifiedDomain } from "../../../service/test/send-builders.ts";
import { change } from "../../../service/test/send-rows.ts";

const dayMs = 86_400_000;

/** Makes an account of the source with so many sends of the last year, with events, delays, attempts and suppressions. */
export async function aMovingAccount(
  { db, credentialDeps: { apiKeyIssuer } }: ChaosCell,
  number: number,
  sendsOfRecord: number,
): Promise<TestSender> {
  const accountId = await anAccount(db, { madeAt: Date.now() - 400 * dayMs, name: `Moves ${number}` });
  // In the source SES and DNS were asked long ago.
  const domain = await aVerifiedDomain(db, accountId, senderDomain(number), apiKeyIssuer.cellCode);
  const { key } = await anApiKey(db, apiKeyIssuer, accountId, { scopes: ["send", "read"] });
  const limits =
    "update accounts set limit_per_second = $2, limit_per_10_seconds = $3, limit_per_minute = $4 where id = $1";
  await change(db, limits, [accountId, ...highLimits]);
  await makePastMonths(db);
  await storePastYear(db, accountId, sendsOfRecord);
  return { accountId, key, from: `orders@${domain}` };
}
