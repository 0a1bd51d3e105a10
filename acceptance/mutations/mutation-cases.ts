import { additionCases } from "./addition-cases.ts";
import { attachmentCases } from "./attachment-cases.ts";
import { batchCases } from "./batch-cases.ts";
import type { MutationCase } from "./breaking-proxy.ts";
import { casesOfSections0To3 } from "./cases-0-to-3.ts";
import { casesOfSections4To9 } from "./cases-4-to-9.ts";
import { contentCases } from "./content-cases.ts";
import { exportCases } from "./export-cases.ts";
import { listCases } from "./list-cases.ts";
import { liveCases } from "./live-cases.ts";
import { modeCases } from "./mode-cases.ts";
import { sendCases } from "./send-cases.ts";
import { suppressionCases } from "./suppression-cases.ts";
import { timeCases } from "./time-cases.ts";

/** The faults of live mail come last, because the worker needs time to verify their domains. */
export const mutationCases: MutationCase[] = [
  ...casesOfSections0To3,
  ...casesOfSections4To9,
  ...sendCases,
  ...listCases,
  ...modeCases,
  ...additionCases,
  ...batchCases,
  ...timeCases,
  ...suppressionCases,
  ...attachmentCases,
  ...contentCases,
  ...exportCases,
  ...liveCases,
];
