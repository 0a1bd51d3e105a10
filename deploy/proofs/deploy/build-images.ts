import assert from "node:assert/strict";
import { cpSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { installCompose, makeStandIns, systemdImage } from "../../engine/stand-ins.ts";
import { startEngine } from "../../engine/start-engine.ts";
import { readImage, root } from "../../test/container-file.ts";
import type { BuildOptions } from "./scenario.ts";
import { runStep } from "./steps.ts";

/** The units with what deploy/README.md installs, and no libnss-systemd: Debian's systemd only recommends that package. */
const unitsFile = `
FROM ${systemdImage}
COPY --from=postern /usr/local/bin/node /usr/bin/
COPY --from=postern /app/ /opt/postern/1/
COPY deploy/ /opt/postern/1/deploy/
RUN ln -s /opt/postern/1 /opt/postern/current \\
  && install -m 0755 /opt/postern/1/deploy/systemd/postern /usr/local/sbin/ \\
  && cp -r /opt/postern/1/deploy/systemd/postern-* /etc/systemd/system/
CMD ["/sbin/init"]
`;

const { folder, controlGroup, systems }: BuildOptions = JSON.parse(process.argv[2] ?? "{}");
const engineFolder = join(folder, "engine");
const engine = await startEngine({ folder: engineFolder, controlGroup, hasNetworks: false });
const { docker } = engine;
installCompose(systems, engineFolder);
await runStep(
  "stand-ins for node:24-bookworm-slim, postgres:18 and a Debian 12 with systemd, from Debian's packages",
  () => makeStandIns(docker, systems, join(folder, "stand-ins")),
);
await runStep("docker build -t postern -f deploy/Dockerfile .", buildPostern);
await runStep("docker build of the simulator", () =>
  // Without a bridge of its own, the engine builds in the network of the machine.
  docker(["build", "--network=host", "-t", "postern-simulator", "-f", "deploy/simulator.Dockerfile", "ses-simulator"], {
    cwd: root,
    timeoutSeconds: 300,
  }),
);
await runStep("docker build of a Debian 12 with the systemd units", buildUnits);
await engine.stop();
process.exit();

/** Another version for upgrades is the same code under another label: the proof `upgrade` has two versions of the code. */
async function buildPostern(): Promise<void> {
  const build = ["build", "--network=host", "-f", "deploy/Dockerfile"];
  const options = { cwd: root, timeoutSeconds: 600 };
  await docker([...build, "-t", "postern", "."], options);
  const [image] = JSON.parse(await docker(["image", "inspect", "postern"]));
  assert.equal(image.Config.User, readImage().user);
  await docker(["tag", "postern", "registry.example.com/postern:1"]);
  await docker([...build, "-t", "registry.example.com/postern:2", "--label", "version=2", "."], options);
}

async function buildUnits(): Promise<void> {
  const context = join(folder, "units");
  cpSync(join(root, "deploy"), join(context, "deploy"), { recursive: true });
  writeFileSync(join(context, "Dockerfile"), unitsFile);
  await docker(["build", "--network=host", "-t", "postern-units", "."], { cwd: context, timeoutSeconds: 120 });
}
