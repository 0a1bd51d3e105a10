import { until } from "../../../service/proofs/until.ts";
import type { Docker } from "../../engine/docker.ts";
import { longestWaitSeconds } from "./steps.ts";

export interface ContainerState {
  id: string;
  service: string;
  status: string;
  health: string;
  exitCode: number;
  restarts: number;
  image: string;
  ports: Record<string, { HostIp: string; HostPort: string }[] | null>;
}

/** The containers of these services of a composition, running or not. */
export async function containersOf(docker: Docker, project: string, ...services: string[]): Promise<ContainerState[]> {
  const listed = await docker(["ps", "--all", "--quiet", "--filter", `label=com.docker.compose.project=${project}`]);
  const ids = listed.split("\n").filter(Boolean);
  if (ids.length === 0) return [];
  const states: ContainerState[] = JSON.parse(await docker(["inspect", ...ids])).map(stateOf);
  return states.filter(({ service }) => services.includes(service));
}

/** What `docker inspect` prints, as far as the proof uses it. */
interface Inspected {
  Id: string;
  Config: { Labels: Record<string, string> };
  State: { Status: string; Health?: { Status: string }; ExitCode: number };
  RestartCount: number;
  Image: string;
  NetworkSettings: { Ports: ContainerState["ports"] };
}

function stateOf({ Id, Config, State, RestartCount, Image, NetworkSettings }: Inspected): ContainerState {
  return {
    id: Id,
    service: Config.Labels["com.docker.compose.service"] ?? "",
    status: State.Status,
    health: State.Health?.Status ?? "none",
    exitCode: State.ExitCode,
    restarts: RestartCount,
    image: Image,
    ports: NetworkSettings.Ports,
  };
}

/** Waits until every container of these services has this state of health. */
export async function waitForHealth(
  docker: Docker,
  { project, services, health }: { project: string; services: string[]; health: string },
): Promise<ContainerState[]> {
  let seen: ContainerState[] = [];
  await until(
    `${services.join(", ")} are ${health}`,
    longestWaitSeconds,
    async () => {
      seen = await containersOf(docker, project, ...services);
      return seen.length >= services.length && seen.every((state) => state.health === health);
    },
    500,
  );
  return seen;
}

/** Kills the Node process inside a container, as the kernel does when memory is short. `docker kill` would also prevent the restart. */
export async function killNode(docker: Docker, id: string): Promise<void> {
  const listed = await docker(["top", id, "-eo", "pid,args"]);
  const lines = listed.split("\n").filter((line) => /^\s*\d+\s+node .*cli\/start\.cjs/.test(line));
  if (lines.length !== 1) throw new Error(`no single Node process in: ${listed}`);
  process.kill(Number.parseInt(lines[0] ?? "", 10), "SIGKILL");
}
