import fc from "fast-check";
import type { Proof } from "../../scripts/proof.ts";
import { keyScopes } from "../src/api-keys/scopes.ts";
import type { Database } from "../src/db/database.ts";
import type { CredentialDeps } from "../src/processes/api-deps.ts";
import { aLogin, anApiKey } from "../test/builders.ts";
import type { PosternProcess } from "../test/spawn-postern.ts";
import { withApiProcesses } from "../test/with-api-processes.ts";
import { malformedRequest, type RawRequest } from "./requests/malformed-requests.ts";
import type { Credentials } from "./requests/malformed-values.ts";
import { RawConnection, type Reply } from "./requests/raw-connection.ts";

const chunkSize = 500;
const connections = 16;
/** A run of at least this size must reach stable memory use; a small run is too short. */
const settledSize = 100_000;
const maxGrowth = 0.1;

export const proof: Proof = {
  promise:
    "Malformed requests never cause a server error, a crash, an answer outside the published shape, or growing memory use",
  covers: [
    "service/proofs/requests",
    "service/src/accept",
    "service/src/api",
    "service/src/db",
    "service/src/host-name.ts",
    "service/src/mail-address.ts",
    "service/src/plain-text.ts",
  ],
  size: { small: 1500, full: 1_000_000 },
  run: (size, { serverUrl, progress }) =>
    withApiProcesses(serverUrl, 1, async ({ db, processes: [api], credentialDeps }) => {
      if (api === undefined) throw new Error("the API process did not start");
      const seed = Date.now() % 2 ** 31;
      const memory: number[] = [];
      const tally = await sendAll(
        size,
        seed,
        api,
        () => freshCredentials(db, credentialDeps),
        async (message) => {
          memory.push(await residentMebibytes(api));
          progress(message);
        },
      );
      const isAlive = await fetch(`${api.url}/readyz`).then(({ ok }) => ok);
      const growth = growthOf(memory);
      return {
        figure:
          `${tally.serverErrors} of ${size} malformed requests answered with 5xx, ${tally.unpublished} outside the published ` +
          `shape, ${isAlive ? 0 : 1} crashes (seed ${seed}; ${tally.refused} refused, ${tally.accepted} were ` +
          `valid, ${tally.closed} connections closed without an answer, ${tally.unanswered} unanswered); memory ${Math.max(...memory)} MiB at most, ` +
          `${(growth * 100).toFixed(1)} % more at the end than in the middle` +
          tally.examples.map((example) => `\n${example}`).join(""),
        holds:
          tally.serverErrors + tally.unpublished + tally.unanswered === 0 &&
          isAlive &&
          tally.refused > size / 2 &&
          (size < settledSize || growth < maxGrowth),
      };
    }),
};

interface Tally {
  serverErrors: number;
  unpublished: number;
  refused: number;
  accepted: number;
  closed: number;
  unanswered: number;
  examples: string[];
}

async function sendAll(
  size: number,
  seed: number,
  api: PosternProcess,
  credentials: () => Promise<Credentials>,
  report: (message: string) => Promise<void>,
): Promise<Tally> {
  const tally: Tally = {
    serverErrors: 0,
    unpublished: 0,
    refused: 0,
    accepted: 0,
    closed: 0,
    unanswered: 0,
    examples: [],
  };
  const lanes = Array.from({ length: connections }, () => new RawConnection(Number(new URL(api.url).port)));
  for (let sent = 0; sent < size; sent += chunkSize) {
    const numRuns = Math.min(chunkSize, size - sent);
    const requests = fc.sample(malformedRequest(await credentials()), { numRuns, seed: seed + sent });
    await Promise.all(
      lanes.map(async (lane) => {
        for (let request = requests.pop(); request !== undefined; request = requests.pop()) {
          count(tally, request, await lane.exchange(request));
        }
      }),
    );
    // A million log lines would use a gigabyte of memory.
    api.logs().splice(0);
    await report(`${sent + numRuns} of ${size}, seed ${seed}`);
  }
  for (const lane of lanes) lane.close();
  return tally;
}

function count(tally: Tally, request: RawRequest, reply: Reply): void {
  if (reply.kind === "closed") tally.closed++;
  else if (reply.kind === "timeout") note(tally, "unanswered", request, "no answer");
  else if (needsProvider(reply.answer.body)) tally.accepted++;
  else if (reply.answer.status >= 500) note(tally, "serverErrors", request, reply.answer.body);
  else if (reply.answer.status < 400) tally.accepted++;
  else if (request.isHead || isPublishedShape(reply.answer.body)) tally.refused++;
  else note(tally, "unpublished", request, `${reply.answer.status} ${reply.answer.body}`);
}

/** The name of a domain may be valid in spite of its damage. Registering it needs a provider, which this API does not have. */
function needsProvider(body: string): boolean {
  return body.includes('"UNAVAILABLE"') && body.includes("The email provider refused this installation");
}

function note(
  tally: Tally,
  kind: "unanswered" | "serverErrors" | "unpublished",
  request: RawRequest,
  answer: string,
): void {
  tally[kind]++;
  if (tally.examples.length < 5) {
    tally.examples.push(`${JSON.stringify(request.bytes.toString("latin1").slice(0, 600))} -> ${answer.slice(0, 300)}`);
  }
}

function isPublishedShape(body: string): boolean {
  try {
    const { success, error } = JSON.parse(body);
    return (
      success === false && [error.code, error.message, error.request_id, error.doc_url].every((text) => text !== "")
    );
  } catch {
    return false;
  }
}

/** New credentials for each chunk, because some requests log out or revoke, and the others must still authenticate. */
async function freshCredentials(db: Database, { loginDeps, apiKeyIssuer }: CredentialDeps): Promise<Credentials> {
  const { accountId, accessToken, refreshToken } = await aLogin(db, loginDeps);
  const { id, key } = await anApiKey(db, apiKeyIssuer, accountId, { scopes: [...keyScopes] });
  return { token: accessToken, refreshToken, key, keyId: id };
}

/** The median of the last tenth relative to the tenth after the middle. Garbage collection makes single values jump. */
function growthOf(memory: number[]): number {
  const tenth = Math.max(1, Math.floor(memory.length / 10));
  const middle = Math.floor(memory.length / 2);
  return median(memory.slice(-tenth)) / median(memory.slice(middle, middle + tenth)) - 1;
}

function median(values: number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? Number.NaN;
}

async function residentMebibytes({ operationsUrl }: PosternProcess): Promise<number> {
  const metrics = await fetch(`${operationsUrl}/metrics`).then((response) => response.text());
  const bytes = Number(/^process_resident_memory_bytes (\S+)$/m.exec(metrics)?.[1]);
  return Math.round(bytes / 2 ** 20);
}
