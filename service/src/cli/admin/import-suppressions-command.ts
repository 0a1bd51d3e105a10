import { Option } from "commander";
import { suppressionReasons } from "../../suppression-reason.ts";
import { fileSources } from "../../suppressions/import/import-sources.ts";
import type { OnDatabase } from "../on-database.ts";
import { PosternCommand } from "../postern-command.ts";
import type { ImportCommandOptions } from "./import-suppressions.ts";

export function importSuppressionsCommand(onDatabase: OnDatabase): PosternCommand {
  const sources = ["ses", ...fileSources];
  return new PosternCommand("import-suppressions")
    .about(
      "add the suppressed addresses of another service to the live list of an account; without --apply, only count them",
      "Reads CSV, or NDJSON if the file begins with {. docs/suppressions.md lists the columns of each service. A known address stays " +
        "suppressed, and its reason only becomes stronger: manual, hard_bounce, complaint. You can interrupt the command and repeat it. " +
        "`--from ses` reads the suppression list of the SES account and needs an installation with one account.",
    )
    .requiredOption("--account <EMAIL-or-ID>", "email of a user of the account, or the id of the account")
    .addOption(
      new Option("--from <SERVICE>", `whose export it is: ${sources.join(", ")}`)
        .choices(sources)
        .makeOptionMandatory(),
    )
    .option("--file <PATH>", "the export; not with --from ses")
    .addOption(
      new Option(
        "--reason <REASON>",
        `the reason of addresses whose export does not say it: ${suppressionReasons.join(", ")}; default manual`,
      ).choices(suppressionReasons),
    )
    .option(
      "--apply",
      "import the addresses; without it the command only counts them and shows the first invalid lines",
    )
    .example(
      "postern admin import-suppressions --account ada@example.com --from sendgrid --file bounces.csv",
      "postern admin import-suppressions --account ada@example.com --from sendgrid --file spam.csv --reason complaint --apply",
      "postern admin import-suppressions --account ada@example.com --from ses --apply",
    )
    .action(
      onDatabase(
        () => import("./import-suppressions.ts"),
        ({ runImportSuppressions }, context, options: ImportCommandOptions) => runImportSuppressions(context, options),
      ),
    );
}
