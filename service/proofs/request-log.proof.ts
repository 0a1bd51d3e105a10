import type { Proof } from "../../scripts/proof.ts";
import { maxEntriesPerCode } from "../src/request-log/store-requests.ts";
import { change } from "../test/send-rows.ts";
import { copyTemplate, openTestDatabase } from "../test/template-database.ts";
import { withTestApis } from "../test/with-test-apis.ts";
import { Canaries } from "./leaks/canaries.ts";
import { findTexts } from "./leaks/find-texts.ts";
import { type AcceptCost, measureAcceptCost } from "./request-log/accept-cost.ts";
import { floodLog } from "./request-log/bounded-log.ts";
import { mailRequests } from "./request-log/mail-requests.ts";
import { aMarkedAccount, type MarkedAccount, sendAll, sender } from "./request-log/marked-account.ts";
import { markedOperations } from "./request-log/marked-requests.ts";
import { readLog } from "./request-log/read-log.ts";

const statusesOfRefusals = [400, 401, 403, 404, 409, 413, 415, 422, 429];

export const proof: Proof = {
  promise:
    "The request log has no part of a body, address, name or credential, is bounded per account and hour, and an accepted send costs the same with it",
  covers: ["service/migrations", "service/proofs/request-log", "service/src"],
  size: { small: 1_200, full: 10_000 },
  run: async (size, { serverUrl, progress }) => {
    const found = await searchLog(serverUrl, size, progress);
    const cost = await compareCosts(serverUrl, Math.ceil(size / 4));
    const missing = statusesOfRefusals.filter((status) => !found.statuses.has(status));
    return {
      figure:
        `${found.leaked.length} of ${found.markers} markers found in ${found.entries} entries and the answers of GET /requests, after requests with ` +
        [...found.statuses]
          .toSorted(([status], [nextStatus]) => status - nextStatus)
          .map(([status, count]) => `${count} x ${status}`)
          .join(", ") +
        `${missing.length === 0 ? "" : `, without ${missing.join(", ")}`}; control: ${found.control} of 1 request ids found. ` +
        `Of ${found.log.requests} refused requests of an account to two processes ${found.log.stored} stored, at most ${found.log.most} of an ` +
        `hour and code. ${describeCost(cost)}` +
        found.leaked
          .slice(0, 5)
          .map((leak) => `\n${leak}`)
          .join(""),
      holds:
        found.leaked.length === 0 &&
        missing.length === 0 &&
        found.control === 1 &&
        found.log.most === maxEntriesPerCode &&
        (cost === undefined || isEqual(cost)),
    };
  },
};

/** No two rounds share the growth of indexes, and the statements that an API process makes now and then. */
function isEqual({ on, off }: Costs): boolean {
  return (
    Math.abs(on.walBytes / off.walBytes - 1) < 0.03 &&
    Math.abs(on.statements - off.statements) < 0.05 &&
    on.logBytes < 20
  );
}

type Costs = NonNullable<Awaited<ReturnType<typeof measureAcceptCost>>>;

function describeCost(costs: Costs | undefined): string {
  if (costs === undefined)
    return "The cost of accepting was not measured: this PostgreSQL does not count WAL per connection.";
  const text = ({ walBytes, statements }: AcceptCost) =>
    `${walBytes.toFixed(0)} bytes of WAL and ${statements.toFixed(2)} statements`;
  return `A send costs ${text(costs.on)} with the log and ${text(costs.off)} without it (n = ${costs.on.sends} each); the log writes ${costs.on.logBytes.toFixed(2)} bytes of WAL for it`;
}

async function searchLog(serverUrl: string, size: number, progress: (message: string) => void) {
  return withTestApis(serverUrl, { one: {}, other: {} }, async ({ db, apis: { one, other } }) => {
    const canaries = new Canaries();
    const statuses = new Map<number, number>();
    const send = sender(await one.app.listen({ port: 0, host: "127.0.0.1" }), canaries, statuses);
    const accounts: MarkedAccount[] = [];
    const anotherAccount = async (perSecond?: number) => {
      const account = await aMarkedAccount(db, one, canaries, perSecond);
      accounts.push(account);
      return account;
    };
    const { usage } = one.deps.readLimits.count("nobody");
    const limited = one.deps.readLimits.count;
    one.deps.readLimits.count = () => ({ usage, retryMs: undefined });

    const operations = markedOperations(canaries);
    let [account, sent] = [await anotherAccount(), 0];
    for (const [number, { name, requests }] of operations.entries()) {
      // The bound of an hour would hide further entries of an account.
      if (sent + requests.length > maxEntriesPerCode) [account, sent] = [await anotherAccount(), 0];
      sent += requests.length;
      await sendAll(send, requests, name.includes("/operator/") ? [account.token] : [account.key, account.token]);
      await one.deps.requestLog.flush();
      if (number % 10 === 0) progress(`${number} of ${operations.length} operations`);
    }
    const mailing = await anotherAccount();
    for (const request of mailRequests(canaries, mailing)) await send(request, mailing.key);
    const slow = await anotherAccount(1);
    for (let count = 0; count < 5; count++)
      for (const request of mailRequests(canaries, slow)) await send(request, slow.key);
    const revoked = await anotherAccount();
    await change(db, "update api_keys set revoked_at = now() where id = $1", [revoked.keyId]);
    for (const request of mailRequests(canaries, revoked)) await send(request, revoked.key);
    const control = "control-of-the-request-log";
    await send({ method: "GET", path: "/api/v1/domains/7", headers: { "x-request-id": control } }, mailing.key);

    progress("the bound");
    const log = await floodLog(db, [one, other], await anotherAccount(), size);
    const texts = await readLog(db, one, accounts);
    one.deps.readLimits.count = limited;
    const everything = Buffer.from(texts.join("\n"));
    const leaked = findMarkers(everything, canaries.texts()).map(
      (text) => `${canaries.kindOf(text)}: ${texts.find((entry) => entry.includes(text))?.slice(0, 300)}`,
    );
    const entries = await change(db, "select count(*) as count from logged_requests");
    return {
      leaked,
      markers: canaries.texts().length,
      statuses,
      entries: Number(entries[0]?.count),
      control: findTexts(everything, [control]).length,
      log,
    };
  });
}

/** All markers as they are, and some of them in other encodings, which takes long. */
function findMarkers(bytes: Buffer, markers: string[]): string[] {
  const text = bytes.toString().toLowerCase();
  const step = Math.ceil(markers.length / 200);
  const encoded = markers.filter((_, index) => index % step === 0);
  const plain = new Set(text.match(/canary[0-9a-f]{18}/g));
  const secrets = markers.filter((marker) => !marker.startsWith("canary") && text.includes(marker.toLowerCase()));
  return [...new Set([...plain, ...secrets, ...findTexts(bytes, encoded)])];
}

async function compareCosts(serverUrl: string, sends: number): Promise<Costs | undefined> {
  const copy = await copyTemplate(serverUrl);
  const db = openTestDatabase(copy.url);
  try {
    return await measureAcceptCost(db, copy.url, sends);
  } finally {
    await db.close();
    await copy.drop();
  }
}
