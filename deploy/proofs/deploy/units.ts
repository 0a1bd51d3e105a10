import assert from "node:assert/strict";
import { until } from "../../../service/proofs/until.ts";
import type { Docker } from "../../engine/docker.ts";
import { type Caller, call, sendMails, waitForStatus } from "./caller.ts";
import { expectConsole } from "./console.ts";
import { expectOneSubmissionEach, verifyDomain } from "./live-mail.ts";
import { createUser } from "./operator.ts";
import { postgresPassword, startPostgres } from "./postgres-container.ts";
import type { Scenario } from "./scenario.ts";
import { longestWaitSeconds, runStep } from "./steps.ts";
import { startSystemd } from "./systemd-container.ts";

const step: typeof runStep = (what, work) => runStep(`systemd: ${what}`, work);
const simulatorUrl = "http://127.0.0.1:4579";

/** "With systemd" of deploy/README.md, in a container whose process 1 is systemd. */
export async function runUnits({ docker, mails, isSmall }: Scenario): Promise<void> {
  const units = isSmall
    ? ["postern-api@0", "postern-worker@0"]
    : ["postern-api@0", "postern-api@1", "postern-worker@0", "postern-worker@1"];
  const urls = units.filter((unit) => unit.includes("api")).map((unit) => `http://127.0.0.1:300${unit.at(-1)}`);
  const sh = await step("systemd is process 1; PostgreSQL 18 and the simulator run", async () => {
    await startPostgresAndSimulator(docker);
    return startSystemd(docker);
  });
  await step("secrets, settings, postern migrate --create-database, postern aws setup", () => sh(setUp));
  await step(`enable --now ${units.join(" ")}: all are active, postern status finds no problem`, async () => {
    await sh(`systemctl enable --now ${units.join(" ")}`);
    for (const unit of units)
      await until(`${unit} is healthy`, longestWaitSeconds, () => answersOk(healthOf(unit)), 200);
    await until("postern status finds no problem", longestWaitSeconds, () => succeeds(sh("postern status")), 1000);
    assert.deepEqual(await statesOf(sh, units), new Set(["active"]));
  });
  const { user, test, live } = await step("postern admin create-account, log in, set limits", () =>
    createUser((args) => sh(`postern ${args.map((arg) => `'${arg}'`).join(" ")}`), urls),
  );
  await step("a domain is registered, its records published, and a worker verifies it through AWS calls", () =>
    verifyDomain(user, simulatorUrl, "acme.io"),
  );
  const caller = await live();
  await step(`${mails} test mails and ${mails} live mails are delivered, each live mail once`, async () => {
    const ids = await sendMails(test, {
      from: "a@sandbox.test",
      to: "delivered@sandbox.test",
      count: mails,
      round: "1",
    });
    await waitForStatus(test, ids, "delivered");
    await sendLive(caller, "first", mails);
  });
  await step("the processes have a dynamic user, no capabilities and no writable folder", () =>
    expectConfined(sh, units),
  );
  await step("control: without HOME, and without libnss-systemd, live mail does not go out", () =>
    withoutHome(sh, caller),
  );
  if (isSmall) return;

  await step("the console is served", () => expectConsole(urls[0] ?? ""));
  await step(
    "kill -9 of every process while live mail is sent: systemd restarts each, and each mail goes out once",
    async () => {
      const before = await mainPids(sh, units);
      const sending = sendMails(caller, { ...liveMail, count: mails, round: "kill -9", pauseMs: 50 });
      for (const pid of before) await sh(`kill -9 ${pid}`);
      const ids = await sending;
      await until(
        "all units have new processes",
        longestWaitSeconds,
        async () => {
          const after = await mainPids(sh, units);
          return after.every((pid) => pid !== "0" && !before.includes(pid));
        },
        500,
      );
      await waitForStatus(caller, ids, "delivered");
      await expectOneSubmissionEach(simulatorUrl, ids);
    },
  );
  await step("an invalid setting: exit code 78, no restart, and the journal names the setting", async () => {
    await sh(`mkdir -p /run/systemd/system/postern-api@7.service.d
      printf '[Service]\\nEnvironment=LOG_LEVEL=loud\\n' >/run/systemd/system/postern-api@7.service.d/wrong.conf
      systemctl daemon-reload; systemctl start postern-api@7`);
    await until(
      "postern-api@7 has failed",
      longestWaitSeconds,
      async () => (await statesOf(sh, ["postern-api@7"])).has("failed"),
      500,
    );
    assert.match(
      await sh("systemctl show -p ExecMainStatus -p NRestarts postern-api@7"),
      /NRestarts=0\nExecMainStatus=78/,
    );
    assert.match(await sh("journalctl -u postern-api@7"), /LOG_LEVEL/);
  });
  await step(
    "upgrade: systemctl start postern-migrate, and restarts one after the other while live mail is sent",
    async () => {
      await sh("cp -r /opt/postern/1 /opt/postern/2 && ln -sfn /opt/postern/2 /opt/postern/current");
      const sending = sendMails(caller, { ...liveMail, count: mails, round: "upgrade", pauseMs: 50 });
      await sh("systemctl start postern-migrate");
      for (const unit of units) {
        await sh(`systemctl restart ${unit}`);
        await until(`${unit} is healthy`, longestWaitSeconds, () => answersOk(healthOf(unit)), 200);
      }
      const ids = await sending;
      await waitForStatus(caller, ids, "delivered");
      await expectOneSubmissionEach(simulatorUrl, ids);
    },
  );
  await step("stop: every process exits with 0", async () => {
    await sh(`systemctl stop ${units.join(" ")}`);
    assert.deepEqual(await statesOf(sh, units), new Set(["inactive"]));
    const codes = await sh(`systemctl show --value -p ExecMainStatus ${units.join(" ")}`);
    assert.deepEqual(new Set(codes.split(/\s+/).filter(Boolean)), new Set(["0"]));
  });
}

type Shell = (script: string) => Promise<string>;

const liveMail = { from: "Acme <hello@acme.io>", to: "jane@example.com" };

async function startPostgresAndSimulator(docker: Docker): Promise<void> {
  await startPostgres(docker);
  const simulator = ["--public-url=http://127.0.0.1:4579", "--region=eu-central-1"];
  await docker(["run", "-d", "--init", "--name", "simulator", "--network", "host", "postern-simulator", ...simulator]);
}

/** Steps 2 and 3 of the guide, with the simulator in place of AWS. */
const setUp = `
cd /opt/postern/1
node service/src/cli/start.cjs admin generate-secrets | deploy/split-secrets.sh /etc/postern/secrets
(umask 077 && echo postgres://postern:${postgresPassword}@127.0.0.1:5432/postern >/etc/postern/secrets/DATABASE_URL)
(umask 077 && cat >/etc/postern/postern.env) <<'END'
PUBLIC_URL=https://mail.acme.io
TRUSTED_PROXIES=127.0.0.1
AWS_REGION=eu-central-1
AWS_ACCESS_KEY_ID=simulator
AWS_SECRET_ACCESS_KEY=simulator
POSTERN_PROVIDER=simulator
AWS_ENDPOINT_URL_SESV2=http://127.0.0.1:4579
AWS_ENDPOINT_URL_SNS=http://127.0.0.1:4579
AWS_ENDPOINT_URL_SQS=http://127.0.0.1:4579
DNS_SERVERS=127.0.0.1:4579
END
systemctl daemon-reload
postern migrate --create-database
postern aws setup | tee /dev/stderr | grep '^AWS_FEEDBACK_' >>/etc/postern/postern.env
[ "$(grep -c '^AWS_FEEDBACK_' /etc/postern/postern.env)" = 2 ]
`;

/** The operations ports that deploy/README.md names. */
function healthOf(unit: string): string {
  return `http://127.0.0.1:${unit.includes("api") ? "310" : "320"}${unit.at(-1)}/health`;
}

async function answersOk(url: string): Promise<boolean> {
  return fetch(url, { signal: AbortSignal.timeout(5_000) }).then(
    ({ ok }) => ok,
    () => false,
  );
}

async function succeeds(work: Promise<unknown>): Promise<boolean> {
  return work.then(
    () => true,
    () => false,
  );
}

async function statesOf(sh: Shell, units: string[]): Promise<Set<string>> {
  const states = await sh(`systemctl show --value -p ActiveState ${units.join(" ")}`);
  return new Set(states.split(/\s+/).filter(Boolean));
}

async function mainPids(sh: Shell, units: string[]): Promise<string[]> {
  const pids = await sh(`systemctl show --value -p MainPID ${units.join(" ")}`);
  return pids.split(/\s+/).filter(Boolean);
}

async function sendLive(caller: Caller, round: string, count: number): Promise<void> {
  const ids = await sendMails(caller, { ...liveMail, count, round });
  await waitForStatus(caller, ids, "delivered");
  await expectOneSubmissionEach(simulatorUrl, ids);
}

/** A root shell in the mounts of each process cannot write, so neither can the process. */
async function expectConfined(sh: Shell, units: string[]): Promise<void> {
  for (const pid of await mainPids(sh, units)) {
    const status = await sh(`cat /proc/${pid}/status`);
    assert.match(status, /^Uid:\t6\d{4}\t/m, "a dynamic user");
    for (const set of ["CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"])
      assert.match(status, new RegExp(`^${set}:\\t0+$`, "m"));
    assert.match(status, /^NoNewPrivs:\t1$/m);
    for (const folder of ["/", "/opt/postern", "/etc", "/usr", "/var/lib"])
      assert.match(
        await sh(`nsenter --target ${pid} --mount touch ${folder}/probe 2>&1 || true`),
        /Read-only file system/,
        folder,
      );
  }
}

/** The check of live mail can fail: AWS calls need a home folder, which neither the unit nor the user database names here. */
async function withoutHome(sh: Shell, caller: Caller): Promise<void> {
  const folder = "/run/systemd/system/postern-worker@.service.d";
  await sh(`mkdir -p ${folder}
    printf '[Service]\\nUnsetEnvironment=HOME\\n' >${folder}/no-home.conf
    date +%s >/run/without-home
    systemctl daemon-reload; systemctl restart 'postern-worker@*'`);
  const ids = await sendMails(caller, { ...liveMail, count: 1, round: "without HOME" });
  await until(
    "the worker reports that it has no home folder",
    longestWaitSeconds,
    async () =>
      /homedir/.test(await sh("journalctl --output=cat -u 'postern-worker@*' --since=@$(cat /run/without-home)")),
    1000,
  );
  const answer = await call(caller, `/api/v1/send/${ids[0]}/status`);
  await sh(`rm -r ${folder}; systemctl daemon-reload; systemctl restart 'postern-worker@*'`);
  assert.notEqual(answer.status, "delivered");
  await waitForStatus(caller, ids, "delivered");
}
