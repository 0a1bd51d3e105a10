import { execFile } from "node:child_process";
import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import type { ChaosCell } from "../../../chaos/cell/chaos-cell.ts";
import { createSendingClient, type SendAnswer } from "../../../service/proofs/sends/sending-client.ts";
import { asAdmin } from "../../../service/test/template-database.ts";
import { type CodeTree, thisTree } from "./code-tree.ts";
import { incompatibleStep } from "./planted-step.ts";

/** An idle worker claims within a second. */
const claimWithinMs = 5_000;
const submittedWithinMs = 30_000;
const notReadyWithinMs = 10_000;

/**
 * What stops a migration that older code cannot live with. Returns what did not:
 *
 * 1. As an expand step, `npm run check` refuses it.
 * 2. As a contract step, `postern migrate --contract` refuses it while an API and a worker of older code run.
 * 3. Forced, by raising the oldest code by hand: that API accepts nothing, that worker claims nothing, and both new ones work.
 *
 * The older code is this tree, because the code before the first release may not have the version check yet.
 */
export async function tryIncompatibleStep(cell: ChaosCell, next: CodeTree): Promise<string[]> {
  const older = thisTree();
  const problems: string[] = [];
  const require = (isTrue: boolean, problem: string) => void (isTrue || problems.push(problem));
  const linted = await failureOf(lintWithStep());
  require(linted.includes("drop"), `the linter accepted the incompatible step: ${linted}`);

  const [oldApi] = cell.apis;
  const [oldWorker, newWorker] = cell.workers;
  await oldApi?.restart([older.posternPath, "api"]);
  await oldWorker?.restart([older.posternPath, "worker"]);
  const refusal = await failureOf(next.contract(cell.databaseUrl));
  require(refusal.includes("Nothing was changed"), `migrate --contract did not refuse: ${refusal}`);
  require(/\(api,/.test(refusal) && /\(worker,/.test(refusal), `migrate --contract does not name both: ${refusal}`);

  await newWorker?.stop();
  await asAdmin(cell.databaseUrl, (client) => client.query("update schema_range set oldest_code = 9999"));
  const [oldUrl = "", newUrl = ""] = cell.apiUrls;
  const fromOld = await sendTo(cell, oldUrl);
  require(fromOld.status === 503, `the older API answered ${fromOld.status}`);
  const readiness = await untilNotReady(oldUrl);
  require(readiness === 503, `the older API is ready: ${readiness}`);
  const fromNew = await sendTo(cell, newUrl);
  require(fromNew.status === 202, `the next API answered ${fromNew.status}`);
  await sleep(claimWithinMs);
  require((await statusOf(cell, fromNew)) === "queued", "the older worker claimed a send");
  await newWorker?.start();
  for (const end = performance.now() + submittedWithinMs; performance.now() < end; await sleep(200)) {
    if ((await statusOf(cell, fromNew)) !== "queued") break;
  }
  require((await statusOf(cell, fromNew)) !== "queued", "the next worker did not submit the send");
  return problems;
}

/** Runs the linter of `npm run check` on all migrations and this one. */
async function lintWithStep(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "postern-incompatible-"));
  cpSync("service/migrations", folder, { recursive: true });
  writeFileSync(join(folder, incompatibleStep.file), incompatibleStep.sql);
  await promisify(execFile)(process.execPath, ["scripts/lint-migrations.ts", folder]).finally(() =>
    rmSync(folder, { recursive: true, force: true }),
  );
}

/** The API answers from its last look at the schema, which is some seconds old at most. */
async function untilNotReady(url: string): Promise<number> {
  for (const end = performance.now() + notReadyWithinMs; ; await sleep(200)) {
    const { status } = await fetch(`${url}/readyz`);
    if (status === 503 || performance.now() > end) return status;
  }
}

async function failureOf(work: Promise<void>): Promise<string> {
  return work.then(
    () => "",
    (error) => (error instanceof Error ? error.message : String(error)),
  );
}

async function sendTo(cell: ChaosCell, url: string): Promise<SendAnswer> {
  const client = createSendingClient(1);
  const [sender] = cell.senders;
  if (sender === undefined) throw new Error("the cell has no sender");
  const mail = { from: sender.from, to: ["jane@example.com"], subject: "After the step", text: "Hello" };
  return client.send(url, sender, mail).finally(() => client.close());
}

async function statusOf(cell: ChaosCell, { body }: SendAnswer): Promise<string | undefined> {
  const text = "select status from sends where id = $1";
  const [send] = await cell.db.query<{ status: string }>({ name: "status-of-send", text, values: [body.id] });
  return send?.status;
}
