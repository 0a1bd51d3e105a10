import { spawn } from "node:child_process";
import { once } from "node:events";
import { embeddedBinaries } from "../../service/src/dev/postgres/embedded-postgres.ts";
import { startPrivatePostgres } from "../../service/test/private-postgres.ts";
import { startDeployment } from "./deployment.ts";
import { failDomain, verifyDomain } from "./prepare-domains.ts";

/** `npm run acceptance:local` starts a deployment, runs the suite against it in its own process and stops everything. */
const print = (text: string) => void process.stdout.write(`${text}\n`);
const server = await startPrivatePostgres(await embeddedBinaries());
try {
  print("starting PostgreSQL, a DNS server, the simulator, a worker and an API");
  const deployment = await startDeployment(server.url);
  try {
    const admin = await deployment.createAccount("ada@example.com");
    const other = await deployment.createAccount("bob@example.com");
    print("waiting until the worker has verified one domain and failed another");
    const [verified, failed] = ["acceptance-demo.io", "acceptance-lost.io"];
    await verifyDomain(deployment, admin, verified);
    await failDomain(deployment, admin, failed);
    const options = {
      "base-url": deployment.url,
      "simulator-url": deployment.simulatorUrl,
      "admin-email": admin.email,
      "other-email": other.email,
      "verified-domain": verified,
      "failed-domain": failed,
    };
    const args = Object.entries(options).flatMap(([name, value]) => [`--${name}`, value]);
    const env = { ...process.env, ACCEPTANCE_PASSWORD: admin.password, OTHER_PASSWORD: other.password };
    const command = ["run", "--silent", "acceptance", "--", ...args, ...process.argv.slice(2)];
    const [code] = await once(spawn("npm", command, { stdio: "inherit", env }), "exit");
    process.exitCode = typeof code === "number" ? code : 1;
  } finally {
    await deployment.stop();
  }
} finally {
  await server.stop();
}
