import { rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { queryValue } from "../../../service/proofs/failover/postgres-copies.ts";
import { startTcpSwitch, type TcpSwitch } from "../../../service/proofs/proxies/tcp-switch.ts";
import { until } from "../../../service/proofs/until.ts";
import { unprivilegedUser } from "../../../service/src/dev/postgres/embedded-postgres.ts";
import { freePort } from "../../../service/test/free-port.ts";
import { makeServerFolder } from "../../../service/test/private-postgres.ts";
import { startLeaderProxy } from "./leader-proxy.ts";
import { killServer, type NodePorts, writeNodeFile } from "./node-files.ts";
import { type StartedProgram, startProgram } from "./started-program.ts";

interface Node {
  name: string;
  folder: string;
  ports: NodePorts;
  link: TcpSwitch;
  patroni: StartedProgram;
}

export interface PatroniCluster {
  /** Through a proxy that follows the leader, as a user without special rights. */
  url: string;
  /** Resolves when every node runs, and in synchronous mode when a standby confirms commits. */
  untilComplete(): Promise<void>;
  /** Refuses replication from the leader, so that all standbys fall behind. */
  cutReplication(): Promise<void>;
  /** Kills Patroni and PostgreSQL of the leader with SIGKILL. Its machine is gone for good. */
  killLeader(): Promise<void>;
  /** A new machine with the name of the killed one joins as a standby. */
  replaceKilled(): Promise<void>;
  stop(): Promise<void>;
}

const patroniFile = "/usr/bin/patroni";

/** Three nodes of Patroni with etcd, all on loopback, and HAProxy in front of them. */
export async function startPatroniCluster(isSynchronous: boolean): Promise<PatroniCluster> {
  const folder = makeServerFolder();
  const user = unprivilegedUser();
  const started: { stop(): Promise<void> }[] = [];
  const stop = async () => {
    for (const one of started.toReversed()) await one.stop();
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    const [etcdPort, peerPort] = [await freePort(), await freePort()];
    const etcd = startProgram("/usr/bin/etcd", etcdArguments(folder, etcdPort, peerPort), {
      cwd: folder,
      user,
      debianPackage: "etcd-server",
    });
    started.push(etcd);
    await until("etcd answers", 20, () => answers(`http://127.0.0.1:${etcdPort}/health`, etcd));

    const nodes: Node[] = [];
    const run = (node: Omit<Node, "patroni">) => {
      const file = writeNodeFile({ ...node, etcdPort, isSynchronous });
      return startProgram(patroniFile, [file], { cwd: node.folder, user, debianPackage: "patroni" });
    };
    for (const name of ["node-1", "node-2", "node-3"]) {
      const postgres = await freePort();
      const link = await startTcpSwitch(postgres);
      started.push({ stop: () => link.close() });
      const ports = { postgres, link: link.port, rest: await freePort() };
      const node = { name, folder: join(folder, name), ports, link };
      const running = { ...node, patroni: run(node) };
      nodes.push(running);
      started.push({ stop: () => stopNode(running) });
      // The first one becomes the leader; the others copy it.
      if (name === "node-1") await until("a leader runs", 60, () => isLeader(running));
    }
    const proxy = await startLeaderProxy(
      folder,
      nodes.map(({ name, ports }) => ({ name, ports })),
    );
    started.push(proxy);
    return {
      ...clusterOf(nodes, run, isSynchronous),
      url: `postgres://postern@127.0.0.1:${proxy.port}/postgres`,
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

function clusterOf(nodes: Node[], run: (node: Node) => StartedProgram, isSynchronous: boolean) {
  let killed: Node | undefined;
  const findLeader = async () => {
    for (const node of nodes) if (node !== killed && (await isLeader(node))) return node;
    return undefined;
  };
  const getLeader = async () => {
    let leader: Node | undefined;
    await until("there is a leader", 90, async () => {
      leader = await findLeader();
      return leader !== undefined;
    });
    if (leader === undefined) throw new Error("there is no leader");
    return leader;
  };
  const adminUrl = ({ ports }: Node) => `postgres://postgres@127.0.0.1:${ports.postgres}/postgres`;
  return {
    async untilComplete() {
      const leader = await getLeader();
      const standbys = `select count(*) >= ${nodes.length - 1} and (count(*) filter (where sync_state = 'sync') > 0) = ${isSynchronous}
        and (current_setting('synchronous_standby_names') <> '') = ${isSynchronous} as answer
        from pg_stat_replication where state = 'streaming'`;
      await until(
        "all standbys stream",
        90,
        async () => (await queryValue(adminUrl(leader), standbys)) === "true",
        250,
      );
      const role = "select count(*) as answer from pg_roles where rolname = 'postern'";
      if ((await queryValue(adminUrl(leader), role)) === "0") {
        await queryValue(adminUrl(leader), "create role postern login createdb");
      }
    },
    async cutReplication() {
      (await getLeader()).link.connectTo(undefined);
    },
    async killLeader() {
      killed = await getLeader();
      // Patroni first, or it would start PostgreSQL again.
      const patroniEnded = killed.patroni.stop("SIGKILL");
      killServer(join(killed.folder, "data"));
      killed.link.connectTo(undefined);
      await patroniEnded;
    },
    async replaceKilled() {
      if (killed === undefined) throw new Error("no node was killed");
      const node = killed;
      rmSync(node.folder, { recursive: true, force: true });
      node.link.connectTo(node.ports.postgres);
      node.patroni = run(node);
      killed = undefined;
    },
  };
}

function etcdArguments(folder: string, clientPort: number, peerPort: number): string[] {
  const [client, peer] = [`http://127.0.0.1:${clientPort}`, `http://127.0.0.1:${peerPort}`];
  return [
    ["--name", "etcd"],
    ["--data-dir", join(folder, "etcd")],
    ["--listen-client-urls", client],
    ["--advertise-client-urls", client],
    ["--listen-peer-urls", peer],
    ["--initial-advertise-peer-urls", peer],
    ["--initial-cluster", `etcd=${peer}`],
    ["--log-level", "warn"],
  ].flat();
}

/** Patroni stops PostgreSQL when it gets SIGTERM. */
async function stopNode({ patroni, folder }: Node): Promise<void> {
  const isSlow = Symbol("slow");
  const first = await Promise.race([patroni.stop(), sleep(20_000, isSlow)]);
  if (first === isSlow) {
    await patroni.stop("SIGKILL");
    killServer(join(folder, "data"));
  }
}

async function isLeader({ ports, patroni }: Node): Promise<boolean> {
  return answers(`http://127.0.0.1:${ports.rest}/primary`, patroni);
}

async function answers(url: string, program: StartedProgram): Promise<boolean> {
  if (program.hasEnded()) throw new Error(`a program has ended:\n${program.output().slice(-4000)}`);
  try {
    return (await fetch(url, { signal: AbortSignal.timeout(2_000) })).ok;
  } catch {
    return false;
  }
}
