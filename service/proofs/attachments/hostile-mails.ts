import { hash } from "node:crypto";
import type { Dice } from "../seeded-random.ts";

export interface SentFile {
  filename: string;
  content: string;
  content_type?: string | null;
  content_id?: string | null;
}

export interface HostileMail {
  attachments: SentFile[];
  headers: Record<string, string>;
  /** The fields that the API must refuse, all of them at once; empty when it must accept the mail. */
  wrongFields: string[];
  /** What the provider must receive. */
  files: { filename: string; type: string; id: string | undefined; sha256: string }[];
}

/** A mail that lets a line of its own into a header shows this header. */
export const injected = "X-Injected";

const names = [
  "receipt.pdf",
  "Rechnung für Jörg.pdf",
  "領収書 2026.pdf",
  "👩‍👩‍👧 family.png",
  `${injected}: 1.txt`,
  `%0d%0a${injected}: 1.txt`,
  'say "hi".txt',
  "a;filename=b.pdf",
  "a'b''c.pdf",
  "=?utf-8?q?=0D=0AX-Injected:_1?=.pdf",
  ".hidden",
  "no extension",
  "a.exe.zip",
  "two  spaces .txt",
  `${"n".repeat(251)}.pdf`,
];
const wrongNames = [
  `a\r\n${injected}: 1`,
  `a\n${injected}: 1.txt`,
  `a\r${injected}: 1.txt`,
  `a\u0085${injected}: 1.txt`,
  `a\u2028${injected}: 1.txt`,
  "../../etc/passwd",
  "C:\\boot.txt",
  "photo\u202egpj.txt",
  "run.EXE",
  "run.js. ",
  "",
  "..",
  "n".repeat(256),
];
const types = [
  undefined,
  null,
  "application/pdf",
  "text/plain; charset=utf-8",
  "text/calendar; method=REQUEST",
  'application/x-a; name="a; b"',
  "image/svg+xml",
  "text/html",
];
const wrongTypes = [
  `text/plain\r\n${injected}: 1`,
  `text/plain; charset=utf-8\n${injected}: 1`,
  "multipart/mixed; boundary=b",
  "message/rfc822",
  "text",
  "text/plain; charset",
  `application/${"x".repeat(78)}`,
  "",
];
const ids = [undefined, null, "logo", "image.1@acme.io", "a%b+c-d"];
const wrongIds = ["<logo>", "a b", `a\r\n${injected}: 1`, "a@b@c", "", "i".repeat(79)];
const headers: Record<string, string>[] = [
  {},
  {},
  { "X-Order-Id": "1001" },
  {
    "List-Unsubscribe": "<mailto:off@acme.io>, <https://acme.io/off?u=1>",
    "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
  },
  { References: "<a@b.io> <c@d.io>", "X-Quoted": `"a" ${injected}: 1` },
];
const wrongHeaders: Record<string, string>[] = [
  { "X-A": `1\r\n${injected}: 1` },
  { "X-A": `1\n${injected}: 1` },
  { [`X-A: 1\r\n${injected}`]: "1" },
  { Bcc: "eve@example.io" },
  { "Content-Type": "text/plain" },
  { "X-SES-CONFIGURATION-SET": "other" },
  { "x-amzn-trace": "1" },
  { "X-Postern-Id": "1" },
];

/** About half of the mails are valid. `bytesOf` makes the content of a file. */
export function makeMail(dice: Dice, bytesOf: (dice: Dice) => Buffer): HostileMail {
  const mail: HostileMail = { attachments: [], headers: {}, wrongFields: [], files: [] };
  const isHostile = dice.roll(2) === 0;
  const goesWrong = () => isHostile && dice.roll(4) === 0;
  const usedIds = new Set<string>();
  for (let part = 0; part < 1 + dice.roll(4); part++) {
    const wrong = (field: string) => mail.wrongFields.push(`attachments[${part}].${field}`);
    const choose = <Value>(field: string, good: readonly Value[], bad: readonly Value[]): Value => {
      if (!goesWrong()) return pick(dice, good);
      wrong(field);
      return pick(dice, bad);
    };
    const filename = choose("filename", names, wrongNames);
    const type = choose("content_type", types, wrongTypes);
    let id = choose("content_id", ids, wrongIds);
    // Another number could make a wrong one valid.
    if (id !== null && id !== undefined && usedIds.has(id) && ids.includes(id)) id = `${id}${part}`;
    if (id !== null && id !== undefined) usedIds.add(id);
    const bytes = bytesOf(dice);
    const encoded = bytes.toString("base64");
    const content = choose(
      "content",
      [encoded],
      [`${encoded}\n`, `${encoded}!`, `data:;base64,${encoded}`, `-_${encoded}`],
    );
    mail.attachments.push({
      filename,
      content,
      ...(type !== undefined && { content_type: type }),
      ...(id !== undefined && { content_id: id }),
    });
    const sha256 = hash("sha256", bytes, "hex");
    mail.files.push({ filename, type: type ?? "application/octet-stream", id: id ?? undefined, sha256 });
  }
  if (goesWrong()) {
    mail.headers = pick(dice, wrongHeaders);
    mail.wrongFields.push("headers");
  } else mail.headers = pick(dice, headers);
  return mail;
}

function pick<Value>(dice: Dice, values: readonly Value[]): Value {
  return values[dice.roll(values.length)] as Value;
}
