import { execFileSync } from "node:child_process";
import { cpSync, globSync, mkdirSync, realpathSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { BaseSystem } from "./base-systems.ts";
import type { Docker } from "./docker.ts";

/** The names of the published images that the stand-ins replace in this engine. */
const nodeImage = "docker.io/library/node:24-bookworm-slim";
export const postgresImage = "docker.io/library/postgres:18";
export const systemdImage = "debian-systemd:12";

const certificates = "/etc/ssl/certs/ca-certificates.crt";

/** Node, npm and the certificates of this machine on Debian 12, with user 1000 as in the published image. */
const nodeFile = `
FROM debian-node
COPY node /usr/local/bin/
COPY npm/ /usr/local/lib/node_modules/npm/
COPY npmrc /usr/local/etc/
COPY ca-certificates.crt ${certificates}
RUN ln -s ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm && useradd --create-home --uid 1000 node
CMD ["node"]
`;

const postgresFile = `
FROM debian-postgres
COPY --chmod=755 postgres-entrypoint.sh /usr/local/bin/
ENV PATH=/usr/lib/postgresql/18/bin:/usr/sbin:/usr/bin:/sbin:/bin
VOLUME /var/lib/postgresql
STOPSIGNAL SIGINT
ENTRYPOINT ["/usr/local/bin/postgres-entrypoint.sh"]
`;

/** Makes the images that deploy/ names, from the base systems, under the names that deploy/ uses. */
export async function makeStandIns(docker: Docker, systems: Record<BaseSystem, string>, folder: string): Promise<void> {
  await makeNodeStandIn(docker, systems.node, folder);
  await importSystem(docker, "systemd", systems.systemd);
  await docker(["tag", "debian-systemd", systemdImage]);

  await importSystem(docker, "postgres", systems.postgres);
  const postgresFolder = join(folder, "postgres");
  mkdirSync(postgresFolder);
  cpSync(join(import.meta.dirname, "postgres-entrypoint.sh"), join(postgresFolder, "postgres-entrypoint.sh"));
  await build(docker, postgresFolder, postgresFile, postgresImage);
}

/** The base image of deploy/Dockerfile. */
export async function makeNodeStandIn(docker: Docker, system: string, folder: string): Promise<void> {
  await importSystem(docker, "node", system);
  const nodeFolder = join(folder, "node");
  mkdirSync(nodeFolder, { recursive: true });
  cpSync(process.execPath, join(nodeFolder, "node"), { dereference: true });
  const npmProgram = execFileSync("sh", ["-c", "command -v npm"], { encoding: "utf8" }).trim();
  cpSync(dirname(dirname(realpathSync(npmProgram))), join(nodeFolder, "npm"), { recursive: true });
  cpSync(certificates, join(nodeFolder, "ca-certificates.crt"), { dereference: true });
  const registry = execFileSync("npm", ["config", "get", "registry"], { encoding: "utf8", stdio: "pipe" }).trim();
  writeFileSync(join(nodeFolder, "npmrc"), `registry=${registry}\ncafile=${certificates}\n`);
  await build(docker, nodeFolder, nodeFile, nodeImage);
}

async function importSystem(docker: Docker, name: BaseSystem, system: string): Promise<void> {
  await docker(["import", join(system, "system.tar"), `debian-${name}`], { timeoutSeconds: 120 });
}

async function build(docker: Docker, folder: string, file: string, tag: string): Promise<void> {
  writeFileSync(join(folder, "Dockerfile"), file);
  await docker(["build", "--network=host", "--tag", tag, "."], { cwd: folder, timeoutSeconds: 120 });
}

/** Unpacks Docker Compose from its package into the plugins of the command line. */
export function installCompose(systems: Record<BaseSystem, string>, engineFolder: string): void {
  const [packed] = globSync(join(systems.postgres, "docker-compose_*.deb"));
  if (packed === undefined) throw new Error("the package docker-compose was not downloaded with the base system");
  const unpacked = join(engineFolder, "compose");
  execFileSync("dpkg-deb", ["--extract", packed, unpacked]);
  const [plugin] = globSync(join(unpacked, "usr/**/cli-plugins/docker-compose"));
  if (plugin === undefined) throw new Error(`${packed} holds no plugin docker-compose`);
  const plugins = join(engineFolder, "docker-config", "cli-plugins");
  mkdirSync(plugins, { recursive: true });
  cpSync(plugin, join(plugins, "docker-compose"));
}
