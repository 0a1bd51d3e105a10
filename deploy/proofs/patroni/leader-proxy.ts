import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { until } from "../../../service/proofs/until.ts";
import { freePort } from "../../../service/test/free-port.ts";
import { isListening } from "../../test/is-listening.ts";
import type { NodePorts } from "./node-files.ts";
import { startProgram } from "./started-program.ts";

/** HAProxy asks Patroni's REST API which node is the leader, and closes the connections to any other. */
export async function startLeaderProxy(folder: string, nodes: { name: string; ports: NodePorts }[]) {
  const port = await freePort();
  const file = join(folder, "haproxy.cfg");
  writeFileSync(file, configuration(port, nodes));
  const proxy = startProgram("/usr/sbin/haproxy", ["-db", "-f", file], { cwd: folder, debianPackage: "haproxy" });
  await until("HAProxy listens", 10, async () => {
    if (proxy.hasEnded()) throw new Error(`HAProxy has ended:\n${proxy.output()}`);
    return isListening(port);
  });
  return { port, stop: () => proxy.stop() };
}

function configuration(port: number, nodes: { name: string; ports: NodePorts }[]): string {
  const servers = nodes.map(
    ({ name, ports }) => `    server ${name} 127.0.0.1:${ports.postgres} check port ${ports.rest}`,
  );
  return `
defaults
    mode tcp
    timeout connect 2s
    timeout client 1h
    timeout server 1h
    timeout check 2s

listen leader
    bind 127.0.0.1:${port}
    maxconn 1000
    option httpchk GET /primary
    http-check expect status 200
    default-server inter 1s fastinter 500ms fall 2 rise 1 on-marked-down shutdown-sessions
${servers.join("\n")}
`;
}
