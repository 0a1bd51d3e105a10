import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { isDeepStrictEqual } from "node:util";
import type { Proof, ProofTools } from "../../scripts/proof.ts";
import type { FeedbackPush, PushReading } from "../src/provider/feedback.ts";
import { createFeedbackPush } from "../src/provider/ses/feedback/feedback-push.ts";
import { anSnsSigner, signed, snsFields } from "../test/sns-signer.ts";
import { recordConnections } from "./connection-recorder.ts";
import {
  createForgeries,
  type ForgeryMaterial,
  genuineKinds,
  genuineMessages,
  trickNames,
} from "./forged-notifications.ts";
import { hostileUrls } from "./hostile-urls.ts";

const region = "eu-west-1";
const topicArn = `arn:aws:sns:${region}:123456789012:postern-AA`;
const host = `sns.${region}.amazonaws.com`;
const origin = `https://${host}`;
const otherTopics = [
  `arn:aws:sns:${region}:123456789012:postern-AB`,
  `arn:aws:sns:${region}:210987654321:postern-AA`,
  "arn:aws:sns:us-east-1:123456789012:postern-AA",
  `${topicArn}:6b0e71bd-7e97-4d97-80ce-4a0994e55286`,
  `${topicArn} `,
  topicArn.toUpperCase(),
];

export const proof: Proof = {
  promise:
    "No forged notification is believed, every genuine one is, and nothing but the certificate host is ever asked",
  size: { small: 2_000, full: 100_000 },
  async run(size, { progress }) {
    const seed = Date.now() % 2 ** 31;
    const decoy = await aServer((_, response) => response.end("stolen"));
    const [sns, stranger] = [await anSnsSigner(), await anSnsSigner()];
    const urls = hostileUrls(host, sns.path, decoy.url);
    const material = { sns, stranger, origin, topicArn, otherTopics, hostileUrls: urls };
    const recorder = recordConnections();
    try {
      const amazon = amazonDoor(material);
      const genuine = genuineMessages(material, Math.max(60, size / 50));
      const refused = await countRefused(
        amazon.push,
        genuine.map((fields) => JSON.stringify(fields)),
      );
      const forged = await playTricks({
        push: amazon.push,
        next: createForgeries(material, genuine, seed),
        size,
        progress,
      });
      const followed = await countFollowed(amazon.push, material);
      const beforeRealFetches = recorder.attempts().length;
      const real = await tryRealFetches(material, decoy.url);
      const strayFetches = amazon.fetched.filter((url) => !isAllowed(url)).length;
      const stray = recorder.attempts().filter((attempt) => !real.allowed.includes(attempt));
      return {
        figure:
          `${forged.accepted.length} of ${size} forged accepted${forged.accepted
            .slice(0, 3)
            .map((name) => ` [${name}]`)
            .join("")} ` +
          `(seed ${seed}, ${forged.played} of ${trickNames.length} tricks; ${forged.harmless} more changed only what nobody reads), ` +
          `${refused} of ${genuine.length} genuine of ${genuineKinds.length} kinds refused; of ${urls.length} hostile addresses ` +
          `${followed} were followed as SubscribeURL or SigningCertURL; ${stray.length} connections and ${strayFetches} of ` +
          `${amazon.fetched.length} fetches went elsewhere, ${decoy.visits()} visits to the decoy; real fetches: ${real.figure}`,
        holds:
          forged.accepted.length + refused + followed + stray.length + strayFetches + decoy.visits() === 0 &&
          forged.played === trickNames.length &&
          urls.length >= 500 &&
          beforeRealFetches === 0 &&
          real.holds,
      };
    } finally {
      recorder.stop();
      decoy.close();
    }
  },
};

/** Real rules, and a fetcher that hands out the one certificate there is and writes down what it is asked for. */
function amazonDoor({ sns }: ForgeryMaterial): { push: FeedbackPush; fetched: string[] } {
  const fetched: string[] = [];
  const fetch = async (url: string) => {
    fetched.push(url);
    if (url !== `${origin}${sns.path}`) throw new Error("the answer is 404");
    return sns.certificate;
  };
  return { push: createFeedbackPush({ region, endpoint: undefined, topicArns: [topicArn], fetch }), fetched };
}

async function countRefused(push: FeedbackPush, texts: string[]): Promise<number> {
  const readings = await Promise.all(texts.map((text) => push.read(text)));
  return readings.filter((reading) => !isBelieved(reading)).length;
}

interface Play {
  push: FeedbackPush;
  next: ReturnType<typeof createForgeries>;
  size: number;
  progress: ProofTools["progress"];
}

/** A changed bit in what is neither signed nor read leaves the very same message; that is no forgery. */
async function playTricks({ push, next, size, progress }: Play) {
  const accepted: string[] = [];
  const played = new Set<string>();
  let harmless = 0;
  for (let tries = 0; tries < size; ) {
    const { name, text, original } = next();
    const reading = await push.read(text);
    const isSame =
      isBelieved(reading) && name === "a bit of the text" && isDeepStrictEqual(reading, await push.read(original));
    if (isSame) harmless++;
    else {
      tries++;
      played.add(name);
      if (isBelieved(reading)) accepted.push(name);
    }
    progress(`${tries} of ${size} forged, ${accepted.length} accepted`);
  }
  return { accepted, harmless, played: played.size };
}

/** Rightly signed with such a SubscribeURL it is a confirmation all the same: the address is never used. */
async function countFollowed(push: FeedbackPush, material: ForgeryMaterial): Promise<number> {
  let followed = 0;
  for (const url of material.hostileUrls) {
    const fields = snsFields("SubscriptionConfirmation", topicArn, { SubscribeURL: url });
    const byLink = await push.read(JSON.stringify(signed(material.sns, origin, fields)));
    const isRead = byLink.kind === "confirmation" || /[\r\n]/.test(url);
    const byCertificate = await push.read(
      JSON.stringify({ ...signed(material.sns, origin, fields), SigningCertURL: url }),
    );
    if (!isRead || byCertificate.kind !== "refused") followed++;
  }
  return followed;
}

/** The fetcher of production, as it is used with the simulator: one host that is honest and one that redirects. */
async function tryRealFetches(material: ForgeryMaterial, decoyUrl: string) {
  const { sns } = material;
  const honest = await aServer((_, response) => response.end(sns.certificate));
  const redirecting = await aServer((_, response) =>
    response.writeHead(302, { location: `${decoyUrl}${sns.path}` }).end(),
  );
  try {
    const [straight, bent] = await Promise.all(
      [honest, redirecting].map(({ url }) => {
        const push = createFeedbackPush({ region, endpoint: url, topicArns: [topicArn], certificateOrigin: url });
        return push.read(JSON.stringify(signed(sns, url, snsFields("Notification", topicArn))));
      }),
    );
    const decoyPush = createFeedbackPush({
      region,
      endpoint: undefined,
      topicArns: [topicArn],
      certificateOrigin: honest.url,
    });
    const elsewhere = await decoyPush.read(JSON.stringify(signed(sns, decoyUrl, snsFields("Notification", topicArn))));
    return {
      figure: `${straight?.kind} from the right host, ${bent?.kind} from one that redirects, ${elsewhere.kind} from another`,
      allowed: [honest, redirecting].map(({ url }) => new URL(url).host),
      holds:
        straight?.kind === "notification" &&
        bent?.kind === "cannot-check" &&
        elsewhere.kind === "refused" &&
        honest.visits() === 1 &&
        redirecting.visits() === 1,
    };
  } finally {
    honest.close();
    redirecting.close();
  }
}

function isBelieved({ kind }: PushReading): boolean {
  return kind === "notification" || kind === "confirmation" || kind === "unsubscribed";
}

function isAllowed(url: string): boolean {
  return url.startsWith(`${origin}/SimpleNotificationService-`) && new URL(url).host === host;
}

async function aServer(answer: RequestListener) {
  let visits = 0;
  const server = createServer((request, response) => {
    visits++;
    answer(request, response);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo; // A listening TCP server has no other kind of address.
  return {
    url: `http://127.0.0.1:${port}`,
    visits: () => visits,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
