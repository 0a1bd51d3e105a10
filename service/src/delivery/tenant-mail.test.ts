import { beforeEach, expect, onTestFinished, test } from "vitest";
import { aDeliveryFixture } from "../../test/delivery-fixture.ts";
import { aQueuedSend } from "../../test/send-builders.ts";
import { change, queueRow, sendRow, useEmptyQueue } from "../../test/send-rows.ts";
import { aDomainAtSes, deleteTenant, letTenantsBeDue, openTenantFixture, tenantOf } from "../../test/tenant-fixture.ts";
import { useSesProvider } from "../../test/use-ses-provider.ts";
import { useTestDatabase } from "../../test/use-test-database.ts";
import { attachTenants } from "../domains/attach-tenants.ts";
import { takeDomainProbes } from "../queue/domain-probes.ts";
import { unparkSends } from "../queue/parked-sends.ts";
import { DeliveryLoop } from "./delivery-loop.ts";

const database = useTestDatabase();
useEmptyQueue(database);
const ses = useSesProvider();

interface Sender {
  accountId: string;
  domainName: string;
}

beforeEach(async () => {
  await openTenantFixture(database.db, ses);
  await change(database.db, "delete from domains");
});

test("mail waits until the tenant is ready, mail of others goes on, and then each send goes out once with its tenant", async () => {
  const ready = await aDomainAtSes(database.db, ses);
  await attach();
  const waiting = await aDomainAtSes(database.db, ses);
  const ofReady = await sendsOf(ready, 3);
  const ofWaiting = await sendsOf(waiting, 5);
  await aLoop().runOnce();
  await aLoop().runOnce();
  expect(await statusesOf(ofReady)).toEqual(Array(3).fill("sent"));
  expect(await statusesOf(ofWaiting)).toEqual(Array(5).fill("queued"));
  expect(await denialOf(waiting)).toBe("TenantMissing");
  for (const id of ofWaiting) expect(await queueRow(database.db, id)).toMatchObject({ state: "parked" });

  await attach();
  await recover();
  expect(await statusesOf(ofWaiting)).toEqual(Array(5).fill("sent"));
  expect(await denialOf(waiting)).toBeNull();
  for (const [sender, ids] of [[ready, ofReady] as const, [waiting, ofWaiting] as const]) {
    for (const id of ids) expect(await tenantsUsedBy(id)).toEqual([tenantOf(sender.accountId)]);
  }
});

test("many domains that wait for their tenants do not put all mail on hold", async () => {
  for (let domains = 0; domains < 4; domains++) await sendsOf(await aDomainAtSes(database.db, ses), 1);
  await aLoop().runOnce();
  const rows = await change(database.db, "select denial_code from domains where denied_since is not null");
  expect(rows).toHaveLength(4);
  expect(await holdReason()).toBeNull();
});

test.for([
  ["an association", "TenantNotAssociated"],
  ["a tenant", "NotFoundException"],
] as const)("%s that somebody deleted at SES is made again, and no send is lost or doubled", async ([what, code]) => {
  const sender = await aDomainAtSes(database.db, ses);
  await attach();
  const tenantName = tenantOf(sender.accountId);
  if (what === "a tenant") await deleteTenant(ses, sender.accountId);
  else await ses.sesProvider().removeIdentityFromTenant(tenantName, sender.domainName);
  const ids = await sendsOf(sender, 3);
  await aLoop().runOnce();
  expect(await statusesOf(ids)).toEqual(Array(3).fill("queued"));
  expect(await denialOf(sender)).toBe(code);
  expect(await holdReason()).toBeNull();
  await attach();
  await recover();
  expect(await statusesOf(ids)).toEqual(Array(3).fill("sent"));
  for (const id of ids) expect(await tenantsUsedBy(id)).toEqual([tenantName]);
});

test("a tenant that SES paused stops only its own mail, and a paused AWS account stops all", async () => {
  const [paused, other] = [await aDomainAtSes(database.db, ses), await aDomainAtSes(database.db, ses)];
  await attach();
  await ses.simulator.control("PATCH", `tenants/${tenantOf(paused.accountId)}`, { sendingStatus: "DISABLED" });
  const [[stopped = ""], [sent = ""]] = [await sendsOf(paused, 1), await sendsOf(other, 1)];
  await aLoop().runOnce();
  expect(await statusesOf([stopped, sent])).toEqual(["queued", "sent"]);
  expect([await denialOf(paused), await holdReason()]).toEqual(["SendingPausedException", null]);
  await ses.simulator.control("PATCH", "account", { sendingEnabled: false });
  onTestFinished(() => ses.simulator.control("PATCH", "account", { sendingEnabled: true }));
  const ids = await sendsOf(other, 1);
  await aLoop().runOnce();
  expect(await statusesOf(ids)).toEqual(["queued"]);
  expect([await denialOf(other), await holdReason()]).toEqual([null, "paused"]);
});

test("without SES_TENANTS no mail names a tenant, and mail that waited for one goes on", async () => {
  const sender = await aDomainAtSes(database.db, ses);
  const ids = await sendsOf(sender, 2);
  await aLoop().runOnce();
  expect(await denialOf(sender)).toBe("TenantMissing");
  await change(database.db, "update domains set probe_at = now() where denied_since is not null");
  await recover({ hasTenants: false });
  expect(await statusesOf(ids)).toEqual(["sent", "sent"]);
  for (const id of ids) expect(await tenantsUsedBy(id)).toEqual([undefined]);
});

function aLoop({ hasTenants = true } = {}): DeliveryLoop {
  const changes = hasTenants ? { tenantOf } : {};
  const { deps } = aDeliveryFixture(database.db, ses.sesProvider(), changes);
  return new DeliveryLoop({ db: database.db, mode: "live", slots: 100, maxBytes: 64_000_000, deps });
}

async function attach(): Promise<void> {
  await letTenantsBeDue(database.db);
  await attachTenants(await openTenantFixture(database.db, ses), 20_000);
}

/** The ticks of a worker: the probe goes out, and what it releases. */
async function recover(options = {}): Promise<void> {
  expect(await takeDomainProbes(database.db, "live")).toBe(1);
  await aLoop(options).runOnce();
  await unparkSends(database.db, "live");
  await aLoop(options).runOnce();
}

async function sendsOf({ accountId, domainName }: Sender, count: number): Promise<string[]> {
  const ids: string[] = [];
  while (ids.length < count) ids.push(await aQueuedSend(database.db, { accountId, fromDomain: domainName }));
  return ids;
}

async function statusesOf(ids: string[]) {
  return Promise.all(ids.map(async (id) => (await sendRow(database.db, id))?.status));
}

async function denialOf({ domainName }: Sender) {
  const [row] = await change(database.db, "select denial_code from domains where domain_name = $1", [domainName]);
  return row?.denial_code;
}

async function holdReason() {
  const [row] = await change(database.db, "select hold_reason from provider_state where mode = 'live'");
  return row?.hold_reason;
}

/** One entry for each mail that SES accepted for the send. */
async function tenantsUsedBy(sendId: string): Promise<unknown[]> {
  const { records } = await ses.simulator.control("GET", `ledger?tag=send_id:${sendId}`);
  return records.map(({ tenantName }: { tenantName?: string }) => tenantName);
}
