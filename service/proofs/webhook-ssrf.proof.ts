import { once } from "node:events";
import { connect } from "node:net";
import type { Answer } from "dns-packet";
import type { Proof } from "../../scripts/proof.ts";
import { createDnsResolver } from "../src/domains/dns-resolver.ts";
import { type Outbound, type OutboundAnswer, openOutbound } from "../src/webhooks/outbound/post-notification.ts";
import { freePort } from "../test/free-port.ts";
import { type Script, startScriptedDns } from "../test/scripted-dns.ts";
import { anAnswer, aReceiver, isComplete, type WebhookReceiver } from "../test/webhook-receiver.ts";
import { type ConnectRecord, recordConnects } from "./webhooks/connect-record.ts";
import { hostileIpv4, hostileIpv6, localNames, spellingsOf, trickyAuthorities } from "./webhooks/hostile-targets.ts";

/** The one address that the operator allowed to the account `inside`; the account `outside` has none. */
const allowedAddress = "127.0.0.2";
const allowedNetworks = [`${allowedAddress}/32`];
/** Services of the operator: listeners on other addresses of this machine. A connection to them would succeed. */
const ownAddresses = ["127.0.0.1", "127.0.0.3", "::1"];
const publicAddresses = ["8.8.8.8", "2606:4700:4700::1111"];
const redirects = [301, 302, 303, 307, 308];
const concurrency = 8;

export const proof: Proof = {
  promise:
    "No URL of a webhook, no answer of DNS and no redirect makes Postern connect to an address that is not public",
  covers: ["service/proofs/webhooks", "service/src/webhooks/outbound", "service/src/domains/dns-resolver.ts"],
  size: { small: 1, full: 10 },
  async run(rounds, { progress }) {
    const network = await openNetwork();
    const dns = await startScriptedDns(network.answer);
    const record = recordConnects();
    const resolver = createDnsResolver({ servers: [dns.address], timeoutSeconds: 2 });
    // Without the rules of port and scheme, only the check of addresses is between the attacker and the goal.
    const open = openOutbound({ resolver, ports: "any", allowsHttp: true, timeoutMs: 5_000 });
    const strict = openOutbound({ resolver, ports: [443], allowsHttp: false, timeoutMs: 5_000 });
    const fixture = { network, record, open, strict };
    try {
      const control = await runControls(fixture);
      const found = { targets: 0, stray: [] as string[], accepted: [] as string[], rebound: 0, redirected: 0 };
      for (let round = 1; round <= rounds; round++) {
        const hostile = await tryHostile(fixture, round);
        const inside = await tryFromInside(fixture);
        found.targets += hostile.targets + inside.targets;
        found.stray.push(...hostile.stray, ...inside.stray);
        found.accepted.push(...hostile.accepted, ...inside.accepted);
        found.rebound += inside.rebound;
        found.redirected += inside.redirected;
        progress(`round ${round} of ${rounds}: ${found.targets} targets, ${found.stray.length} connections elsewhere`);
      }
      const reachedOwn = network.connectionsOfOwn() - control.ownConnections;
      return {
        figure:
          `${found.targets / rounds} hostile targets, ${rounds} times: ` +
          `${found.stray.length} connections outside the allowed set${examples(found.stray)}, ` +
          `${reachedOwn} at the operator's listeners, ${found.accepted.length} reported as delivered` +
          `${examples(found.accepted)}; rebinding names led to ${found.rebound} connections to the allowed address; ` +
          `${found.redirected} redirects not followed; controls: ${control.figure}`,
        holds:
          found.stray.length + reachedOwn + found.accepted.length === 0 &&
          found.targets / rounds >= 200 &&
          found.rebound > 0 &&
          found.redirected === rounds * redirects.length * network.redirectTargets().length &&
          control.holds,
      };
    } finally {
      record.stop();
      dns.close();
      network.close();
    }
  },
};

function examples(found: string[]): string {
  const shown = found.slice(0, 3).map((one) => ` [${one}]`);
  return shown.join("");
}

interface Fixture {
  network: Network;
  record: ConnectRecord;
  open: Outbound;
  strict: Outbound;
}

type Network = Awaited<ReturnType<typeof openNetwork>>;

/** Listeners with one port on all addresses, and names in DNS for every hostile address. */
async function openNetwork() {
  const behave: Parameters<typeof aReceiver>[0] = (socket, received) => {
    if (!isComplete(received)) return;
    const [, status, target = ""] = /^POST \/redirect\/(\d+)\/(\S+)/.exec(received) ?? [];
    const location = { location: decodeURIComponent(target) };
    socket.end(status === undefined ? anAnswer(200, "reached") : anAnswer(Number(status), "", location));
  };
  const port = await freePort();
  const allowed = await aReceiver(behave, { host: allowedAddress, port });
  const own: WebhookReceiver[] = [];
  for (const host of ownAddresses) own.push(await aReceiver(behave, { host, port }));
  const addressesOf = namesOfAttackers();
  const asked = new Map<string, number>();
  const answer: Script = ({ name, type }) => {
    const count = (asked.get(`${type} ${name}`) ?? 0) + 1;
    asked.set(`${type} ${name}`, count);
    if (name.startsWith("rebind")) {
      const moved = name.includes("6") ? "::1" : "127.0.0.1";
      return { answers: recordsOf(name, type, [count % 2 === 1 ? allowedAddress : moved]) };
    }
    const alias = /^alias-(.+)$/.exec(name)?.[1];
    const cname: Answer[] = alias === undefined ? [] : [{ type: "CNAME", name, ttl: 0, data: alias }];
    return { answers: [...cname, ...recordsOf(alias ?? name, type, addressesOf.get(alias ?? name) ?? [])] };
  };
  return {
    port,
    answer,
    names: [...addressesOf.keys()].flatMap((name) => [name, `alias-${name}`, `${name}.`]),
    allowed,
    redirectTargets: () => [
      ...ownAddresses.map((host) => `http://${host.includes(":") ? `[${host}]` : host}:${port}/`),
      "http://169.254.169.254/latest/meta-data/",
      `//127.0.0.1:${port}/`,
    ],
    connectionsOfOwn: () => own.reduce((sum, receiver) => sum + receiver.connections(), 0),
    close() {
      for (const receiver of [allowed, ...own]) receiver.close();
    },
  };
}

/** A name for each hostile address alone, and for each beside public addresses, in both orders. */
function namesOfAttackers(): Map<string, string[]> {
  const all = [...hostileIpv4, ...hostileIpv6];
  return new Map(
    all.flatMap((address, index): [string, string[]][] => [
      [`alone-${index}.attack.test`, [address]],
      [`mixed-${index}.attack.test`, index % 2 === 0 ? [...publicAddresses, address] : [address, ...publicAddresses]],
    ]),
  );
}

function recordsOf(name: string, type: string, addresses: string[]): Answer[] {
  const ofFamily = addresses.filter((address) => address.includes(":") === (type === "AAAA"));
  return ofFamily.map((data) => ({ type: type === "AAAA" ? "AAAA" : "A", name, ttl: 0, data }));
}

/** All targets for an account without networks: nothing may be connected at all. */
async function tryHostile({ network, record, open, strict }: Fixture, round: number) {
  const { port, names } = network;
  const literals = [...hostileIpv4.flatMap(spellingsOf), ...hostileIpv6.map((address) => `[${address}]`)];
  const tricky = [`127.0.0.1:${port}`, `[::1]:${port}`, "169.254.169.254"].flatMap((goal) =>
    trickyAuthorities(goal, "alone-0.attack.test"),
  );
  const authorities = [
    ...[...literals, ...names, ...localNames].map((host) => (round % 2 === 1 ? `${host}:${port}` : host)),
    ...tricky,
  ];
  record.take();
  const accepted: string[] = [];
  await inParallel(authorities, async (authority) => {
    for (const [outbound, url] of [
      [open, `http://${authority}/`],
      [open, `https://${authority}/`],
      [strict, `https://${authority.replace(`:${port}`, "")}/`],
    ] as const) {
      if (isDelivered(await post(outbound, "outside", url, []))) accepted.push(url);
    }
  });
  return { targets: authorities.length, stray: record.take(), accepted };
}

/** For an account with one network: rebinding names and redirects, from and to the allowed address. */
async function tryFromInside({ network, record, open }: Fixture) {
  const { port, redirectTargets } = network;
  const rebinding = Array.from({ length: 40 }, (_, index) => `rebind-${index % 4}.${index % 8 < 4 ? "v4" : "v6"}.test`);
  record.take();
  await inParallel(rebinding, (name) => post(open, "inside", `http://${name}:${port}/`, allowedNetworks));
  const rebound = record.take();
  const accepted: string[] = [];
  let redirected = 0;
  const paths = redirects.flatMap((status) =>
    redirectTargets().map((target) => `redirect/${status}/${encodeURIComponent(target)}`),
  );
  await inParallel(paths, async (path) => {
    const url = `http://${allowedAddress}:${port}/${path}`;
    const answer = await post(open, "inside", url, allowedNetworks);
    if (answer.failure?.includes("does not follow redirects")) redirected++;
    if (isDelivered(answer)) accepted.push(url);
  });
  const neighbours = ["127.0.0.1", "127.0.0.3", "[::1]", "[::ffff:127.0.0.2]", "[64:ff9b::127.0.0.2]", "[::127.0.0.2]"];
  await inParallel(neighbours, async (host) => {
    const url = `http://${host}:${port}/`;
    if (isDelivered(await post(open, "inside", url, allowedNetworks))) accepted.push(url);
  });
  const isAllowed = (attempt: string) => attempt === `${allowedAddress} ${port}`;
  const all = [...rebound, ...record.take()];
  return {
    targets: rebinding.length + paths.length + neighbours.length,
    stray: all.filter((attempt) => !isAllowed(attempt)),
    accepted,
    rebound: rebound.filter(isAllowed).length,
    redirected,
  };
}

/** The same spellings and names do connect once the operator allows them, and the record sees every connection: so a hole would show. */
async function runControls({ network, record, open }: Fixture) {
  const { port, names } = network;
  const before = network.connectionsOfOwn();
  const literals = spellingsOf("127.0.0.1").filter((spelling) => !spelling.startsWith("["));
  const loopback = `alone-${hostileIpv4.indexOf("127.0.0.1")}.attack.test`;
  const hosts = [...literals, "[::1]", ...names.filter((name) => name.includes(loopback))];
  record.take();
  let delivered = 0;
  await inParallel(hosts, async (host) => {
    if (isDelivered(await post(open, "operator", `http://${host}:${port}/`, ["127.0.0.0/8", "::1/128"]))) delivered++;
  });
  const recorded = record.take().length;
  const direct = connect(port, "127.0.0.1");
  await once(direct, "connect");
  direct.destroy();
  const seesOthers = record.take().includes(`127.0.0.1 ${port}`);
  // The listener counts a connection after the client has it.
  const ownConnections = await settled(() => network.connectionsOfOwn() - before, hosts.length + 1);
  return {
    figure: `${delivered} of ${hosts.length} loopback targets delivered when allowed, ${recorded} connections recorded`,
    holds: delivered === hosts.length && recorded === hosts.length && seesOthers && ownConnections === hosts.length + 1,
    ownConnections: before + ownConnections,
  };
}

async function settled(count: () => number, expected: number): Promise<number> {
  for (let tries = 0; tries < 100 && count() < expected; tries++) await new Promise((wake) => setTimeout(wake, 20));
  return count();
}

function post(outbound: Outbound, accountId: string, url: string, networks: string[]): Promise<OutboundAnswer> {
  return outbound.post({ accountId, url, headers: {}, body: "{}", allowedNetworks: networks });
}

function isDelivered({ status, failure }: OutboundAnswer): boolean {
  return status === 200 || failure === undefined;
}

async function inParallel<Item>(items: readonly Item[], work: (item: Item) => Promise<unknown>): Promise<void> {
  const queue = items.values();
  const runNext = async () => {
    for (const item of queue) await work(item);
  };
  await Promise.all(Array.from({ length: concurrency }, runNext));
}
