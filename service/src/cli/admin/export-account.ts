import { commandLineActor } from "../../actor.ts";
import { exportAccount } from "../../data-rights/export/export-account.ts";
import type { Manifest } from "../../data-rights/export/export-folder.ts";
import type { Database } from "../../db/database.ts";
import { aligned, countText, say, timeText } from "../../plain-text.ts";
import { getAccountByIdOrEmail } from "../find-account.ts";
import { createProgressBar } from "../progress-bar.ts";

export interface ExportAccountOptions {
  to: string;
}

export async function runExportAccount(db: Database, text: string, { to }: ExportAccountOptions): Promise<void> {
  const { id, name } = await getAccountByIdOrEmail(db, text);
  const bar = createProgressBar(process.stdout, "rows written");
  const { manifest, isContinued } = await exportAccount(db, {
    account: { id, name },
    folder: to,
    actor: commandLineActor(),
    onProgress: (rows) => bar.show(undefined, rows),
  }).finally(() => bar.clear());
  say(describe(manifest, to, isContinued));
}

function describe({ account_name, started_at, files }: Manifest, folder: string, isContinued: boolean): string {
  const rows = files.map(({ file, rows: count, bytes }) => [file, countText(count), countText(bytes)]);
  return [
    ...(isContinued ? [`Continued an export that began at ${timeText(started_at)}.`] : []),
    aligned([["FILE", "ROWS", "BYTES"], ...rows], { indent: "  ", right: [1, 2] }),
    `The data of ${account_name} is in ${folder}. It has addresses of people: keep it as safe as the database.`,
  ].join("\n");
}
