import { Clock } from "./clock.ts";
import { type DurableMap, DurableMaps } from "./disk/durable-maps.ts";
import { GroupCommit } from "./disk/group-commit.ts";
import type { PendingEvent } from "./events/emit-events.ts";
import type { EventDetails } from "./events/planned-event.ts";
import { RuleBook } from "./faults/rule-book.ts";
import { Ledger } from "./ledger/ledger.ts";
import type { Account } from "./ses/account.ts";
import type { ConfigurationSet } from "./ses/configuration-set.ts";
import { type Identity, identityKey, newIdentity, setByHand } from "./ses/identity.ts";
import { SentLast24Hours } from "./ses/sent-last-24-hours.ts";
import type { SuppressedDestination } from "./ses/suppression-list.ts";
import { TokenBucket } from "./ses/token-bucket.ts";
import type { Settings } from "./settings.ts";
import type { Push } from "./sns/push.ts";
import { loadSigningIdentity, type SigningIdentity } from "./sns/signing-identity.ts";
import type { Subscription, Topic } from "./sns/topic.ts";
import { Queues } from "./sqs/queues.ts";

/** Everything the simulated provider is and knows. What is a `DurableMap`, ledger or queue survives `kill -9`. */
export interface Simulation {
  settings: Settings;
  clock: Clock;
  commit: GroupCommit;
  signing: SigningIdentity;
  /** Known once it listens. */
  publicUrl: string;
  stopping: AbortSignal;

  account: DurableMap<Account>;
  identities: DurableMap<Identity>;
  configurationSets: DurableMap<ConfigurationSet>;
  suppressedDestinations: DurableMap<SuppressedDestination>;
  pendingEvents: DurableMap<PendingEvent>;
  /** What people and tests made happen to mails, for the mail view. */
  triggered: DurableMap<{ details: EventDetails; at: string }[]>;
  topics: DurableMap<Topic>;
  subscriptions: DurableMap<Subscription>;
  pushes: DurableMap<Push>;
  counters: DurableMap<number>;
  queues: Queues;
  ledger: Ledger;

  rules: RuleBook;
  sendRate: TokenBucket;
  controlRate: TokenBucket;
  sentLast24Hours: SentLast24Hours;
  /** Writes what is left and closes the files. */
  close(): void;
}

export async function openSimulation(settings: Settings, stopping: AbortSignal): Promise<Simulation> {
  const { dataFolder } = settings;
  const clock = new Clock(settings.speed);
  const commit = new GroupCommit();
  const sentLast24Hours = new SentLast24Hours();
  const yesterday = clock.now() - 24 * 60 * 60 * 1000;
  // The ledger joins the commit first: a record without events can be completed, events without a record cannot.
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
    pendingEvents: maps.map("pending-events"),
    triggered: maps.map("triggered"),
    topics: maps.map("topics"),
    subscriptions: maps.map("subscriptions"),
    pushes: maps.map("pushes"),
    counters: maps.map("counters"),
    queues: new Queues(
      { queues: maps.map("queues"), messages: maps.map("messages"), receipts: maps.map("receipts") },
      clock,
    ),
    ledger,
    rules: new RuleBook(),
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

function addVerifiedIdentities(simulation: Simulation): void {
  for (const name of simulation.settings.verifiedIdentities) {
    if (simulation.identities.has(identityKey(name))) continue;
    setByHand(simulation, newIdentity(name, simulation.clock.now()), "SUCCESS");
  }
}
