import { globSync } from "node:fs";
import { basename } from "node:path";
import { embeddedBinaries } from "../service/src/dev/postgres/embedded-postgres.ts";
import { startPrivatePostgres } from "../service/test/private-postgres.ts";
import { createTemplate } from "../service/test/template-database.ts";
import type { Proof, ProofTools } from "./proof.ts";

const files = new Map(globSync("*/proofs/*.proof.ts").map((file) => [basename(file, ".proof.ts"), file]));
const [name] = process.argv.slice(2);
const file = name === undefined ? undefined : files.get(name);

if (name === undefined) {
  console.log("Proofs; run one at full size with `npm run prove -- NAME`:\n");
  for (const [known, path] of files) console.log(`  ${known.padEnd(16)} ${(await load(path)).promise}`);
} else if (file === undefined) {
  console.error(`No proof has the name "${name}". Available: ${[...files.keys()].join(", ")}`);
  process.exitCode = 2;
} else {
  await prove(name, await load(file));
}

async function load(path: string): Promise<Proof> {
  const module: { proof: Proof } = await import(`../${path}`);
  return module.proof;
}

async function prove(proofName: string, proof: Proof): Promise<void> {
  console.log(`${proofName}: ${proof.promise}`);
  const configuredUrl = process.env.TEST_DATABASE_URL;
  const server = configuredUrl === undefined ? await startPrivatePostgres(await embeddedBinaries()) : undefined;
  const serverUrl = server?.url ?? configuredUrl ?? "";
  try {
    await createTemplate(serverUrl);
    const finding = await proof.run(proof.size.full, { serverUrl, progress: printOncePerSecond() });
    if (!finding.holds) process.exitCode = 1;
    console.log(`${proofName}: ${finding.figure}`);
  } finally {
    await server?.stop();
  }
}

function printOncePerSecond(): ProofTools["progress"] {
  let printedAt = 0;
  return (message) => {
    if (performance.now() - printedAt < 1000) return;
    printedAt = performance.now();
    console.log(`  … ${message}`);
  };
}
