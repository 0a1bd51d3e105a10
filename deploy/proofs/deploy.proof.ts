import type { Proof } from "../../scripts/proof.ts";
import { runDeployment } from "./deploy/run-deployment.ts";

export const proof: Proof = {
  promise:
    "The image, both compose files and the systemd units do what deploy/README.md says, through crashes and upgrades",
  covers: [
    "deploy/Dockerfile",
    "deploy/compose.evaluation.simulator.yaml",
    "deploy/compose.evaluation.yaml",
    "deploy/compose.production.simulator.yaml",
    "deploy/compose.production.yaml",
    "deploy/engine",
    "deploy/proofs/deploy",
    "deploy/simulator.Dockerfile",
    "deploy/split-secrets.sh",
    "deploy/systemd",
    "service/package.json",
    "service/src/config.ts",
    "service/src/processes",
  ],
  size: { small: 10, full: 50 },
  run: async (size, { progress }) => {
    const started = performance.now();
    const steps = await runDeployment({
      mails: size,
      isSmall: size === proof.size.small,
      progress,
      onStep: ({ what }) => progress(what),
    });
    const failed = steps.filter(({ problem }) => problem !== undefined);
    const minutes = ((performance.now() - started) / 60_000).toFixed(1);
    const problems = failed.map(({ what, problem }) => `${what}: ${problem}`).join("; ");
    return {
      figure: `${steps.length - failed.length} of ${steps.length} steps passed in ${minutes} min, ${size} mails in each; ${problems || "0 problems"}`,
      holds: failed.length === 0,
    };
  },
};
