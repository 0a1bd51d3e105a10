import { proof } from "../deploy.proof.ts";
import { runDeployment } from "./run-deployment.ts";

/** `npm run deploy:test` prints what it runs. `-- --small` runs the evaluation and two units, as CI does. */
const isSmall = process.argv.includes("--small");
const mails = isSmall ? proof.size.small : proof.size.full;
const print = (text: string) => void process.stdout.write(`${text}\n`);

const steps = await runDeployment({
  mails,
  isSmall,
  progress: (message) => print(`… ${message}`),
  onStep: ({ what, seconds, problem }) =>
    print(
      `${problem === undefined ? "✓" : "✗"} ${what} (${seconds.toFixed(1)} s)${problem === undefined ? "" : `\n  ${problem}`}`,
    ),
});
const failed = steps.filter(({ problem }) => problem !== undefined).length;
print(`\n${steps.length - failed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
