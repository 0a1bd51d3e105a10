import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { acceptanceClaim } from "../../scripts/evidence/acceptance-claims.ts";
import { startMeasurement } from "../../scripts/evidence/measurement.ts";
import { embeddedBinaries } from "../../service/src/dev/postgres/embedded-postgres.ts";
import { startPrivatePostgres } from "../../service/test/private-postgres.ts";
import { startDeployment } from "./deployment.ts";
import { failDomain, verifyDomain } from "./prepare-domains.ts";

/**
 * `npm run acceptance:local` starts a deployment, runs the suite against it in its own process and stops everything. Without
 * options it records the result in docs/evidence.json.
 */
const given = process.argv.slice(2);
const record = given.length === 0 ? startMeasurement(acceptanceClaim) : undefined;
const folder = mkdtempSync(join(tmpdir(), "postern-acceptance-"));
const reportFile = join(folder, "report.json");
const print = (text: string) => void process.stdout.write(`${text}\n`);
const server = await startPrivatePostgres(await embeddedBinaries());
try {
  print("starting PostgreSQL, a DNS server, the simulator, a worker and an API");
  const deployment = await startDeployment(server.url);
  try {
    const admin = await deployment.createAccount("ada@example.com");
    const other = await deployment.createAccount("bob@example.com");
    print("waiting until the worker has verified two domains and failed another");
    const [verified, removable, failed] = ["acceptance-demo.io", "acceptance-gone.io", "acceptance-lost.io"];
    await Promise.all([
      verifyDomain(deployment, admin, verified),
      verifyDomain(deployment, admin, removable),
      failDomain(deployment, admin, failed),
    ]);
    const options = {
      "base-url": deployment.url,
      "simulator-url": deployment.simulatorUrl,
      "admin-email": admin.email,
      "other-email": other.email,
      "verified-domain": verified,
      "removable-domain": removable,
      "failed-domain": failed,
    };
    const args = Object.entries(options).flatMap(([name, value]) => [`--${name}`, value]);
    const env = { ...process.env, ACCEPTANCE_PASSWORD: admin.password, OTHER_PASSWORD: other.password };
    const suiteArgs = record === undefined ? [...args, ...given] : [...args, "--report", reportFile];
    const command = ["run", "--silent", "acceptance", "--", ...suiteArgs];
    const [code] = await once(spawn("npm", command, { stdio: "inherit", env }), "exit");
    process.exitCode = typeof code === "number" ? code : 1;
    await record?.(readReport());
  } finally {
    await deployment.stop();
  }
} finally {
  await server.stop();
  rmSync(folder, { recursive: true });
}

function readReport() {
  const totals: { numPassedTests: number; numFailedTests: number } = JSON.parse(readFileSync(reportFile, "utf8"));
  const { numPassedTests: passed, numFailedTests: failed } = totals;
  return { figure: [`${passed} requirements met, ${failed} not`], n: passed + failed, holds: failed === 0 };
}
