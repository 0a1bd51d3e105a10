import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { giveToServer } from "../../../service/test/private-postgres.ts";

export interface NodePorts {
  postgres: number;
  /** Other nodes reach PostgreSQL here, so that the proof can cut replication. */
  link: number;
  rest: number;
}

interface NodeFile {
  name: string;
  folder: string;
  ports: NodePorts;
  etcdPort: number;
  isSynchronous: boolean;
}

export const binaryFolder = "/usr/lib/postgresql/15/bin";

/** The smallest times that Patroni documents: a leader that is gone counts as lost after `ttl`. */
export const patroniTimes = { ttl: 20, loop_wait: 2, retry_timeout: 3 };

/** Writes the configuration of a Patroni node; JSON is YAML. Returns its path. */
export function writeNodeFile({ name, folder, ports, etcdPort, isSynchronous }: NodeFile): string {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  giveToServer(folder);
  const file = join(folder, "patroni.json");
  const account = (username: string) => ({ username, password: `${username}-password` });
  const configuration = {
    scope: "postern",
    name,
    restapi: { listen: `127.0.0.1:${ports.rest}`, connect_address: `127.0.0.1:${ports.rest}` },
    etcd3: { host: `127.0.0.1:${etcdPort}` },
    bootstrap: {
      dcs: {
        ...patroniTimes,
        synchronous_mode: isSynchronous,
        postgresql: { parameters: { max_connections: 200, jit: "off", checkpoint_timeout: "30min" } },
      },
      initdb: [{ encoding: "UTF8" }, { locale: "C" }, "no-sync"],
    },
    postgresql: {
      listen: `127.0.0.1:${ports.postgres}`,
      connect_address: `127.0.0.1:${ports.link}`,
      data_dir: join(folder, "data"),
      bin_dir: binaryFolder,
      pgpass: join(folder, "pgpass"),
      authentication: { superuser: account("postgres"), replication: account("replicator") },
      parameters: { unix_socket_directories: folder },
      pg_hba: ["local all all trust", "host all all 127.0.0.1/32 trust", "host replication all 127.0.0.1/32 trust"],
      remove_data_directory_on_diverged_timelines: true,
    },
  };
  writeFileSync(file, JSON.stringify(configuration, null, 2));
  giveToServer(file);
  return file;
}

/** The PostgreSQL server on this data directory and its children, as after a power cut: none of them can finish anything. */
export function killServer(data: string): void {
  const [line = ""] = readFileSync(join(data, "postmaster.pid"), "utf8").split("\n");
  const postmaster = Number(line);
  const children = childrenOf(postmaster);
  for (const pid of [postmaster, ...children]) {
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // It ended by itself, when its postmaster was killed.
    }
  }
}

function childrenOf(parent: number): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => parentOf(pid) === parent);
}

function parentOf(pid: number): number | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);
  } catch {
    return undefined;
  }
}
