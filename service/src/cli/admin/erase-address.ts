import { commandLineActor } from "../../actor.ts";
import { type Environment, readContentKeys } from "../../config.ts";
import { addressPatterns } from "../../data-rights/address-patterns.ts";
import { eraseAddress } from "../../data-rights/erase-address.ts";
import { readCounts } from "../../data-rights/erasure-store.ts";
import { countKept, type KeptRows } from "../../data-rights/kept-rows.ts";
import type { Database } from "../../db/database.ts";
import { aligned, amountText, countText, say } from "../../plain-text.ts";
import { getAccountByIdOrEmail } from "../find-account.ts";
import { createProgressBar } from "../progress-bar.ts";

export interface EraseAddressOptions {
  account?: string;
  wait: number;
}

export async function runEraseAddress(
  { db, environment }: { db: Database; environment: Environment },
  address: string,
  { account, wait }: EraseAddressOptions,
): Promise<void> {
  const patterns = addressPatterns(address);
  const accountId = account === undefined ? undefined : (await getAccountByIdOrEmail(db, account)).id;
  const bar = createProgressBar(process.stdout, "rows read");
  const options = {
    address,
    accountId,
    contentKeys: readContentKeys(environment),
    actor: commandLineActor(),
    waitSeconds: wait,
    onProgress: (_step: string, read: number) => bar.show(undefined, read),
  };
  const erasure = await eraseAddress(db, options).finally(() => bar.clear());
  const counts = await readCounts(db, erasure.id);
  const rows = counts.map(({ table, rows: erased }) => [table, countText(erased)]);
  say(
    [
      ...(erasure.isContinued ? [`Continued a run that began at ${erasure.startedAt}.`] : []),
      rows.length === 0
        ? "No row has the address."
        : aligned([["TABLE", "ROWS ERASED"], ...rows], { indent: "  ", right: [1] }),
      ...keptText(await countKept(db, patterns)),
    ].join("\n"),
  );
}

function keptText({ logins, webhooks, suppressions }: KeptRows): string[] {
  return [
    ...(suppressions === 0
      ? []
      : [
          `Kept: ${amountText(suppressions, "entry").replace("entrys", "entries")} of suppression lists. Mail to the address stays suppressed.`,
        ]),
    ...(logins === 0
      ? []
      : [
          `Kept: ${amountText(logins, "user")} who logs in with the address. Remove the member with \`postern admin remove-member\`.`,
        ]),
    ...(webhooks === 0
      ? []
      : [
          `Kept: ${amountText(webhooks, "webhook endpoint")} with the address in its URL. Only its account can change it.`,
        ]),
  ];
}
