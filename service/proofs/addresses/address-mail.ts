import type { Destination } from "../../../ses-simulator/src/ledger/ledger-record.ts";
import { domainOf, parseAddress as parseAsSes } from "../../../ses-simulator/src/ses/address.ts";
import type { Address, ParsedMailbox } from "../../src/mail-address.ts";
import type { OutgoingMail } from "../../src/provider/email-provider.ts";

/** An accepted recipient and an accepted sender, sent in one mail. */
export interface Pair {
  recipient: Address;
  sender: ParsedMailbox;
}

interface ReceivedMail {
  from: string;
  replyTo: string[];
  destination: Destination;
}

export const configurationSetName = "postern-AA";

/** The recipient is in every list. The sender is also in `to`, so that each text is checked as a recipient. */
export function aMail(recipient: Address, { name, address }: ParsedMailbox): OutgoingMail {
  const mailbox = { name, address: address.ascii };
  const { ascii } = recipient;
  return { ...plainMail({ from: mailbox, to: [ascii, address.ascii] }), replyTo: mailbox, cc: [ascii], bcc: [ascii] };
}

/** Compares what the simulator parsed, with its own parser, with what the service checked. */
export function receivedAsChecked({ from, replyTo, destination }: ReceivedMail, { recipient, sender }: Pair): boolean {
  const isSame = (text: string | undefined, { ascii, key, domain }: Address) => {
    const { spec } = parseAsSes(text ?? "");
    return spec === ascii && spec.toLowerCase() === key && domainOf(spec) === domain;
  };
  const { to, cc, bcc } = destination;
  return (
    isSame(from, sender.address) &&
    isSame(replyTo[0], sender.address) &&
    isSame(to[0], recipient) &&
    isSame(to[1], sender.address) &&
    isSame(cc[0], recipient) &&
    isSame(bcc[0], recipient) &&
    replyTo.length === 1 &&
    to.length + cc.length + bcc.length === 4
  );
}

/** The number of mail fields that `aSmuggledMail` can fill with unparsed text. */
export const smuggleFields = 8;

/** Puts the unparsed text into one field, as a bug in the service would. */
export function aSmuggledMail(text: string, field: number): OutgoingMail {
  const shop = { name: undefined, address: "orders@shop.test" };
  const mail = plainMail({ from: shop, to: ["customer@example.test"] });
  const changes: Partial<OutgoingMail>[] = [
    { from: { name: text, address: shop.address } },
    { from: { name: "Shop", address: text } },
    { replyTo: { name: text, address: shop.address } },
    { replyTo: { name: undefined, address: text } },
    { to: [...mail.to, text] },
    { cc: [text] },
    { bcc: [text] },
    { subject: text },
  ];
  return { ...mail, ...changes[field] };
}

function plainMail(given: Pick<OutgoingMail, "from" | "to">): OutgoingMail {
  return {
    ...given,
    cc: [],
    bcc: [],
    replyTo: undefined,
    subject: "Your order",
    html: undefined,
    text: "It is on its way.",
    configurationSetName,
    tags: { sendId: "0198c0de-0000-7000-8000-000000000000", attempt: 1 },
  };
}

/** A second implementation of the address grammar, independent of the parser. */
export function isDotAtom(ascii: string): boolean {
  const [local = "", domain = "", ...rest] = ascii.split("@");
  const atoms = local.split(".");
  const labels = domain.split(".");
  return (
    rest.length === 0 &&
    atoms.every((atom) => /^[\w!#$%&'*+/=?^`{|}~-]+$/.test(atom)) &&
    labels.length > 1 &&
    labels.every((label) => label.length < 64 && /^[a-z0-9]+(?:-+[a-z0-9]+)*$/.test(label)) &&
    /[a-z]/.test(labels.at(-1) ?? "") &&
    local.length <= 64 &&
    ascii.length <= 254
  );
}

export function hasControl(text: string): boolean {
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code < 32 || (code > 126 && code < 160) || code === 0x2028 || code === 0x2029) return true;
  }
  return false;
}
