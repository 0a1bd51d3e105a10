import { mkdtemp, rm } from "node:fs/promises";
import { availableParallelism, loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import type { Proof } from "../../scripts/proof.ts";
import type { Environment } from "../src/config.ts";
import { type Database, openDatabase } from "../src/db/database.ts";
import { listSuppressions } from "../src/suppressions/suppression-store.ts";
import { anAccount } from "../test/builders.ts";
import { change } from "../test/send-rows.ts";
import { copyTemplate } from "../test/template-database.ts";
import { anEnvironment } from "../test/test-config.ts";
import { addressOf, type ImportFile, knownAt, writeImportFile } from "./import/import-file.ts";
import { type ImportRun, runImport } from "./import/import-process.ts";

const fullSize = 1_000_000;
const maxPeakMb = 384;
const batchSize = 1_000;

export const proof: Proof = {
  promise:
    "1,000,000 suppressions are imported with less than 384 MB; killed 10 times and repeated, the import has the same result, and no complaint is weakened",
  covers: [
    "service/migrations",
    "service/proofs/import",
    "service/src/audit",
    "service/src/cli/admin/import-suppressions.ts",
    "service/src/db",
    "service/src/mail-address.ts",
    "service/src/suppression-reason.ts",
    "service/src/suppressions",
  ],
  size: { small: 8_000, full: fullSize },
  run: async (size, { serverUrl, progress }) => {
    const copy = await copyTemplate(serverUrl);
    const folder = await mkdtemp(join(tmpdir(), "postern-import-"));
    // The comparison of two million entries takes longer than a request may.
    const db = openDatabase({
      url: copy.url,
      poolSize: 2,
      applicationName: "proof",
      onIdleError: () => undefined,
      statementTimeoutMs: 300_000,
    });
    try {
      const environment = anEnvironment({ DATABASE_URL: copy.url });
      const file = await writeImportFile(join(folder, "import.csv"), size);
      const kills = size < fullSize ? 3 : 10;
      const found = await importTwice({ db, environment, file, kills, progress });
      const { dry, whole, killed } = found;
      return {
        figure:
          `${size} records, ${file.addresses} different addresses (${file.known} known as complaints), ${file.invalid} invalid; dry run ` +
          `${dry.seconds.toFixed(1)} s, ${dry.peakMb} MB; import ${whole.seconds.toFixed(1)} s, ${whole.peakMb} MB, counts ` +
          `${countsText(whole)}, ${found.wrongCounts} of 2 wrong; killed ${killed.kills} of ${kills} times, ` +
          `${killed.incomplete} of them before the end, then repeated: ${killed.differences} entries differ, ${found.wrongTotals} ` +
          `wrong totals, ${found.weakened} complaints weakened; a third import added ${found.addedAgain}. ` +
          `${availableParallelism()} cores, load ${loadavg()[0]?.toFixed(1)}`,
        holds:
          found.wrongCounts + found.wrongTotals + found.weakened + found.addedAgain + killed.differences === 0 &&
          killed.kills === kills &&
          // The comparison must be able to fail: after each kill, entries were missing.
          killed.incomplete === kills &&
          Math.max(dry.peakMb, whole.peakMb) < maxPeakMb,
      };
    } finally {
      await db.close();
      await copy.drop();
      await rm(folder, { recursive: true, force: true });
    }
  },
};

interface ProofContext {
  db: Database;
  environment: Environment;
  file: ImportFile;
  kills: number;
  progress: (message: string) => void;
}

/** Into one account undisturbed, into another with kills. */
async function importTwice(context: ProofContext) {
  const { db, environment, file, progress } = context;
  const [one, other] = [await anAccountWithComplaints(db, file), await anAccountWithComplaints(db, file)];
  const run = { environment, path: file.path };
  const dry = await runImport({ ...run, accountId: one, isDryRun: true });
  const before = await countOf(db, one);
  const whole = await runImport({ ...run, accountId: one });
  progress(`imported in ${whole.seconds.toFixed(0)} s`);
  const killed = await importWithKills(context, one, other);
  const again = await runImport({ ...run, accountId: other });
  const expected = {
    added: file.addresses - file.known,
    known: file.records - file.invalid - file.addresses + file.known,
    invalid: file.invalid,
  };
  return {
    dry,
    whole,
    killed,
    wrongCounts: [dry, whole].filter(({ counts }) => JSON.stringify(counts) !== JSON.stringify(expected)).length,
    wrongTotals: (await wrongTotals(db, [one, other], file.addresses)) + (before === file.known ? 0 : 1),
    weakened: await countWeakened(db, [one, other], file),
    addedAgain: again.counts?.added ?? Number.NaN,
  };
}

/** Each kill comes when the import is a share further than the one before. Each run starts again from the beginning of the file. */
async function importWithKills(
  { db, environment, file, kills, progress }: ProofContext,
  whole: string,
  accountId: string,
) {
  const batches = file.addresses / batchSize;
  let [killed, incomplete] = [0, 0];
  for (let round = 1; round <= kills; round++) {
    const wanted = Math.floor((batches * round) / (kills + 1));
    const isToKill = async () => (await countBatches(db, accountId)) >= wanted;
    const { isKilled } = await runImport({ environment, path: file.path, accountId, isToKill });
    if (isKilled) killed++;
    if ((await countOf(db, accountId)) < file.addresses) incomplete++;
    progress(`killed ${killed} times`);
  }
  await runImport({ environment, path: file.path, accountId });
  return { kills: killed, incomplete, differences: await countDifferences(db, whole, accountId) };
}

async function anAccountWithComplaints(db: Database, { records }: ImportFile): Promise<string> {
  const accountId = await anAccount(db);
  const emails = Array.from({ length: records / 100 }, (_, cycle) => addressOf(cycle * 100 + knownAt));
  await change(
    db,
    `insert into suppressions (id, account_id, mode, email, reason)
     select new_id_at(now()), $1, 'live', email, 'complaint'
     from unnest($2::text[]) as email
     order by email`,
    [accountId, emails],
  );
  return accountId;
}

/** The statement of a batch that added addresses leaves one entry. */
async function countBatches(db: Database, accountId: string): Promise<number> {
  return countRows(db, "select count(*) from audit_entries where account_id = $1 and action = 'suppression.import'", [
    accountId,
  ]);
}

function countOf(db: Database, accountId: string): Promise<number> {
  return countRows(db, "select count(*) from suppressions where account_id = $1 and mode = 'live'", [accountId]);
}

function countDifferences(db: Database, one: string, other: string): Promise<number> {
  return countRows(
    db,
    `select count(*)
     from (select email, reason, note from suppressions where account_id = $1 and mode = 'live') as one
     full join (select email, reason, note from suppressions where account_id = $2 and mode = 'live') as other using (email)
     where (one.reason, one.note) is distinct from (other.reason, other.note)`,
    [one, other],
  );
}

async function countWeakened(db: Database, accounts: string[], { known }: ImportFile): Promise<number> {
  let weakened = 0;
  for (const accountId of accounts) {
    const kept = await countRows(
      db,
      `select count(*) from suppressions where account_id = $1 and mode = 'live' and reason = 'complaint' and email like '%${knownAt}@%'`,
      [accountId],
    );
    weakened += known - kept;
  }
  return weakened;
}

/** What the API shows as total, which triggers count, and the entries themselves. */
async function wrongTotals(db: Database, accounts: string[], expected: number): Promise<number> {
  let wrong = 0;
  for (const accountId of accounts) {
    const { total } = await listSuppressions(db.forAccount(accountId), ["live"], { limit: 1, offset: 0 });
    if (total !== expected || (await countOf(db, accountId)) !== expected) wrong++;
  }
  return wrong;
}

async function countRows(db: Database, text: string, values: unknown[]): Promise<number> {
  const [row] = await db.query<{ count: number }>({ name: text, text, values, isPlannedEachTime: true });
  return row?.count ?? 0;
}

function countsText({ counts }: ImportRun): string {
  return counts === undefined ? "missing" : `${counts.added} new, ${counts.known} known, ${counts.invalid} invalid`;
}
