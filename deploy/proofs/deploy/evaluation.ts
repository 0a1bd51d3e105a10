import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { cpSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Caller, sendMails, waitForStatus } from "./caller.ts";
import { findConfinementProblems } from "./confinement.ts";
import { expectConsole } from "./console.ts";
import { containersOf, killNode, waitForHealth } from "./containers.ts";
import { expectOneSubmissionEach, verifyDomain } from "./live-mail.ts";
import { addFeedbackSettings, createCompose, createUser, deployFolder } from "./operator.ts";
import type { Scenario } from "./scenario.ts";
import { runStep } from "./steps.ts";

const project = "postern-evaluation";
const services = ["api", "worker"];
const url = "http://127.0.0.1:3000";
const simulatorUrl = "http://127.0.0.1:4579";

/** "Try it out" of deploy/README.md, then a crash, an outage of the database and a restart; at full size also with the simulator. */
export async function runEvaluation({ docker, folder, mails, isSmall }: Scenario): Promise<void> {
  const cwd = join(folder, "evaluation");
  cpSync(deployFolder, cwd, { recursive: true });
  const compose = createCompose(docker, cwd, ["compose.evaluation.yaml"]);
  const step: typeof runStep = (what, work) => runStep(`evaluation: ${what}`, work);
  const wait = (health: string) => waitForHealth(docker, { project, services, health });

  await step("up -d, until the API and the worker are healthy", async () => {
    const secrets = await docker(["run", "--rm", "postern", "admin", "generate-secrets"]);
    const password = `POSTGRES_PASSWORD=${randomBytes(24).toString("hex")}`;
    writeFileSync(join(cwd, ".env"), `${password}\n${secrets}`, { mode: 0o600 });
    await compose(["up", "-d"]);
    await wait("healthy");
  });
  const { test } = await step("create-account, log in, set limits", () =>
    createUser((args) => compose(["run", "--rm", "api", ...args]), [url]),
  );
  const sendTestMail = (round: string) => sendAndWait(test, round, mails);
  await step(`${mails} test mails are delivered`, () => sendTestMail("first"));
  await step("the API serves the console and its files", () => expectConsole(url));
  await step("API and worker are read-only, user 1000, without capabilities", async () => {
    for (const { id } of await containersOf(docker, project, ...services))
      assert.deepEqual(await findConfinementProblems(docker, id), []);
  });
  await step("control: the same check reports a container that is not confined", async () => {
    const options = ["run", "-d", "--rm", "--user=0", "--init", "--entrypoint=sleep"];
    const id = (await docker([...options, "postern", "60"])).trim();
    const problems = await findConfinementProblems(docker, id);
    await docker(["rm", "--force", id]);
    for (const wanted of [/^a file in \/: written/, /^Uid is 0/, /^CapEff is /, /gain privileges/])
      assert.ok(
        problems.some((problem) => wanted.test(problem)),
        `not reported: ${wanted}`,
      );
  });
  await step("only the API is published, on loopback", async () => {
    const states = await containersOf(docker, project, ...services, "postgres");
    const published = states.flatMap(({ ports }) => Object.entries(ports).filter(([, bound]) => bound !== null));
    assert.deepEqual(published, [["3000/tcp", [{ HostIp: "127.0.0.1", HostPort: "3000" }]]]);
  });
  await step(`kill -9 of the API and of the worker: both restart, and ${mails} test mails are delivered`, async () => {
    const before = await containersOf(docker, project, ...services);
    for (const { id } of before) await killNode(docker, id);
    await sendTestMail("after kill -9");
    const after = await wait("healthy");
    assert.deepEqual(
      after.map(({ restarts }) => restarts),
      [1, 1],
    );
  });
  if (!isSmall) {
    await step("PostgreSQL stops: unhealthy; it starts: healthy again, without a restart", async () => {
      await compose(["stop", "postgres"]);
      await wait("unhealthy");
      await compose(["start", "postgres"]);
      const states = await wait("healthy");
      assert.deepEqual(
        states.map(({ restarts }) => restarts),
        [1, 1],
      );
      await sendTestMail("after the outage");
    });
    await step("kill -9 of PostgreSQL: it restarts, and test mail is delivered", async () => {
      const [postgres] = await containersOf(docker, project, "postgres");
      const listed = await docker(["inspect", "--format", "{{.State.Pid}}", postgres?.id ?? ""]);
      process.kill(Number(listed), "SIGKILL");
      await waitForHealth(docker, { project, services: ["postgres"], health: "healthy" });
      await sendTestMail("after kill -9 of PostgreSQL");
    });
    await step("restart of all services, and test mail is delivered", async () => {
      await compose(["restart"]);
      await wait("healthy");
      await sendTestMail("after a restart");
    });
  }
  await step("stop: API and worker exit with 0", async () => {
    await compose(["stop"]);
    const states = await containersOf(docker, project, ...services);
    assert.deepEqual(
      states.map(({ status, exitCode }) => [status, exitCode]),
      [
        ["exited", 0],
        ["exited", 0],
      ],
    );
  });
  await step("down -v: no container and no volume is left", async () => {
    await compose(["down", "-v"]);
    assert.equal(await docker(["ps", "--all", "--quiet"]), "");
    assert.equal(await docker(["volume", "ls", "--quiet"]), "");
  });
  if (!isSmall) await runWithSimulator({ docker, folder, mails, isSmall });
}

async function sendAndWait(caller: Caller, round: string, count: number): Promise<void> {
  const mail = { from: "hello@sandbox.test", to: "delivered@sandbox.test" };
  await waitForStatus(caller, await sendMails(caller, { ...mail, count, round }), "delivered");
}

async function runWithSimulator({ docker, folder, mails }: Scenario): Promise<void> {
  const cwd = join(folder, "evaluation");
  const compose = createCompose(docker, cwd, ["compose.evaluation.yaml", "compose.evaluation.simulator.yaml"]);
  const step: typeof runStep = (what, work) => runStep(`evaluation with the simulator: ${what}`, work);
  const envFile = join(cwd, ".env");
  await step("aws setup, up -d, aws doctor", async () => {
    await compose(["up", "-d", "--wait", "simulator"]);
    addFeedbackSettings(envFile, await compose(["run", "--rm", "api", "aws", "setup"]));
    await compose(["up", "-d"]);
    await waitForHealth(docker, { project, services, health: "healthy" });
    await compose(["run", "--rm", "api", "aws", "doctor"]);
  });
  const { user, test, live } = await step("create-account, log in, set limits", () =>
    createUser((args) => compose(["run", "--rm", "api", ...args]), [url]),
  );
  await step("a domain is registered, its records published, and a worker verifies it", () =>
    verifyDomain(user, simulatorUrl, "acme.io"),
  );
  await step(`${mails} live mails and ${mails} test mails are delivered, each live mail once`, async () => {
    const caller = await live();
    const mail = { from: "Acme <hello@acme.io>", to: "jane@example.com", count: mails, round: "live" };
    const ids = await sendMails(caller, mail);
    await sendAndWait(test, "test", mails);
    await waitForStatus(caller, ids, "delivered");
    await expectOneSubmissionEach(simulatorUrl, ids);
  });
  await step("the simulator shows the mail", async () => {
    const list = await fetch(`${simulatorUrl}/_simulator/mails?limit=1`);
    assert.match(await list.text(), /jane@example\.com/);
  });
  await step("down -v", () => compose(["down", "-v"]));
}
