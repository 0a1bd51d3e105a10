import { join } from "node:path";
import { lintFolder } from "./migrations/lint-folder.ts";

/** Refuses expand steps that code of the release before could not live with: docs/upgrades.md. Another folder may be given. */
const folder = process.argv[2] ?? join(import.meta.dirname, "../service/migrations");
const problems = await lintFolder(folder);
for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exit(1);
console.log("All expand steps work with the code of the release before.");
