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
import { aMail, arrivedAsChecked, aSmuggledMail, fields, hasControl, isDotAtom, type Pair } from "./address-mail.ts";
import { type SentSample, sendSample } from "./address-sample.ts";
import { readEncodedMailbox } from "./encoded-mailbox.ts";
import { createSpecimens, type Specimen } from "./hostile-addresses.ts";
import { slowestParse } from "./slowest-parse.ts";

const fullSize = 1_000_000;
/** Before the first one is accepted. */
const { address: someone } = required(parseMailbox("customer@example.test"));

export const proof: Proof = {
  promise: "The address that is checked is the address SES gets, and no control character gets that far",
  size: { small: 15_000, full: fullSize },
  run: async (size, { progress }) => {
    const seed = Date.now() % 2 ** 31;
    const { tally, sample } = tryAll(size, seed, progress);
    const sent = await sendSample(sample, progress);
    return judge(size, seed, { tally, sent, slowest: slowestParse() });
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
  controlsLetThrough: number;
  examples: string[];
}

function judge(
  size: number,
  seed: number,
  found: { tally: Tally; sent: SentSample; slowest: ReturnType<typeof slowestParse> },
): Finding {
  const { tally, sent, slowest } = found;
  const broken =
    tally.misread + tally.refusedBySes + tally.readDifferently + tally.namesChanged + tally.controlsLetThrough;
  return {
    figure:
      `${size} texts, seed ${seed}: ${tally.recipients} accepted as recipient and ${tally.senders} as sender, ` +
      `${tally.refused} as neither; of the accepted, ${tally.refusedBySes} refused by SES's rules, ` +
      `${tally.readDifferently} read there as another address, ${tally.namesChanged} names changed by their encoding; ` +
      `${tally.controlsLetThrough} of ${tally.withControl} texts with a control character let through; ` +
      `${tally.misread} of ${tally.wellFormed} well-formed ones refused or misread; over HTTP ${sent.refused} of ` +
      `${sent.mails} refused, ${sent.different} arrived differently, ${sent.smuggled} of ${sent.attempts} with a control ` +
      `character arrived, ${sent.uncounted} mails too many; slowest parse ${slowest.at64KbMs.toFixed(4)} ms at 64 KB, ` +
      `${slowest.atBoundMs.toFixed(4)} ms at 1,000 characters` +
      tally.examples.map((example) => `\n${example}`).join(""),
    holds:
      broken + sent.refused + sent.different + sent.smuggled + sent.uncounted === 0 &&
      // Otherwise nothing was tried.
      Math.min(tally.recipients, tally.senders, tally.refused, tally.wellFormed, tally.withControl) > size / 10 &&
      sent.mails >= 50 &&
      slowest.at64KbMs <= 1 &&
      slowest.atBoundMs <= 1,
  };
}

/** Every text goes the way of a request: parsed, made into a SendEmail, and read by the function SendEmail reads it with. */
function tryAll(size: number, seed: number, progress: ProofTools["progress"]): { tally: Tally; sample: Pair[] } {
  const next = createSpecimens(seed);
  const tally = newTally();
  const sample: Pair[] = [];
  const sampleEvery = size === fullSize ? 1000 : Math.floor(size / 50);
  let recipient = someone;
  for (let tried = 1; tried <= size; tried++) {
    const specimen = next();
    const [asRecipient, asSender] = [parseAddress(specimen.text), parseMailbox(specimen.text)];
    note(tally, specimen, asRecipient, asSender);
    if (!("problem" in asRecipient)) recipient = asRecipient;
    // What is a recipient is a sender too, so each one accepted is looked at here.
    if (!("problem" in asSender)) {
      lookAt(tally, { recipient, sender: asSender });
      if (sample.length < tried / sampleEvery) sample.push({ recipient, sender: asSender });
    }
    if (hasControl(specimen.text) && !guardThrows(specimen.text, tried)) {
      fail(tally, "controlsLetThrough", `past the guard: ${specimen.text}`);
    }
    progress(`${tried} of ${size}, seed ${seed}`);
  }
  return { tally, sample };
}

function note(
  tally: Tally,
  { text, wellFormed }: Specimen,
  asRecipient: Address | AddressProblem,
  asSender: ParsedMailbox | AddressProblem,
): void {
  const recipient = "problem" in asRecipient ? undefined : asRecipient;
  const sender = "problem" in asSender ? undefined : asSender;
  if (recipient !== undefined) tally.recipients++;
  if (sender !== undefined) tally.senders++;
  else tally.refused++;
  if (recipient !== undefined && recipient.ascii !== sender?.address.ascii) {
    fail(tally, "misread", `a recipient that is another sender: ${text}`);
  }
  if (hasControl(text)) {
    tally.withControl++;
    if (sender !== undefined) fail(tally, "controlsLetThrough", text);
  }
  if (wellFormed === undefined) return;
  tally.wellFormed++;
  const isRight =
    sender?.address.ascii === wellFormed.ascii &&
    sender.name === wellFormed.name &&
    recipient?.ascii === (wellFormed.isBare ? wellFormed.ascii : undefined);
  if (!isRight) fail(tally, "misread", `${text} as ${JSON.stringify(asSender)}`);
}

function lookAt(tally: Tally, { recipient, sender }: Pair): void {
  let request: SendRequest;
  try {
    // The commands of the SDK are written in the words of the API.
    request = readSendRequest(
      sendEmailInput(aMail(recipient, sender)) as unknown as Parameters<typeof readSendRequest>[0],
    );
  } catch (error) {
    fail(tally, "refusedBySes", `${sender.given}: ${String(error)}`);
    return;
  }
  const { from, replyTo, destination } = request;
  if (!isDotAtom(sender.address.ascii)) fail(tally, "refusedBySes", `no dot-atom: ${sender.given}`);
  if (!arrivedAsChecked({ from, replyTo, destination }, { recipient, sender })) {
    fail(tally, "readDifferently", `${sender.given} or ${recipient.given} as ${from} and ${destination.to.join(" ")}`);
  }
  const names = [from, ...replyTo].map((text) => readEncodedMailbox(text)?.name);
  if (names.some((name) => name !== sender.name)) fail(tally, "namesChanged", `${sender.given} as ${names.join(" ")}`);
  // A program that splits the list of addresses in a header finds as many as there are.
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
  return { ...counts, readDifferently: 0, namesChanged: 0, withControl: 0, controlsLetThrough: 0, examples: [] };
}

function fail(tally: Tally, what: Exclude<keyof Tally, "examples">, example: string): void {
  tally[what]++;
  if (tally.examples.length < 10) tally.examples.push(`${what}: ${JSON.stringify(example)}`);
}

/** A bug might not ask the parser: the last guard is tried with every text, in one field after the other. */
function guardThrows(text: string, turn: number): boolean {
  try {
    sendEmailInput(aSmuggledMail(text, turn % fields));
    return false;
  } catch {
    return true;
  }
}

function required(parsed: ParsedMailbox | AddressProblem): ParsedMailbox {
  if ("problem" in parsed) throw new Error(parsed.problem);
  return parsed;
}
