import { execFileSync } from "node:child_process";
import { chmodSync, chownSync, globSync, lstatSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Proof } from "../../scripts/proof.ts";
import { createEmptyDatabase } from "../../service/test/template-database.ts";
import { composeFiles, posternServices, readComposeFile } from "../test/compose-file.ts";
import { readImage, root } from "../test/container-file.ts";
import { buildImage } from "./build-image.ts";
import { enterImage, findIsolationProblems } from "./entered-image.ts";
import { type Outcome, runComposition } from "./run-composition.ts";

export const proof: Proof = {
  promise: "The image's commands work from its own files alone: read-only, not root, without capabilities",
  covers: [
    "deploy/Dockerfile",
    "deploy/compose.evaluation.yaml",
    "deploy/compose.production.yaml",
    "deploy/proofs",
    "deploy/split-secrets.sh",
    "service/package.json",
    "service/src/cli",
    "service/src/config.ts",
    "service/src/processes",
  ],
  size: { small: 10, full: 200 },
  run: async (size, { serverUrl, progress }) => {
    if (process.getuid?.() !== 0)
      throw new Error("this proof needs root on Linux, to make a read-only root file system");
    const folder = mkdtempSync(join(tmpdir(), "postern-image-"));
    chmodSync(folder, 0o755);
    try {
      progress("installing as the container file does");
      const started = performance.now();
      const image = buildImage(folder);
      const buildSeconds = (performance.now() - started) / 1000;
      const outcomes: Outcome[] = [];
      for (const name of composeFiles) {
        progress(`running ${name}`);
        const database = await createEmptyDatabase(serverUrl);
        try {
          const { secrets, variables } = makeSecrets(join(folder, name), database.url);
          const entered = enterImage(image, secrets);
          const isolationProblems = findIsolationProblems(entered, root);
          if (isolationProblems.length > 0)
            return {
              figure: `the isolation differs from that of a container: ${isolationProblems.join("; ")}`,
              holds: false,
            };
          const services = posternServices(readComposeFile(name));
          outcomes.push(await runComposition({ services, variables, databaseUrl: database.url, entered }, size));
        } finally {
          await database.drop();
        }
      }
      return {
        figure: `${describe(outcomes, size)}; ${sizeMb(image).toFixed(0)} MB installed in ${buildSeconds.toFixed(0)} s`,
        holds: outcomes.every((outcome) => outcome.delivered === size && outcome.problems.length === 0),
      };
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

function describe(outcomes: Outcome[], size: number): string {
  const sum = (key: "delivered" | "processes" | "healthy" | "exitedCleanly") =>
    outcomes.reduce((total, outcome) => total + outcome[key], 0);
  const most = (key: "slowestStopMs" | "largestMb") => Math.max(...outcomes.map((outcome) => outcome[key]));
  const problems = outcomes.flatMap((outcome) => outcome.problems);
  return (
    `${sum("processes")} processes of ${outcomes.length} compose files, read-only and as user ${readImage().user}: ` +
    `${sum("healthy")} healthy, ${sum("delivered")} of ${size * outcomes.length} test mails delivered, ` +
    `${sum("exitedCleanly")} exited with 0, ${(most("slowestStopMs") / 1000).toFixed(1)} s after SIGTERM at most; ` +
    `up to ${most("largestMb").toFixed(0)} MB of memory each; ${problems.join("; ") || "0 problems"}`
  );
}

/** Follows deploy/README.md: the generated secrets as variables, and as files that only the user of the image can read. */
function makeSecrets(folder: string, databaseUrl: string) {
  const secrets = join(folder, "secrets");
  mkdirSync(folder);
  const postern = join(root, "service/src/cli/postern.ts");
  const input = execFileSync(process.execPath, [postern, "admin", "generate-secrets"], { encoding: "utf8" });
  execFileSync("sh", [join(root, "deploy/split-secrets.sh"), secrets], { input, stdio: "pipe" });
  writeFileSync(join(secrets, "DATABASE_URL"), `${databaseUrl}\n`, { mode: 0o600 });
  const [user = 0, group = 0] = readImage().user.split(":").map(Number);
  for (const path of [secrets, ...globSync(join(secrets, "*"))]) chownSync(path, user, group);
  const variables: Record<string, string> = {
    ...Object.fromEntries([...input.matchAll(/^([A-Z_]+)=(.*)$/gm)].map(([, name, value]) => [name, value])),
    POSTGRES_PASSWORD: "unused",
    POSTERN_IMAGE: "postern",
    PUBLIC_URL: "https://mail.acme.io",
    AWS_REGION: "eu-central-1",
  };
  return { secrets, variables };
}

function sizeMb(folder: string): number {
  const files = globSync("**", { cwd: folder }).map((path) => lstatSync(join(folder, path)));
  return files.reduce((sum, file) => sum + (file.isFile() ? file.size : 0), 0) / 2 ** 20;
}
