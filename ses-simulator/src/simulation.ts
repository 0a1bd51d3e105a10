import { Clock } from "./clock.ts";
import { type DurableMap, DurableMaps } from "./disk/durable-maps.ts";
import { GroupCommit } from "./disk/group-commit.ts";
import type { DnsRecord } from "./dns/dns-server.ts";
import type { EventDetails, PendingEvent } from "./events/planned-event.ts";
import { RuleSet } from "./faults/rule-set.ts";
import { Ledger } from "./ledger/ledger.ts";
import type { Account } from "./ses/account.ts";
import type { ConfigurationSet } from "./ses/configuration-set.ts";
import { type Identity, identityKey, newIdentity, setByHand } from "./ses/identity.ts";
import { SentLast24Hours } from "./ses/sent-last-24-hours.ts";
import type { SuppressedDestination } from "./ses/suppression-list.ts";
import type { Tenant } from "./ses/tenant.ts";
import { TokenBucket } from "./ses/token-bucket.ts";
import type { Settings } from "./settings.ts";
import type { Push } from "./sns/push.ts";
import { loadSigningIdentity, type SigningIdentity } from "./sns/signing-identity.ts";
import type { Subscription, Topic } from "./sns/topic.ts";
import { Queues } from "./sqs/queues.ts";

/** The whole state of the simulated provider. Each `DurableMap`, the ledger and the queues survive `kill -9`. */
export interface Simulation {
  settings: Settings;
  clock: Clock;
  commit: GroupCommit;
  signing: SigningIdentity;
  /** Empty until the simulator listens, unless the settings give it. */
  publicUrl: string;
  stopping: AbortSignal;

  account: DurableMap<Account>;
  identities: DurableMap<Identity>;
  configurationSets: DurableMap<ConfigurationSet>;
  suppressedDestinations: DurableMap<SuppressedDestination>;
  tenants: DurableMap<Tenant>;
  pendingEvents: DurableMap<PendingEvent>;
  /** Events that people and tests triggered by hand, for the mail view. */
  triggered: DurableMap<{ details: EventDetails; at: string }[]>;
  topics: DurableMap<Topic>;
  subscriptions: DurableMap<Subscription>;
  /** The records that the simulator's DNS server answers, by name. */
  dnsRecords: DurableMap<DnsRecord[]>;
  /** The DNS server for DKIM records: the one of the settings or the simulator's own. Undefined when there is none. */
  dnsAddress: string | undefined;
  pushes: DurableMap<Push>;
  counters: DurableMap<number>;
  queues: Queues;
  ledger: Ledger;

  rules: RuleSet;
  sendRate: TokenBucket;
  controlRate: TokenBucket;
  sentLast24Hours: SentLast24Hours;
  /** Writes the outstanding changes and closes the files. */
  close(): void;
}

export async function openSimulation(settings: Settings, stopping: AbortSignal): Promise<Simulation> {
  const { dataFolder } = settings;
  const clock = new Clock(settings.speed);
  const commit = new GroupCommit();
  const sentLast24Hours = new SentLast24Hours();
  const yesterday = clock.now() - 24 * 60 * 60 * 1000;
  // The commit writes the ledger first: missing events of a record can be recreated, a missing record cannot.
  const ledger = new Ledger(dataFolder, commit, ({ acceptedAt, quotaCost }) => {
    const at = Date.parse(acceptedAt);
    if (at > yesterday) sentLast24Hours.add(at, quotaCost);
  });
  const maps = new DurableMaps(dataFolder, commit);
  const simulation: Simulation = {
    settings,
    clock,
    commit,
    signing: await loadSigningIdentity(dataFolder),
    publicUrl: settings.publicUrl ?? "",
    stopping,
    account: maps.map("account"),
    identities: maps.map("identities"),
    configurationSets: maps.map("configuration-sets"),
    suppressedDestinations: maps.map("suppressed-destinations"),
    tenants: maps.map("tenants"),
    pendingEvents: maps.map("pending-events"),
    triggered: maps.map("triggered"),
    topics: maps.map("topics"),
    subscriptions: maps.map("subscriptions"),
    dnsRecords: maps.map("dns-records"),
    dnsAddress: settings.dnsServer,
    pushes: maps.map("pushes"),
    counters: maps.map("counters"),
    queues: new Queues(
      { queues: maps.map("queues"), messages: maps.map("messages"), receipts: maps.map("receipts") },
      clock,
    ),
    ledger,
    rules: new RuleSet(),
    sendRate: new TokenBucket(),
    controlRate: new TokenBucket(),
    sentLast24Hours,
    close() {
      clock.stop();
      commit.writeNow();
      ledger.close();
      maps.close();
    },
  };
  addVerifiedIdentities(simulation);
  return simulation;
}

function addVerifiedIdentities({ settings, identities, clock }: Simulation): void {
  for (const name of settings.verifiedIdentities) {
    if (identities.has(identityKey(name))) continue;
    const identity = newIdentity(name, clock.now());
    identities.set(identity.name, setByHand(identity, "SUCCESS", clock.now()));
  }
}
