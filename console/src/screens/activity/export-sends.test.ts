import { expect, test } from "vitest";
import { toCsv } from "../../parts/csv.ts";
import { aSend } from "../send/send-fixture.ts";
import { sendRows } from "./export-sends.ts";

test("the file has what is shown, and a subject is no formula", () => {
  const send = aSend({
    status: "bounced",
    subject: '=HYPERLINK("http://x")',
    to_addresses: ["a@x.example", "b@x.example"],
  });
  const [, line = ""] = toCsv(sendRows([send], () => ({ status: "delivered", isOfSend: false }))).split("\r\n");
  expect(line).toMatch(/^delivered,bounced,a@x\.example b@x\.example,"'=HYPERLINK\(""http:\/\/x""\)",/);
});
