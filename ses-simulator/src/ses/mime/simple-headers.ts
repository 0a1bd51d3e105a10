import type { Header } from "../../ledger/ledger-record.ts";
import type { SendRequest } from "../send-request.ts";

/** The headers that SES adds to a mail made from `Content.Simple`, in the order of SES. */
export function simpleHeaders(
  request: Pick<SendRequest, "from" | "replyTo" | "destination"> & {
    content: { subject: string; headers: Header[] };
  },
): Header[] {
  const { from, replyTo, destination, content } = request;
  const lines: [name: string, values: string[]][] = [
    ["From", [from]],
    ["Reply-To", replyTo],
    ["To", destination.to],
    ["Cc", destination.cc],
    ["Subject", [encodeWord(content.subject)]],
    ["MIME-Version", ["1.0"]],
  ];
  const sesHeaders = lines
    .filter(([, values]) => values.length > 0)
    .map(([name, values]) => ({ name, value: values.join(", ") }));
  return [...sesHeaders, ...content.headers];
}

/** Encodes header text outside ASCII as RFC 2047 defines. */
export function encodeWord(text: string): string {
  return /^[\x20-\x7e]*$/.test(text) ? text : `=?UTF-8?B?${Buffer.from(text).toString("base64")}?=`;
}
