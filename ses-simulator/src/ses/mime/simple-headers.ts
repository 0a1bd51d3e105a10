import type { Header } from "../../ledger/ledger-record.ts";
import type { SendRequest } from "../send-request.ts";

/** The headers SES puts on a mail made from `Content.Simple`, in the order it puts them. */
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
  const own = lines
    .filter(([, values]) => values.length > 0)
    .map(([name, values]) => ({ name, value: values.join(", ") }));
  return [...own, ...content.headers];
}

/** RFC 2047, for header text outside ASCII. */
function encodeWord(text: string): string {
  return /^[\x20-\x7e]*$/.test(text) ? text : `=?UTF-8?B?${Buffer.from(text).toString("base64")}?=`;
}
