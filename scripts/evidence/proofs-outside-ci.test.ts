import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { repository } from "./measurement.ts";
import { proofNames } from "./proof-claims.ts";
import { proofsOutsideCi } from "./proofs-outside-ci.ts";

const textOf = (path: string) => readFileSync(join(repository, path), "utf8");
const namesIn = (folder: string) =>
  globSync(`${folder}/proofs/*.proof.ts`, { cwd: repository }).map(
    (file) => /([\w-]+)\.proof\.ts$/.exec(file)?.[1] ?? "",
  );

/** The tests of `service` and `console` find their proofs by the names of the files; the others import each one. */
function namesThatTestsRun(): string[] {
  const ofConsole = textOf("console/proofs/proofs.test.ts");
  const others = ["bench", "deploy", "ses-simulator"].map((folder) => textOf(`${folder}/proofs/proofs.test.ts`)).join();
  return [
    ...namesIn("service"),
    ...namesIn("console").filter((name) => !ofConsole.includes(`name !== "${name}"`)),
    ...[...others.matchAll(/"\.\/([\w-]+)\.proof\.ts"/g)].map(([, name = ""]) => name),
  ];
}

test("the list has exactly the proofs that no test runs, and .ci/run names them", () => {
  const run = namesThatTestsRun();
  expect(proofNames().filter((name) => !run.includes(name))).toEqual(proofsOutsideCi);
  const [, named = ""] = /^step "every proof at its small size, except (.*)"$/m.exec(textOf(".ci/run")) ?? [];
  expect(named.split(/, | and /)).toEqual(proofsOutsideCi);
});
