import type { Finding, Proof, ProofTools } from "../../scripts/proof.ts";
import { addressesIn, headerValue } from "../../ses-simulator/src/ses/mime/parse-headers.ts";
import { simpleHeaders } from "../../ses-simulator/src/ses/mime/simple-headers.ts";
import { readSendRequest, type SendRequest } from "../../ses-simulator/src/ses/send-request.ts";
import {
  type Address,
  type AddressProblem,
  type ParsedMailbox,
  parseAddress,
  parseMailbox,
} from "../src/mail-address.ts";
import { sendEmailInput } from "../src/provider/ses/submit/send-email-input.ts";
import {
  aMail,
  aSmuggledMail,
  hasControl,
  isDotAtom,
  type Pair,
  receivedAsChecked,
  smuggleFields,
} from "./addresses/address-mail.ts";
import { type SentSample, sendSample } from "./addresses/address-sample.ts";
import { readEncodedMailbox } from "./addresses/encoded-mailbox.ts";
import { type AddressCase, createAddressCases } from "./addresses/hostile-addresses.ts";
import { slowestParse } from "./addresses/slowest-parse.ts";

const fullSize = 1_000_000;
/** The recipient until the first generated one is accepted. */
const { address: firstRecipient } = required(parseMailbox("customer@example.test"));

export const proof: Proof = {
  promise: "SES receives exactly the address that the service checked, and never a control character",
  covers: [
    "service/proofs/addresses",
    "service/src/host-name.ts",
    "service/src/mail-address.ts",
    "service/src/plain-text.ts",
    "service/src/provider/ses/submit",
    "ses-simulator/src/ses",
  ],
  size: { small: 15_000, full: fullSize },
  run: async (size, { progress }) => {
    const seed = Date.now() % 2 ** 31;
    const { tally, sample } = tryAll(size, seed, progress);
    const sent = await sendSample(sample, progress);
    return evaluate(size, seed, { tally, sent, slowest: slowestParse() });
  },
};

interface Tally {
  recipients: number;
  senders: number;
  refused: number;
  wellFormed: number;
  misread: number;
  refusedBySes: number;
  readDifferently: number;
  namesChanged: number;
  withControl: number;
  controlsAccepted: number;
  examples: string[];
}

function evaluate(
  size: number,
  seed: number,
  found: { tally: Tally; sent: SentSample; slowest: ReturnType<typeof slowestParse> },
): Finding {
  const { tally, sent, slowest } = found;
  const broken =
    tally.misread + tally.refusedBySes + tally.readDifferently + tally.namesChanged + tally.controlsAccepted;
  return {
    figure:
      `${size} texts, seed ${seed}: ${tally.recipients} accepted as recipient and ${tally.senders} as sender, ` +
      `${tally.refused} as neither; of the accepted, SES's rules refuse ${tally.refusedBySes}, ` +
      `${tally.readDifferently} parse there as another address, ${tally.namesChanged} names changed by their encoding; ` +
      `${tally.controlsAccepted} of ${tally.withControl} texts with a control character accepted; ` +
      `${tally.misread} of ${tally.wellFormed} well-formed texts refused or misread; over HTTP ${sent.refused} of ` +
      `${sent.mails} refused, ${sent.different} arrived differently, ${sent.smuggled} of ${sent.attempts} with a control ` +
      `character arrived, ${sent.uncounted} unexpected mails; slowest parse ${slowest.at64KbMs.toFixed(4)} ms at 64 KB, ` +
      `${slowest.atBoundMs.toFixed(4)} ms at 1,000 characters` +
      tally.examples.map((example) => `\n${example}`).join(""),
    holds:
      broken + sent.refused + sent.different + sent.smuggled + sent.uncounted === 0 &&
      // With fewer cases of a kind the run would prove nothing.
      Math.min(tally.recipients, tally.senders, tally.refused, tally.wellFormed, tally.withControl) > size / 10 &&
      sent.mails >= 50 &&
      slowest.at64KbMs <= 1 &&
      slowest.atBoundMs <= 1,
  };
}

/** Treats every text as a request does: parses it, builds a SendEmail input, and reads that with the simulator's SendEmail parser. */
function tryAll(size: number, seed: number, progress: ProofTools["progress"]): { tally: Tally; sample: Pair[] } {
  const next = createAddressCases(seed);
  const tally = newTally();
  const sample: Pair[] = [];
  const sampleEvery = size === fullSize ? 1000 : Math.floor(size / 50);
  let recipient = firstRecipient;
  for (let tried = 1; tried <= size; tried++) {
    const addressCase = next();
    const [asRecipient, asSender] = [parseAddress(addressCase.text), parseMailbox(addressCase.text)];
    countParsed(tally, addressCase, asRecipient, asSender);
    if (!("problem" in asRecipient)) recipient = asRecipient;
    // Every accepted recipient is also an accepted sender, so this checks each accepted text.
    if (!("problem" in asSender)) {
      checkMail(tally, { recipient, sender: asSender });
      if (sample.length < tried / sampleEvery) sample.push({ recipient, sender: asSender });
    }
    if (hasControl(addressCase.text) && !guardThrows(addressCase.text, tried)) {
      fail(tally, "controlsAccepted", `passed the guard: ${addressCase.text}`);
    }
    progress(`${tried} of ${size}, seed ${seed}`);
  }
  return { tally, sample };
}

function countParsed(
  tally: Tally,
  { text, wellFormed }: AddressCase,
  asRecipient: Address | AddressProblem,
  asSender: ParsedMailbox | AddressProblem,
): void {
  const recipient = "problem" in asRecipient ? undefined : asRecipient;
  const sender = "problem" in asSender ? undefined : asSender;
  if (recipient !== undefined) tally.recipients++;
  if (sender !== undefined) tally.senders++;
  else tally.refused++;
  if (recipient !== undefined && recipient.ascii !== sender?.address.ascii) {
    fail(tally, "misread", `parsed differently as recipient and as sender: ${text}`);
  }
  if (hasControl(text)) {
    tally.withControl++;
    if (sender !== undefined) fail(tally, "controlsAccepted", text);
  }
  if (wellFormed === undefined) return;
  tally.wellFormed++;
  const isRight =
    sender?.address.ascii === wellFormed.ascii &&
    sender.name === wellFormed.name &&
    recipient?.ascii === (wellFormed.isBare ? wellFormed.ascii : undefined);
  if (!isRight) fail(tally, "misread", `${text} as ${JSON.stringify(asSender)}`);
}

function checkMail(tally: Tally, { recipient, sender }: Pair): void {
  let request: SendRequest;
  try {
    // The SDK's command input has the field names of the API.
    request = readSendRequest(
      sendEmailInput(aMail(recipient, sender)) as unknown as Parameters<typeof readSendRequest>[0],
    );
  } catch (error) {
    fail(tally, "refusedBySes", `${sender.given}: ${String(error)}`);
    return;
  }
  const { from, replyTo, destination } = request;
  if (!isDotAtom(sender.address.ascii)) fail(tally, "refusedBySes", `not a dot-atom: ${sender.given}`);
  if (!receivedAsChecked({ from, replyTo, destination }, { recipient, sender })) {
    fail(tally, "readDifferently", `${sender.given} or ${recipient.given} as ${from} and ${destination.to.join(" ")}`);
  }
  const names = [from, ...replyTo].map((text) => readEncodedMailbox(text)?.name);
  if (names.some((name) => name !== sender.name)) fail(tally, "namesChanged", `${sender.given} as ${names.join(" ")}`);
  // A program that splits the address list of a header must find the right number of addresses.
  const headers = simpleHeaders(request);
  for (const [header, count] of [
    ["from", 1],
    ["reply-to", 1],
    ["to", 2],
  ] as const) {
    const value = headerValue(headers, header) ?? "";
    if (addressesIn(value).length !== count || hasControl(value)) fail(tally, "readDifferently", `${header}: ${value}`);
  }
}

function newTally(): Tally {
  const counts = { recipients: 0, senders: 0, refused: 0, wellFormed: 0, misread: 0, refusedBySes: 0 };
  return { ...counts, readDifferently: 0, namesChanged: 0, withControl: 0, controlsAccepted: 0, examples: [] };
}

function fail(tally: Tally, counter: Exclude<keyof Tally, "examples">, example: string): void {
  tally[counter]++;
  if (tally.examples.length < 10) tally.examples.push(`${counter}: ${JSON.stringify(example)}`);
}

/** A bug in the service could skip the parser, so every text also tests the final guard, in each field in rotation. */
function guardThrows(text: string, caseNumber: number): boolean {
  try {
    sendEmailInput(aSmuggledMail(text, caseNumber % smuggleFields));
    return false;
  } catch {
    return true;
  }
}

function required(parsed: ParsedMailbox | AddressProblem): ParsedMailbox {
  if ("problem" in parsed) throw new Error(parsed.problem);
  return parsed;
}
