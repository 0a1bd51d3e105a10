import { randomBytes, randomInt } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { type SesSimulator, startSesSimulator } from "@postern/ses-simulator";
import type { Proof, ProofTools } from "../../scripts/proof.ts";
import type { Database } from "../src/db/database.ts";
import { listDomains } from "../src/domains/domain-store.ts";
import { type DomainDeps, registerDomain } from "../src/domains/register-domain.ts";
import { finishRemovals, removeDomain } from "../src/domains/remove-domain.ts";
import { aLogin, anAccount } from "../test/builders.ts";
import { identitiesOf, liftDomainLimits, openDomainFixture } from "../test/domain-fixture.ts";
import { spawnPostern } from "../test/spawn-postern.ts";
import { withSimulatedCell } from "../test/with-simulated-cell.ts";

export const proof: Proof = {
  promise:
    "Killed registrations and racing removals leave one identity for a registered name and none for a removed one",
  covers: ["service/migrations", "service/src/db", "service/src/domains", "service/src/provider/ses/identities"],
  size: { small: 20, full: 1000 },
  run: async (size, { serverUrl, progress }) => {
    const kills = Math.max(2, Math.round(size / 20));
    const simulator = await startSesSimulator();
    try {
      return await withSimulatedCell(serverUrl, simulator, async (cell) => {
        const killed = await killRegistrations(cell, simulator, kills, progress);
        const raced = await raceRemovals(cell, simulator, size, progress);
        return {
          figure:
            `registration killed ${kills} times around its SES call: ${killed.wrong} names with a wrong number of ` +
            `identities, ${killed.stuck} that could not be registered again (${killed.interrupted} answers lost); ` +
            `${raced.rounds} removals against registrations: ${raced.wrong} names wrong`,
          holds: killed.wrong + killed.stuck + raced.wrong === 0 && killed.interrupted > 0,
        };
      });
    } finally {
      await simulator.stop();
    }
  },
};

interface Cell {
  db: Database;
  url: string;
  environment: Record<string, string | undefined>;
  loginDeps: Parameters<typeof aLogin>[1];
}

/** Kills a real process at a random moment around the SES call, then registers the name again at a new process. */
async function killRegistrations(cell: Cell, simulator: SesSimulator, kills: number, progress: ProofTools["progress"]) {
  const tally = { wrong: 0, stuck: 0, interrupted: 0 };
  const domainDeps = await openDomainFixture(cell.db, cell.url, simulator);
  for (let round = 1; round <= kills; round++) {
    const { accessToken } = await aLogin(cell.db, cell.loginDeps);
    const name = aDomainName();
    // In every second round SES withholds the answer, so that the kill falls between the call and its answer.
    if (round % 2 === 0)
      await addRule(simulator, { operation: "CreateEmailIdentity", times: 1, fault: { kind: "accept-then-hang" } });
    const api = await spawnPostern("api", cell.environment);
    const answer = register(api.url, accessToken, name).catch(() => 0);
    await sleep(round % 2 === 0 ? 200 : randomInt(30));
    api.kill("SIGKILL");
    await api.exited;
    const first = await answer;
    if (first === 0) tally.interrupted++;
    await fetch(`${simulator.url}/_simulator/rules`, { method: "DELETE" });

    const next = await spawnPostern("api", cell.environment);
    const second = await register(next.url, accessToken, name);
    next.kill("SIGKILL");
    await next.exited;
    const isRegistered = first === 201 ? second === 409 : second === 201 || second === 409;
    if (!isRegistered) tally.stuck++;
    const identities = (await identitiesOf(domainDeps)).filter((identity) => identity === name);
    if (identities.length !== 1) tally.wrong++;
    progress(`killed ${round} of ${kills} registrations`);
  }
  await domainDeps.locks.close();
  return tally;
}

/** The dependencies of two processes remove and register one name at the same time, repeatedly. */
async function raceRemovals(cell: Cell, simulator: SesSimulator, rounds: number, progress: ProofTools["progress"]) {
  const processDeps = [
    await openDomainFixture(cell.db, cell.url, simulator),
    await openDomainFixture(cell.db, cell.url, simulator),
  ];
  const [one, other] = processDeps as [DomainDeps, DomainDeps];
  const accounts = [await anAccount(cell.db), await anAccount(cell.db)];
  await liftDomainLimits(cell.db);
  const tally = { rounds: 0, wrong: 0 };
  for (let round = 1; round <= rounds; round++) {
    const name = aDomainName();
    const [owner = "", rival = ""] = round % 2 === 0 ? [accounts[0], accounts[0]] : accounts;
    const domain = await registerDomain(one, owner, name);
    await Promise.all([
      delayed(randomInt(4), () => removeDomain(one, owner, domain.id)),
      delayed(randomInt(4), () => registerDomain(other, rival, name).catch(() => undefined)),
    ]);
    await finishRemovals(other, 1000);
    const rows = (await Promise.all(accounts.map((account) => listDomains(cell.db.forAccount(account))))).flat();
    const isTaken = rows.some(({ domainName }) => domainName === name);
    const hasIdentity = (await one.provider.findIdentity(name)) !== undefined;
    tally.rounds++;
    if (isTaken !== hasIdentity) tally.wrong++;
    for (const row of rows) await removeDomain(one, row.accountId, row.id);
    progress(`raced ${round} of ${rounds} removals`);
  }
  for (const deps of processDeps) await deps.locks.close();
  return tally;
}

async function delayed<Result>(milliseconds: number, work: () => Promise<Result>): Promise<Result> {
  await sleep(milliseconds);
  return work();
}

function aDomainName(): string {
  return `race-${randomBytes(6).toString("hex")}.io`;
}

async function register(url: string, token: string, name: string): Promise<number> {
  const { status } = await fetch(`${url}/api/v1/domains`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify({ domain_name: name }),
  });
  return status;
}

async function addRule(simulator: SesSimulator, rule: unknown): Promise<void> {
  const { ok, status } = await fetch(`${simulator.url}/_simulator/rules`, {
    method: "POST",
    body: JSON.stringify(rule),
  });
  if (!ok) throw new Error(`the simulator refused a rule with ${status}`);
}
