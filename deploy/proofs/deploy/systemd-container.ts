import { until } from "../../../service/proofs/until.ts";
import type { Docker } from "../../engine/docker.ts";
import { longestWaitSeconds } from "./steps.ts";

/**
 * Starts a Debian whose process 1 is systemd. It is not isolated like Postern's containers: systemd must mount and make control
 * groups. Returns a root shell in it.
 */
export async function startSystemd(docker: Docker): Promise<(script: string) => Promise<string>> {
  const privileges = [
    "--cap-add=ALL",
    "--cap-drop=SYS_RESOURCE",
    "--security-opt=seccomp=unconfined",
    "--cgroupns=host",
  ];
  const mounts = ["--volume=/sys/fs/cgroup:/sys/fs/cgroup:rw", "--tmpfs=/run:exec", "--tmpfs=/run/lock"];
  await docker(["run", "-d", "--name", "systemd", "--network=host", ...privileges, ...mounts, "postern-units"]);
  const sh = (script: string) =>
    docker(["exec", "-i", "systemd", "sh", "-eu"], { input: script, timeoutSeconds: longestWaitSeconds });
  // systemd passes credentials to a unit by a mount that the unit's own mounts must receive.
  await sh("mount --make-rshared /");
  await until(
    "systemd has started",
    longestWaitSeconds,
    async () => {
      const state = await sh("systemctl is-system-running || true");
      return /running|degraded/.test(state);
    },
    500,
  );
  return sh;
}
