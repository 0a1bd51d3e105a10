import { accessSync, constants } from "node:fs";

/** The programs that a run needs, and the packages of Debian that hold them. `.ci/run` installs these packages. */
const programs = {
  "/usr/sbin/dockerd": "docker.io",
  "/usr/bin/docker": "docker.io",
  "/usr/bin/docker-init": "docker.io",
  "/usr/bin/mmdebstrap": "mmdebstrap",
  "/usr/sbin/iptables": "iptables",
  "/usr/sbin/ip": "iproute2",
  "/usr/bin/unshare": "util-linux",
};

/** The command line of the same package as the engine: a newer one would need a plugin to build images. */
export const dockerProgram = "/usr/bin/docker" satisfies keyof typeof programs;
export const engineProgram = "/usr/sbin/dockerd" satisfies keyof typeof programs;

/** A run without an engine would prove nothing, so a missing program is an error and never a reason to skip. */
export function requirePrograms(): void {
  if (process.getuid?.() !== 0) throw new Error("a container engine needs root on Linux");
  const missing = Object.entries(programs).filter(([path]) => !canExecute(path));
  if (missing.length === 0) return;
  const packages = [...new Set(missing.map(([, name]) => name))].join(" ");
  throw new Error(`missing: ${missing.map(([path]) => path).join(", ")}. Install them: apt-get install ${packages}`);
}

function canExecute(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
