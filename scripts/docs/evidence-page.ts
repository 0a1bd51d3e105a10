import { listClaims } from "../evidence/claims.ts";
import { readResults } from "../evidence/evidence-file.ts";
import { evidenceText } from "../evidence/evidence-text.ts";
import { repository } from "../evidence/measurement.ts";
import type { GeneratedPage } from "./pages.ts";

export const page: GeneratedPage = {
  path: "docs/evidence.md",
  render: async () => evidenceText(repository, await listClaims(), readResults(repository)),
};
