import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { posternProgram } from "../../chaos/cell/programs.ts";
import { Supervised } from "../../chaos/cell/supervised.ts";
import type { Proof } from "../../scripts/proof.ts";
import { startTcpSwitch } from "../../service/proofs/proxies/tcp-switch.ts";
import { makeSenders } from "../../service/proofs/sends/sending-client.ts";
import { type Environment, readConfig } from "../../service/src/config.ts";
import { createCredentialDeps } from "../../service/src/processes/api-deps.ts";
import { freePort } from "../../service/test/free-port.ts";
import { copyTemplate, openTestDatabase } from "../../service/test/template-database.ts";
import { anEnvironment } from "../../service/test/test-config.ts";
import { startProxyOfOneCell } from "./proxy-of-one-cell.ts";
import { type Answered, startConstantLoad } from "./restart/constant-load.ts";

const highLimits: [number, number, number] = [100_000, 1_000_000, 6_000_000];

/**
 * HAProxy reaches the second API through a forwarder that accepts connections while no API is behind it, as the proxy of a published
 * container port does. HAProxy cannot retry on the other API then: the connection succeeded.
 */
export const proof: Proof = {
  promise: "Restarts of two APIs behind HAProxy lose no request of clients that never retry",
  covers: [
    "service/src/processes",
    "service/src/api/http/create-api-server.ts",
    "service/src/api/http/health-routes.ts",
    "deploy/cells/haproxy.cfg",
  ],
  size: { small: 2, full: 20 },

  async run(restarts, { serverUrl, progress }) {
    const drained = await restartUnderLoad(serverUrl, { DRAIN_SECONDS: undefined }, restarts, progress);
    const control = await restartUnderLoad(serverUrl, { DRAIN_SECONDS: "0" }, 1, progress);
    return {
      figure:
        `${drained.requests} requests of 8 clients through HAProxy while each of two APIs restarted ${restarts} times, ` +
        `${drained.cleanExits} of ${2 * restarts} exits with code 0: ${drained.failures.length} failed, ` +
        `the slowest answer took ${Math.round(drained.slowestMs)} ms\n` +
        `control with DRAIN_SECONDS=0, one restart of each: ${control.failures.length} of ${control.requests} requests failed`,
      holds: drained.failures.length === 0 && drained.cleanExits === 2 * restarts && control.failures.length > 0,
    };
  },
};

interface Restarted extends Answered {
  cleanExits: number;
}

async function restartUnderLoad(
  serverUrl: string,
  changes: Environment,
  restarts: number,
  progress: (message: string) => void,
): Promise<Restarted> {
  const cleanUps: (() => unknown)[] = [];
  try {
    const folder = mkdtempSync(join(tmpdir(), "postern-restart-"));
    cleanUps.push(() => rmSync(folder, { recursive: true, force: true }));
    const database = await copyTemplate(serverUrl);
    cleanUps.push(database.drop);
    const db = openTestDatabase(database.url);
    cleanUps.push(() => db.close());
    const environment = anEnvironment({ DATABASE_URL: database.url, LOG_LEVEL: "info", ...changes });
    const [sender] = await makeSenders(db, createCredentialDeps(readConfig(environment)), 1, highLimits);
    if (sender === undefined) throw new Error("there is no sender");

    const ports = [await freePort(), await freePort()] as const;
    const apis = ports.map((port, number) => {
      const env = { ...environment, PORT: String(port) };
      return new Supervised(posternProgram("api", `api-${number}`, folder, env));
    });
    cleanUps.push(() => Promise.all(apis.map((api) => api.stop())));
    await Promise.all(apis.map((api) => api.start()));
    const published = await startTcpSwitch(ports[1]);
    cleanUps.push(published.close);
    const proxy = await startProxyOfOneCell([`127.0.0.1:${ports[0]}`, `127.0.0.1:${published.port}`]);
    cleanUps.push(proxy.stop);

    const load = startConstantLoad(`http://127.0.0.1:${proxy.port}`, sender);
    const exits = [];
    for (let round = 0; round < restarts; round++) {
      for (const api of apis) {
        exits.push(await api.restart());
        progress(`${exits.length} of ${2 * restarts} restarts`);
      }
    }
    const answered = await load.stop();
    return { ...answered, cleanExits: exits.filter((exit) => exit?.code === 0).length };
  } finally {
    for (const cleanUp of cleanUps.toReversed()) await cleanUp();
  }
}
