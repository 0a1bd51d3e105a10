import { createSecretKey, randomBytes, randomUUIDv7 } from "node:crypto";
import type { Database } from "../src/db/database.ts";
import type { MoveContext } from "../src/moves/move-context.ts";
import type { MovingCell } from "../src/moves/moving-cell.ts";
import type { SecretPair } from "../src/secret.ts";
import { anAccount } from "./builders.ts";
import type { CrashAt } from "./crash-at.ts";
import { aScheduledSend } from "./scheduled-sends.ts";
import { aQueuedSend, testContentKeys } from "./send-builders.ts";
import { change } from "./send-rows.ts";
import { copyTemplate, openTestDatabase } from "./template-database.ts";
import { aConfig } from "./test-config.ts";

export interface Cells {
  source: Database;
  target: Database;
}

/** What the command works with. Of the settings only those that the steps read; the account has no domain, so nothing is called at SES. */
export function aMoveContext(
  { source, target }: Cells,
  account: { id: string; name: string },
  crash: CrashAt,
): MoveContext {
  return {
    source: { ...cellSettings("AA", testContentKeys, "111111111111"), db: crash.wrap(source) },
    target: { ...cellSettings("AB", targetKeys, "222222222222"), db: crash.wrap(target) },
    domains: { db: target, configurationSetName: "postern-AB" } as MoveContext["domains"],
    account,
    runId: randomUUIDv7(),
    say: () => undefined,
    onRows: () => undefined,
  };
}

const targetKeys: SecretPair = { current: { id: "target", key: createSecretKey(randomBytes(32)) }, second: undefined };
const pepper = aConfig().secrets.apiKeyPepper.current;

function cellSettings(code: string, contentKey: SecretPair, awsAccount: string): Omit<MovingCell, "db"> {
  return {
    publicUrl: `https://${code.toLowerCase()}.mail.test`,
    code,
    apiKeyPepper: { current: pepper, second: undefined },
    contentKey,
    recordRetentionDays: undefined,
    partitionSpan: "month",
    aws: { account: awsAccount, region: "eu-central-1" },
  };
}

export async function openCells(serverUrl: string): Promise<Cells & { close: () => Promise<void> }> {
  const copies = [await copyTemplate(serverUrl), await copyTemplate(serverUrl)] as const;
  const [source, target] = [openTestDatabase(copies[0].url), openTestDatabase(copies[1].url)];
  return {
    source,
    target,
    close: async () => {
      await Promise.all([source.close(), target.close()]);
      for (const { drop } of copies) await drop();
    },
  };
}

export interface MovedAccount {
  id: string;
  name: string;
  /** Its queues before the move. */
  mail: string;
}

/** With mail that is ready, of test mode, waiting after a failed attempt, and scheduled. */
export async function anAccountWithMail({ source }: Cells): Promise<MovedAccount> {
  const id = await anAccount(source);
  await aQueuedSend(source, { accountId: id });
  await aQueuedSend(source, { accountId: id, mode: "test" });
  const waiting = await aQueuedSend(source, { accountId: id });
  await change(
    source,
    "update send_queue set state = 'waiting', due_at = now(), attempt = 1, retrying_since = now() where id = $1",
    [waiting],
  );
  await aScheduledSend(source, { accountId: id, dueInSeconds: 3_600 });
  return { id, name: "An account", mail: await mailOf(source, id) };
}

/** What is in the queues of a cell: each send with its attempts. */
export async function mailOf(db: Database, accountId: string): Promise<string> {
  const rows = await change(
    db,
    `select id, mode, attempt from send_queue where account_id = $1
     union all
     select id, mode, -1 from scheduled_sends where account_id = $1
     order by id`,
    [accountId],
  );
  return JSON.stringify(rows);
}

/** The cells in which the account is not suspended. */
export async function livesIn(cells: Cells, accountId: string): Promise<string> {
  const found: string[] = [];
  for (const cell of ["source", "target"] as const) {
    const rows = await change(cells[cell], "select from accounts where id = $1 and suspended_at is null", [accountId]);
    if (rows.length > 0) found.push(cell);
  }
  return found.join(" and ");
}
