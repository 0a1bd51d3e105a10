import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { listAccounts } from "../../accounts/list-accounts.ts";
import { commandLineActor } from "../../actor.ts";
import { type Environment, readAwsConfig } from "../../config.ts";
import type { Database } from "../../db/database.ts";
import { AppError } from "../../errors.ts";
import { aligned, countText, say } from "../../plain-text.ts";
import { createSesProvider } from "../../provider/ses/ses-provider.ts";
import type { SuppressionReason } from "../../suppression-reason.ts";
import { createImportReader, type ReadRecord } from "../../suppressions/import/import-reader.ts";
import type { FileSource, ImportEntry } from "../../suppressions/import/import-sources.ts";
import { noteReported } from "../../suppressions/import/import-store.ts";
import { type ImportCounts, importSuppressions } from "../../suppressions/import/import-suppressions.ts";
import { readProviderList } from "../../suppressions/import/read-provider-list.ts";
import { getAccountByIdOrEmail } from "../find-account.ts";
import { createProgressBar } from "../progress-bar.ts";

export interface ImportCommandOptions {
  account: string;
  from: FileSource | "ses";
  file?: string;
  reason?: SuppressionReason;
  apply?: boolean;
}

export async function runImportSuppressions(
  { db, environment }: { db: Database; environment: Environment },
  options: ImportCommandOptions,
): Promise<void> {
  const { from, apply = false } = options;
  const { id: accountId, name } = await getAccountByIdOrEmail(db, options.account);
  const { records, share } = from === "ses" ? await openProvider(db, environment) : await openFile(options, from);
  const bar = createProgressBar(process.stdout, "addresses");
  const show = ({ added, known, invalid }: ImportCounts) => bar.show(share(), added + known + invalid);
  const own = db.forAccount(accountId, commandLineActor());
  const importOptions = {
    mode: "live" as const,
    source: from,
    isDryRun: !apply,
    ...(from === "ses" && { noteReported: (entries: readonly ImportEntry[]) => noteReported(db, accountId, entries) }),
  };
  const counts = await importSuppressions(own, records, importOptions, show).finally(() => bar.clear());
  say(describe(counts, name, apply));
}

interface OpenImport {
  records: AsyncIterable<ReadRecord[]>;
  /** How much of it is read, if the end is known. */
  share: () => number | undefined;
}

async function openFile({ file, reason }: ImportCommandOptions, source: FileSource): Promise<OpenImport> {
  if (file === undefined)
    throw new AppError("VALIDATION_ERROR", `--from ${source} needs --file, the path of the export.`);
  const { size } = await stat(file).catch(() => {
    throw new AppError("NOT_FOUND", `The file ${file} cannot be read. Check its path and its rights.`);
  });
  const stream = createReadStream(file, "utf8");
  const reader = createImportReader({ source, otherwise: reason ?? "manual" });
  async function* read(): AsyncGenerator<ReadRecord[]> {
    for await (const chunk of stream) yield reader.push(String(chunk));
    yield reader.end();
  }
  return { records: read(), share: () => (size === 0 ? 1 : stream.bytesRead / size) };
}

/** Every account would get the addresses that complained about the mail of any other. */
async function openProvider(db: Database, environment: Environment): Promise<OpenImport> {
  if ((await listAccounts(db, { after: undefined, limit: 2 })).length > 1) {
    throw new AppError(
      "CONFLICT",
      "This installation has several accounts, and SES has one suppression list for all of them. It does not say whose mail an " +
        "address bounced or complained about, so the list cannot be imported into one account.",
    );
  }
  const { region, endpoints } = readAwsConfig(environment).provider;
  // The list needs neither the AWS account id nor the partition, which are parts of the names of identities.
  const provider = createSesProvider({ region, endpoint: endpoints.ses, accountId: "", partition: "" });
  return { records: readProviderList({ db, provider }), share: () => undefined };
}

function describe({ added, known, invalid, problems }: ImportCounts, account: string, isApplied: boolean): string {
  const rows = [
    ["NEW", "KNOWN", "INVALID"],
    [countText(added), countText(known), countText(invalid)],
  ];
  const more = invalid > problems.length ? [`  … and ${countText(invalid - problems.length)} more`] : [];
  return [
    aligned(rows, { indent: "  ", right: [0, 1, 2] }),
    ...(problems.length === 0 ? [] : ["", "Invalid:", ...problems.map(problemText), ...more]),
    "",
    isApplied
      ? `The addresses are on the suppression list of ${account}.`
      : `Nothing was changed. To import the new addresses into ${account}, add --apply.`,
  ].join("\n");
}

const problemText = ({ line, problem }: ImportCounts["problems"][number]) => `  line ${countText(line)} ${problem}`;
