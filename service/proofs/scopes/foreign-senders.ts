import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { ApiDeps, ApiServer } from "../../src/api/http/api-server.ts";
import type { Database } from "../../src/db/database.ts";
import { anApiKey } from "../../test/builders.ts";
import { aVerifiedDomain } from "../../test/send-builders.ts";
import { aScopeAccount } from "./scope-accounts.ts";

export interface SenderTally {
  honest: number;
  honestRefused: number;
  hostile: number;
  hostileAccepted: number;
  /** Sends in the database that a key for one domain made from another. */
  foreignStored: number;
}

/**
 * An account with several verified domains, two keys for one domain each and a key for all: all three send at the same time, from
 * their own domain and from others in every spelling, so that their requests share statements.
 */
export async function trySenders(db: Database, { app, deps }: { app: ApiServer; deps: ApiDeps }, tally: SenderTally) {
  const { accountId, domain } = await aScopeAccount(db, deps);
  const label = randomBytes(5).toString("hex");
  const unicode = `bücher${label}.example`;
  const ascii = new URL(`http://${unicode}`).hostname;
  const others = [
    `mail.${domain}`,
    `x${domain}`,
    `${domain}.example`,
    `bucher${label}.example`,
    `other${label}.example`,
  ];
  for (const name of [ascii, ...others]) await aVerifiedDomain(db, accountId, name);
  const keyFor = async (only: string) => anApiKey(db, deps.apiKeyIssuer, accountId, { domain: only });
  const everything = await anApiKey(db, deps.apiKeyIssuer, accountId);
  const restricted = [
    { key: await keyFor(domain), own: [domain, domain.toUpperCase()], foreign: [...others, unicode, ascii] },
    {
      key: await keyFor(ascii),
      own: [ascii, unicode, unicode.toUpperCase(), ascii.toUpperCase(), unicode.normalize("NFD")],
      foreign: [...others, domain],
    },
  ];
  const attempt = async (key: string, from: string, isHonest: boolean, round: number) => {
    const status = await send(app, key, from, round);
    tally[isHonest ? "honest" : "hostile"]++;
    if (isHonest && status !== 202) tally.honestRefused++;
    if (!isHonest && status < 300) tally.hostileAccepted++;
  };
  for (let round = 0; round < rounds; round++) {
    const attempts = [
      ...restricted.flatMap(({ key: { key }, own, foreign }) => [
        ...own.flatMap((name) => spellings(name, others[0] ?? "")).map((from) => () => attempt(key, from, true, round)),
        ...foreign
          .flatMap((name) => [...spellings(name, own[0] ?? ""), ...odd(name, own[0] ?? "")])
          .map((from) => () => attempt(key, from, false, round)),
      ]),
      ...others.map((name) => () => attempt(everything.key, `a@${name}`, true, round)),
    ];
    const atOnce = round === largeRound ? maxLargeAtOnce : attempts.length;
    while (attempts.length > 0) await Promise.all(attempts.splice(0, atOnce).map((run) => run()));
  }
  tally.foreignStored += await countForeign(
    db,
    restricted.map(({ key }) => key.id),
  );
}

/** The first round meets keys that the process does not remember. */
const rounds = 4;
/** The API checks the key before it reads a large body. */
const largeRound = 3;
const maxTries = 10;
/** Fewer than an account may have in progress. */
const maxLargeAtOnce = 6;

/** The same domain, with other names before it. */
function spellings(domain: string, decoy: string): string[] {
  return [`a@${domain}`, `A Shop <a@${domain}>`, `"a@${decoy}" <a@${domain}>`, `"${decoy}" <a@${domain}>`];
}

/** Senders that are another domain or malformed, and never the decoy. */
function odd(domain: string, decoy: string): string[] {
  return [
    `a@${domain.toUpperCase()}`,
    `a@${fullWidth(domain)}`,
    `a@${decoy}, a@${domain}`,
    `a@${decoy}@${domain}`,
    `<a@${decoy}> <a@${domain}>`,
    `a@${decoy} <a@${domain}>`,
    `"<a@${decoy}>" <a@${domain}>`,
    `a@${decoy}\u0000.${domain}`,
    `a@${decoy}%40${domain}`,
    `a@${decoy}\r\nFrom: a@${domain}`,
    `"a@${decoy}\\" <a@${domain}>`,
    `a@${domain}.`,
  ];
}

function fullWidth(text: string): string {
  return text.replaceAll(/[a-z0-9]/g, (letter) => String.fromCodePoint((letter.codePointAt(0) ?? 0) + 0xfee0));
}

async function send(app: ApiServer, key: string, from: string, round: number): Promise<number> {
  const headers = round % 2 === 0 ? { "x-api-key": key } : { authorization: `Bearer ${key}` };
  const text = round === largeRound ? "x".repeat(80_000) : "Hi";
  const payload = { from, to: [`${randomBytes(6).toString("hex")}@example.test`], subject: "Hello", text };
  // 503 says nothing about the rights of the key: the database did not answer in time.
  for (let tries = 1; ; tries++) {
    const { statusCode } = await app.inject({ method: "POST", url: "/api/v1/send", headers, payload });
    if (statusCode !== 503 || tries === maxTries) return statusCode;
    await sleep(100 * tries);
  }
}

async function countForeign(db: Database, keyIds: string[]): Promise<number> {
  const [row] = await db.query<{ count: number }>({
    name: "count-foreign",
    text: `
      select count(*) as count
      from sends s
      join send_queue q on q.id = s.id
      join api_keys k on k.id = s.api_key_id
      where k.id = any ($1::uuid[])
        and (q.from_domain <> k.domain or coalesce(s.from_domain, written_domain(s.from_address)) <> k.domain)`,
    values: [keyIds],
  });
  return row?.count ?? Number.NaN;
}
