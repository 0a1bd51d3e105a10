import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { quarantine } from "../../../../../service/src/feedback/quarantine-store.ts";
import { auditRows } from "../../../../../service/test/audit-rows.ts";
import { change } from "../../../../../service/test/send-rows.ts";
import { expectNoViolations } from "../../../../test/expect-no-violations.ts";
import { makeOperator } from "../../../../test/operator-person.ts";
import { useConsole } from "../../../../test/use-console.ts";

const ui = useConsole();

async function anEntry(): Promise<{ id: number; address: string }> {
  const address = `jane-${randomBytes(4).toString("hex")}@northwind.example`;
  const raw = JSON.stringify({ Type: "Notification", Message: JSON.stringify({ mail: { destination: [address] } }) });
  await quarantine(ui.db, [{ reason: "unreadable", raw }]);
  const [row] = await change(ui.db, "select id from feedback_quarantine where raw = $1", [raw]);
  return { id: Number(row?.id), address };
}

test("the raw event is shown after a reason, which is audited; without one no address reaches the page", async () => {
  const { id, address } = await anEntry();
  const operator = await ui.aPerson({ accountName: "Operations" });
  const page = await ui.newPage({ as: operator });
  await makeOperator(ui.db, operator);
  await page.goto("/operator/quarantine");
  const actions = page.getByRole("button", { name: `Actions for notification ${id}` });
  await actions.waitFor();
  await expectNoViolations(page);
  await actions.click();
  await page.getByRole("menuitem", { name: "Read the event…" }).click();
  const question = page.getByRole("dialog", { name: `Read notification ${id}?` });
  await question.getByLabel("Reason").waitFor();
  await expectNoViolations(page);
  await page.keyboard.press("Enter");
  expect(await page.content()).not.toContain(address);
  await page.keyboard.type("A customer misses a bounce");
  await page.keyboard.press("Enter");
  const shown = page.getByRole("dialog", { name: `Notification ${id}` });
  await shown.getByText(address).waitFor();
  await expectNoViolations(page);
  await shown.getByRole("button", { name: "Done" }).click();
  await shown.waitFor({ state: "detached" });
  expect(await page.content()).not.toContain(address);
  expect(await auditRows(ui.db, operator.accountId, "quarantine.read")).toMatchObject([
    { actor_kind: "operator", actor_name: operator.email, target_id: String(id), reason: "A customer misses a bounce" },
  ]);
});

test("one notification is replayed with a reason, and a phone can do it too", async () => {
  const { id } = await anEntry();
  const operator = await ui.aPerson({ accountName: "Operations" });
  const page = await ui.newPage({ as: operator, width: 390 });
  await makeOperator(ui.db, operator);
  await page.goto("/operator/quarantine");
  await page.getByRole("button", { name: `Actions for notification ${id}` }).click();
  await page.getByRole("menuitem", { name: "Replay…" }).click();
  await page.getByRole("dialog").getByLabel("Reason").fill("The parser is fixed");
  await page.getByRole("dialog").getByRole("button", { name: "Replay", exact: true }).click();
  await page.getByText("A worker tries 1 notification again within ten seconds.").waitFor();
  expect(await auditRows(ui.db, operator.accountId, "quarantine.replay")).toMatchObject([
    { target_id: String(id), reason: "The parser is fixed", after: { due: 1 } },
  ]);
  await page.getByRole("button", { name: "Replay all" }).click();
  await expectNoViolations(page);
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
});
