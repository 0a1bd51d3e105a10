import { z } from "zod";
import { suppressionReasons } from "../../../suppression-reason.ts";
import { fileSources } from "../../../suppressions/import/import-sources.ts";
import { type ImportCounts, importBatchSize } from "../../../suppressions/import/import-suppressions.ts";

export const importBody = z
  .strictObject({
    entries: z
      .array(z.looseObject({}))
      .min(1)
      .max(importBatchSize)
      .describe(
        "Objects with `email`, and optionally `reason` and `note`; or the records of another service's export, with its names of the " +
          "columns and `from`",
      ),
    from: z.enum(fileSources).default("csv").describe("The service whose export the entries are from").meta({
      "x-default": "csv",
    }),
    reason: z
      .enum(suppressionReasons)
      .default("manual")
      .describe("The reason of entries that do not say it")
      .meta({ "x-default": "manual" }),
    dry_run: z
      .boolean()
      .default(true)
      .describe("True counts what an import would do, and changes nothing")
      .meta({ "x-default": true }),
  })
  .meta({
    example: {
      entries: [{ email: "left@example.com", reason: "complaint" }, { email: "joe@example.com" }],
      dry_run: true,
    },
  });

export const importResponse = z
  .object({
    success: z.literal(true),
    data: z.object({
      dry_run: z.boolean(),
      new: z.int().describe("Addresses that were added, or would be"),
      known: z.int().describe("Addresses that were suppressed before, or are repeated in the entries"),
      invalid: z.int().describe("Entries that are not imported"),
      problems: z
        .array(
          z.object({
            index: z.int().describe("Position in `entries`, from 0"),
            problem: z.string().meta({ example: "has nothing after the @" }),
          }),
        )
        .describe("The first 10 invalid entries"),
    }),
  })
  .describe("What was imported, or would be");

export function toImportAnswer(counts: ImportCounts, isDryRun: boolean): z.input<typeof importResponse>["data"] {
  const { added, known, invalid, problems } = counts;
  const listed = problems.map(({ line, problem }) => ({ index: line, problem }));
  return { dry_run: isDryRun, new: added, known, invalid, problems: listed };
}
