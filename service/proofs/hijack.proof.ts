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
import { openDomainFixture } from "../test/domain-fixture.ts";
import { aKnownDns } from "../test/known-dns.ts";
import { withSimulatedCell } from "../test/with-simulated-cell.ts";

export const proof: Proof = {
  promise:
    "No account verifies a domain without its own proof, and of two that prove it at the same time exactly one does",
  covers: ["service/migrations", "service/src/db", "service/src/domains", "service/src/provider/ses/identities"],
  size: { small: 15, full: 1000 },
  run: async (size, { serverUrl, progress }) => {
    const simulator = await startSesSimulator();
    try {
      return await withSimulatedCell(serverUrl, simulator, async ({ db, url }) => {
        const dns = aKnownDns();
        const opened = await openDomainFixture(db, url, simulator);
        const fixture: Fixture = {
          deps: { ...opened, resolver: dns.resolver, log: createLog("silent") },
          simulator,
          publishTxt: dns.publishTxt,
        };
        const finding = await runAll(fixture, size, progress);
        await opened.locks.close();
        return finding;
      });
    } finally {
      await simulator.stop();
    }
  },
};

interface Fixture {
  deps: DomainDeps & VerificationDeps;
  simulator: SesSimulator;
  publishTxt(name: string, ...values: string[]): void;
}

async function runAll(fixture: Fixture, size: number, progress: ProofTools["progress"]): Promise<Finding> {
  const tries = Math.max(5, Math.round(size / 10));
  const attempts = { bothPending, ownerVerified, subdomain, homograph, ownerRemoved, oldProof };
  const succeeded: string[] = [];
  for (const [name, attempt] of Object.entries(attempts)) {
    for (let round = 1; round <= tries; round++) {
      if (await attempt(fixture)) succeeded.push(name);
      progress(`${name}: ${round} of ${tries}`);
    }
  }
  const races = { one: 0, other: 0 };
  for (let round = 1; round <= size; round++) {
    races[(await raceOfTwo(fixture)) === 1 ? "one" : "other"]++;
    progress(`two concurrent provers: ${round} of ${size}`);
  }
  return {
    figure:
      `${succeeded.length} of ${tries * Object.keys(attempts).length} hijacks succeeded${succeeded.map((name) => ` [${name}]`).join("")}; ` +
      `two concurrent provers: exactly one Success in ${races.one} of ${size} races`,
    holds: succeeded.length === 0 && races.one === size,
  };
}

/** Each attempt returns whether the attacker verified the domain. */
async function bothPending(fixture: Fixture): Promise<boolean> {
  const name = aDomainName();
  const [owner, attacker] = [await register(fixture, name), await register(fixture, name)];
  await proveAndVerify(fixture, owner);
  await requireVerified(fixture, owner);
  return isVerified(fixture, attacker);
}

async function ownerVerified(fixture: Fixture): Promise<boolean> {
  const owner = await register(fixture, aDomainName());
  await proveAndVerify(fixture, owner);
  await requireVerified(fixture, owner);
  try {
    await register(fixture, owner.domainName);
    return true;
  } catch (error) {
    if (error instanceof AppError && error.code === "CONFLICT") return false;
    throw error;
  }
}

/** SES lets a verified domain send for its subdomains; Postern must not. */
async function subdomain(fixture: Fixture): Promise<boolean> {
  const owner = await register(fixture, aDomainName());
  await proveAndVerify(fixture, owner);
  const attacker = await register(fixture, `mail.${owner.domainName}`);
  await verifyAtProvider(fixture, attacker);
  return isVerified(fixture, attacker);
}

/** Three Cyrillic letters that look like Latin ones make a different name, which the owner's proof does not cover. */
async function homograph(fixture: Fixture): Promise<boolean> {
  const digits = randomBytes(5).readUIntBE(0, 5);
  const owner = await register(fixture, `ape-${digits}.com`);
  await proveAndVerify(fixture, owner);
  const attacker = await register(fixture, `\u0430\u0440\u0435-${digits}.com`);
  await verifyAtProvider(fixture, attacker);
  return attacker.domainName === owner.domainName || isVerified(fixture, attacker);
}

/** The owner removed the domain, but DKIM and the old proof are still published. */
async function ownerRemoved(fixture: Fixture): Promise<boolean> {
  const owner = await register(fixture, aDomainName());
  await proveAndVerify(fixture, owner);
  await requireVerified(fixture, owner);
  await removeDomain(fixture.deps, owner.accountId, owner.id);
  const attacker = await register(fixture, owner.domainName);
  await verifyAtProvider(fixture, attacker);
  return isVerified(fixture, attacker);
}

/** An old proof is not valid even for the same account: each registration has its own proof. */
async function oldProof(fixture: Fixture): Promise<boolean> {
  const first = await register(fixture, aDomainName());
  await proveAndVerify(fixture, first);
  await removeDomain(fixture.deps, first.accountId, first.id);
  const second = await registerDomain(fixture.deps, first.accountId, first.domainName);
  await verifyAtProvider(fixture, second);
  return isVerified(fixture, second);
}

/** Both accounts publish their proof and are checked at the same time. Returns how many are verified afterwards. */
async function raceOfTwo(fixture: Fixture): Promise<number> {
  const name = aDomainName();
  const provers = [await register(fixture, name), await register(fixture, name)];
  fixture.publishTxt(`_postern-challenge.${name}`, ...provers.map(proofOf));
  await Promise.all(provers.map((prover) => verifyAtProvider(fixture, prover)));
  await makeDue(fixture, provers);
  await Promise.all([checkDueDomains(fixture.deps, 1), checkDueDomains(fixture.deps, 1)]);
  const found = await Promise.all(
    provers.map(({ accountId, id }) => findDomain(fixture.deps.db.forAccount(accountId), id)),
  );
  return found.filter((domain) => domain?.verificationStatus === "Success").length;
}

async function register({ deps }: Fixture, name: string): Promise<Domain> {
  return registerDomain(deps, await anAccount(deps.db), parseDomainName(name));
}

async function proveAndVerify(fixture: Fixture, domain: Domain): Promise<void> {
  fixture.publishTxt(`_postern-challenge.${domain.domainName}`, proofOf(domain));
  await verifyAtProvider(fixture, domain);
}

async function requireVerified(fixture: Fixture, domain: Domain): Promise<void> {
  if (!(await isVerified(fixture, domain))) throw new Error("the owner's own proof was not accepted");
}

async function isVerified(fixture: Fixture, domain: Domain): Promise<boolean> {
  await makeDue(fixture, [domain]);
  await checkDueDomains(fixture.deps, 10);
  const found = await findDomain(fixture.deps.db.forAccount(domain.accountId), domain.id);
  return found?.verificationStatus === "Success";
}

async function verifyAtProvider({ simulator }: Fixture, { domainName }: Domain): Promise<void> {
  const url = `${simulator.url}/_simulator/identities/${domainName}/verification`;
  const { ok } = await fetch(url, { method: "POST", body: JSON.stringify({ status: "SUCCESS" }) });
  if (!ok) throw new Error("the simulator did not verify the identity");
}

async function makeDue({ deps }: Fixture, domains: Domain[]): Promise<void> {
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

function aDomainName(): string {
  return `shop-${randomBytes(6).toString("hex")}.io`;
}
