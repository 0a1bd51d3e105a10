import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { isDeepStrictEqual } from "node:util";
import type { Proof, ProofTools } from "../../scripts/proof.ts";
import type { FeedbackPush, PushReading } from "../src/provider/feedback.ts";
import { createFeedbackPush } from "../src/provider/ses/feedback/feedback-push.ts";
import { anSnsSigner, signed, snsFields } from "../test/sns-signer.ts";
import {
  createForgeries,
  type ForgeryMaterial,
  forgeryMethods,
  genuineKinds,
  genuineMessages,
} from "./forgery/forged-notifications.ts";
import { hostileUrls } from "./forgery/hostile-urls.ts";
import { recordConnections } from "./proxies/connection-recorder.ts";

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
    "Every forged notification is refused, every genuine one accepted, and only the certificate host is ever contacted",
  covers: ["service/proofs/forgery", "service/src/provider/ses/feedback"],
  size: { small: 2_000, full: 100_000 },
  async run(size, { progress }) {
    const seed = Date.now() % 2 ** 31;
    const decoy = await aServer((_, response) => response.end("stolen"));
    const [sns, attacker] = [await anSnsSigner(), await anSnsSigner()];
    const urls = hostileUrls(host, sns.path, decoy.url);
    const material = { sns, attacker, origin, topicArn, otherTopics, hostileUrls: urls };
    const recorder = recordConnections();
    try {
      const receiver = pushWithCertificate(material);
      const genuine = genuineMessages(material, Math.max(60, size / 50));
      const refused = await countRefused(
        receiver.push,
        genuine.map((fields) => JSON.stringify(fields)),
      );
      const forged = await readForgeries({
        push: receiver.push,
        next: createForgeries(material, genuine, seed),
        size,
        progress,
      });
      const fetchedUrls = await countFetched(receiver.push, material);
      const beforeRealFetches = recorder.attempts().length;
      const real = await tryRealFetches(material, decoy.url);
      const strayFetches = receiver.fetched.filter((url) => !isAllowed(url)).length;
      const stray = recorder.attempts().filter((attempt) => !real.allowed.includes(attempt));
      return {
        figure:
          `${forged.accepted.length} of ${size} forged accepted${forged.accepted
            .slice(0, 3)
            .map((name) => ` [${name}]`)
            .join("")} ` +
          `(seed ${seed}, ${forged.methods} of ${forgeryMethods.length} methods; ${forged.harmless} more changed only unused bytes), ` +
          `${refused} of ${genuine.length} genuine of ${genuineKinds.length} kinds refused; of ${urls.length} hostile URLs ` +
          `${fetchedUrls} were fetched as SubscribeURL or SigningCertURL; ${stray.length} connections and ${strayFetches} of ` +
          `${receiver.fetched.length} fetches went to other hosts, ${decoy.requests()} requests reached the decoy; real fetches: ${real.figure}`,
        holds:
          forged.accepted.length + refused + fetchedUrls + stray.length + strayFetches + decoy.requests() === 0 &&
          forged.methods === forgeryMethods.length &&
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

/** The production rules with a fetcher that returns the one genuine certificate and records each URL. */
function pushWithCertificate({ sns }: ForgeryMaterial): { push: FeedbackPush; fetched: string[] } {
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
  return readings.filter((reading) => !isAccepted(reading)).length;
}

interface ForgeryRun {
  push: FeedbackPush;
  next: ReturnType<typeof createForgeries>;
  size: number;
  progress: ProofTools["progress"];
}

/** A flipped bit in bytes that are neither signed nor read gives the same message, which is not a forgery. */
async function readForgeries({ push, next, size, progress }: ForgeryRun) {
  const accepted: string[] = [];
  const methods = new Set<string>();
  let harmless = 0;
  for (let tries = 0; tries < size; ) {
    const { name, text, original } = next();
    const reading = await push.read(text);
    const isSame =
      isAccepted(reading) && name === "flip a bit of the text" && isDeepStrictEqual(reading, await push.read(original));
    if (isSame) harmless++;
    else {
      tries++;
      methods.add(name);
      if (isAccepted(reading)) accepted.push(name);
    }
    progress(`${tries} of ${size} forged, ${accepted.length} accepted`);
  }
  return { accepted, harmless, methods: methods.size };
}

/** With a valid signature, a hostile SubscribeURL is still a confirmation, because the service never uses the URL. */
async function countFetched(push: FeedbackPush, material: ForgeryMaterial): Promise<number> {
  let fetchedUrls = 0;
  for (const url of material.hostileUrls) {
    const fields = snsFields("SubscriptionConfirmation", topicArn, { SubscribeURL: url });
    const byLink = await push.read(JSON.stringify(signed(material.sns, origin, fields)));
    const isRead = byLink.kind === "confirmation" || /[\r\n]/.test(url);
    const byCertificate = await push.read(
      JSON.stringify({ ...signed(material.sns, origin, fields), SigningCertURL: url }),
    );
    if (!isRead || byCertificate.kind !== "refused") fetchedUrls++;
  }
  return fetchedUrls;
}

/** Uses the production fetcher against two local servers: one returns the certificate, the other redirects. */
async function tryRealFetches(material: ForgeryMaterial, decoyUrl: string) {
  const { sns } = material;
  const honest = await aServer((_, response) => response.end(sns.certificate));
  const redirecting = await aServer((_, response) =>
    response.writeHead(302, { location: `${decoyUrl}${sns.path}` }).end(),
  );
  try {
    const [direct, redirected] = await Promise.all(
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
    const otherHost = await decoyPush.read(JSON.stringify(signed(sns, decoyUrl, snsFields("Notification", topicArn))));
    return {
      figure: `${direct?.kind} from the certificate host, ${redirected?.kind} from a host that redirects, ${otherHost.kind} from another host`,
      allowed: [honest, redirecting].map(({ url }) => new URL(url).host),
      holds:
        direct?.kind === "notification" &&
        redirected?.kind === "cannot-check" &&
        otherHost.kind === "refused" &&
        honest.requests() === 1 &&
        redirecting.requests() === 1,
    };
  } finally {
    honest.close();
    redirecting.close();
  }
}

function isAccepted({ kind }: PushReading): boolean {
  return kind === "notification" || kind === "confirmation" || kind === "unsubscribed";
}

function isAllowed(url: string): boolean {
  return url.startsWith(`${origin}/SimpleNotificationService-`) && new URL(url).host === host;
}

async function aServer(answer: RequestListener) {
  let requests = 0;
  const server = createServer((request, response) => {
    requests++;
    answer(request, response);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo; // A listening TCP server has no other kind of address.
  return {
    url: `http://127.0.0.1:${port}`,
    requests: () => requests,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
