import { randomBytes } from "node:crypto";
import { type SesSimulator, startSesSimulator } from "@postern/ses-simulator";
import type { Finding, Proof, ProofTools } from "../../scripts/proof.ts";
import { checkDueDomains, type VerificationDeps } from "../src/domains/check-due-domains.ts";
import { type Domain, dnsRecordsOf } from "../src/domains/domain.ts";
import { parseDomainName } from "../src/domains/domain-name.ts";
import { findDomain } from "../src/domains/domain-store.ts";
import { type DomainDeps, registerDomain } from "../src/domains/register-domain.ts";
import { removeDomain } from "../src/domains/remove-domain.ts";
import { AppError } from "../src/errors.ts";
import { createLog } from "../src/log.ts";
import { anAccount } from "../test/builders.ts";
import { openTestDeps } from "../test/domain-deps.ts";
import { aKnownDns } from "../test/known-dns.ts";
import { withSimulatedCell } from "../test/with-simulated-cell.ts";

export const proof: Proof = {
  promise: "No account gets a domain verified without its own proof, and of two that prove it at once exactly one does",
  size: { small: 15, full: 1000 },
  run: async (size, { serverUrl, progress }) => {
    const simulator = await startSesSimulator();
    try {
      return await withSimulatedCell(serverUrl, simulator, async ({ db, url }) => {
        const dns = aKnownDns();
        const opened = await openTestDeps(db, url, simulator);
        const stage: Stage = {
          deps: { ...opened, resolver: dns.resolver, log: createLog("silent") },
          simulator,
          publishTxt: dns.publishTxt,
        };
        const finding = await tryAll(stage, size, progress);
        await opened.locks.close();
        return finding;
      });
    } finally {
      await simulator.stop();
    }
  },
};

interface Stage {
  deps: DomainDeps & VerificationDeps;
  simulator: SesSimulator;
  publishTxt(name: string, ...values: string[]): void;
}

async function tryAll(stage: Stage, size: number, progress: ProofTools["progress"]): Promise<Finding> {
  const tries = Math.max(5, Math.round(size / 10));
  const attempts = { bothPending, ownerVerified, subdomain, homograph, ownerGone, oldProof };
  const won: string[] = [];
  for (const [name, attempt] of Object.entries(attempts)) {
    for (let round = 1; round <= tries; round++) {
      if (await attempt(stage)) won.push(name);
      progress(`${name}: ${round} of ${tries}`);
    }
  }
  const races = { one: 0, other: 0 };
  for (let round = 1; round <= size; round++) {
    races[(await raceOfTwo(stage)) === 1 ? "one" : "other"]++;
    progress(`two provers at once: ${round} of ${size}`);
  }
  return {
    figure:
      `${won.length} of ${tries * Object.keys(attempts).length} hijacks succeeded${won.map((name) => ` [${name}]`).join("")}; ` +
      `two provers at once: exactly one Success in ${races.one} of ${size} races`,
    holds: won.length === 0 && races.one === size,
  };
}

/** Each attempt returns whether the thief got the domain. The owner must get it where the story says so. */
async function bothPending(stage: Stage): Promise<boolean> {
  const name = aName();
  const [owner, thief] = [await register(stage, name), await register(stage, name)];
  await proveAndVerify(stage, owner);
  await mustSucceed(stage, owner);
  return isVerified(stage, thief);
}

async function ownerVerified(stage: Stage): Promise<boolean> {
  const owner = await register(stage, aName());
  await proveAndVerify(stage, owner);
  await mustSucceed(stage, owner);
  try {
    await register(stage, owner.domainName);
    return true;
  } catch (error) {
    if (error instanceof AppError && error.code === "CONFLICT") return false;
    throw error;
  }
}

/** SES lets a verified domain speak for its subdomains; we must not. */
async function subdomain(stage: Stage): Promise<boolean> {
  const owner = await register(stage, aName());
  await proveAndVerify(stage, owner);
  const thief = await register(stage, `mail.${owner.domainName}`);
  await verifyAtProvider(stage, thief);
  return isVerified(stage, thief);
}

/** Three Cyrillic letters that look like Latin ones make another name, which the owner's proof does not prove. */
async function homograph(stage: Stage): Promise<boolean> {
  const digits = randomBytes(5).readUIntBE(0, 5);
  const owner = await register(stage, `ape-${digits}.com`);
  await proveAndVerify(stage, owner);
  const thief = await register(stage, `\u0430\u0440\u0435-${digits}.com`);
  await verifyAtProvider(stage, thief);
  return thief.domainName === owner.domainName || isVerified(stage, thief);
}

/** The owner left, but DKIM and the old proof are still published. */
async function ownerGone(stage: Stage): Promise<boolean> {
  const owner = await register(stage, aName());
  await proveAndVerify(stage, owner);
  await mustSucceed(stage, owner);
  await removeDomain(stage.deps, owner.accountId, owner.id);
  const thief = await register(stage, owner.domainName);
  await verifyAtProvider(stage, thief);
  return isVerified(stage, thief);
}

/** Not even for the same account: each registration has a proof of its own. */
async function oldProof(stage: Stage): Promise<boolean> {
  const first = await register(stage, aName());
  await proveAndVerify(stage, first);
  await removeDomain(stage.deps, first.accountId, first.id);
  const second = await registerDomain(stage.deps, first.accountId, first.domainName);
  await verifyAtProvider(stage, second);
  return isVerified(stage, second);
}

/** Both publish their proof and are looked at in the same moment; returns how many of them are verified afterwards. */
async function raceOfTwo(stage: Stage): Promise<number> {
  const name = aName();
  const provers = [await register(stage, name), await register(stage, name)];
  stage.publishTxt(`_postern-challenge.${name}`, ...provers.map(proofOf));
  await Promise.all(provers.map((prover) => verifyAtProvider(stage, prover)));
  await makeDue(stage, provers);
  await Promise.all([checkDueDomains(stage.deps, 1), checkDueDomains(stage.deps, 1)]);
  const found = await Promise.all(
    provers.map(({ accountId, id }) => findDomain(stage.deps.db.forAccount(accountId), id)),
  );
  return found.filter((domain) => domain?.verificationStatus === "Success").length;
}

async function register({ deps }: Stage, name: string): Promise<Domain> {
  return registerDomain(deps, await anAccount(deps.db), parseDomainName(name));
}

async function proveAndVerify(stage: Stage, domain: Domain): Promise<void> {
  stage.publishTxt(`_postern-challenge.${domain.domainName}`, proofOf(domain));
  await verifyAtProvider(stage, domain);
}

async function mustSucceed(stage: Stage, domain: Domain): Promise<void> {
  if (!(await isVerified(stage, domain))) throw new Error("the owner's own proof was not accepted");
}

async function isVerified(stage: Stage, domain: Domain): Promise<boolean> {
  await makeDue(stage, [domain]);
  await checkDueDomains(stage.deps, 10);
  const found = await findDomain(stage.deps.db.forAccount(domain.accountId), domain.id);
  return found?.verificationStatus === "Success";
}

async function verifyAtProvider({ simulator }: Stage, { domainName }: Domain): Promise<void> {
  const url = `${simulator.url}/_simulator/identities/${domainName}/verification`;
  const { ok } = await fetch(url, { method: "POST", body: JSON.stringify({ status: "SUCCESS" }) });
  if (!ok) throw new Error("the simulator did not verify the identity");
}

async function makeDue({ deps }: Stage, domains: Domain[]): Promise<void> {
  await deps.db.query({
    name: "make-due",
    text: `
      update domains
      set next_check_at = case when id = any($1::int[]) then now() else now() + interval '1 day' end
      where next_check_at < now() + interval '1 hour' or id = any($1::int[])`,
    values: [domains.map(({ id }) => id)],
  });
}

function proofOf(domain: Domain): string {
  return dnsRecordsOf(domain)[0]?.value ?? "";
}

function aName(): string {
  return `shop-${randomBytes(6).toString("hex")}.io`;
}
