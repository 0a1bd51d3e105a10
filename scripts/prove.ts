import { embeddedBinaries } from "../service/src/dev/postgres/embedded-postgres.ts";
import { startPrivatePostgres } from "../service/test/private-postgres.ts";
import { createTemplate } from "../service/test/template-database.ts";
import { figureLines, startMeasurement } from "./evidence/measurement.ts";
import { loadProof, type NamedProof, proofClaim, proofNames } from "./evidence/proof-claims.ts";
import type { ProofTools } from "./proof.ts";

const names = proofNames();
const [name] = process.argv.slice(2);

if (name === undefined) {
  console.log("Proofs; run one at full size with `npm run prove -- NAME`:\n");
  for (const known of names) console.log(`  ${known.padEnd(16)} ${(await loadProof(known)).proof.promise}`);
} else if (!names.includes(name)) {
  console.error(`No proof has the name "${name}". Available: ${names.join(", ")}`);
  process.exitCode = 2;
} else {
  await prove(await loadProof(name));
}

async function prove(named: NamedProof): Promise<void> {
  const { name: proofName, proof } = named;
  console.log(`${proofName}: ${proof.promise}`);
  const configuredUrl = process.env.TEST_DATABASE_URL;
  // Another server than the private one may have another version or other settings.
  const record = configuredUrl === undefined ? startMeasurement(proofClaim(named)) : undefined;
  const server = configuredUrl === undefined ? await startPrivatePostgres(await embeddedBinaries()) : undefined;
  const serverUrl = server?.url ?? configuredUrl ?? "";
  try {
    await createTemplate(serverUrl);
    const finding = await proof.run(proof.size.full, { serverUrl, progress: printOncePerSecond() });
    if (!finding.holds) process.exitCode = 1;
    console.log(`${proofName}: ${finding.figure}`);
    await record?.({ figure: figureLines(finding.figure), n: proof.size.full, holds: finding.holds });
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
