import { expect, test } from "vitest";
import { aLogin } from "../../../../test/builders.ts";
import { aSuppression } from "../../../../test/send-builders.ts";
import { useSendingApi } from "../../../../test/use-sending-api.ts";
import { eventIdOf } from "../../../feedback/event-id.ts";
import { outcomeRanks, recordReports } from "../../../feedback/record-reports.ts";

const { api, aSender, send } = useSendingApi();

test("an event spells its recipient as the send does, and a search finds it in every spelling", async () => {
  const { session, id } = await aDeliveredSend(["Jane.Doe@Example.IO", "Max@Bücher.De"], "max@xn--bcher-kva.de");
  const queries = ["", `?email_id=${id}`, "?recipient=max%40b%C3%BCcher.de", "?recipient=MAX%40xn--bcher-kva.DE"];
  for (const query of queries) expect(await recipientsOf(session, query), query).toEqual(["Max@Bücher.De"]);
});

test("the timeline spells the recipient as the send does", async () => {
  const { session, id } = await aDeliveredSend(["Jane.Doe@Example.IO"], "jane.doe@example.io");
  const path = `/api/v1/send/${id}/timeline`;
  const { entries } = (await api.call({ method: "GET", path, token: session.accessToken })).json();
  expect(entries.at(-1).event.recipient).toBe("Jane.Doe@Example.IO");
});

test("a Suppression event spells the recipient as the send does", async () => {
  const sender = await aSender();
  await aSuppression(api.database.db, { accountId: sender.accountId, email: "jane@example.io" });
  await send(sender, { to: ["Jane@Example.io"] });
  const session = await aLogin(api.database.db, api.deps.loginDeps, { accountId: sender.accountId });
  expect(await recipientsOf(session, "?type=Suppression")).toEqual(["Jane@Example.io"]);
});

test("a recipient that is not in the send stays as the provider reported it", async () => {
  const { session } = await aDeliveredSend(["Jane@Example.io", "Max@Example.io"], "forwarded@elsewhere.io");
  expect(await recipientsOf(session)).toEqual(["forwarded@elsewhere.io"]);
});

async function aDeliveredSend(to: string[], recipient: string) {
  const sender = await aSender();
  const { id } = (await send(sender, { to })).json();
  const at = new Date().toISOString();
  const what = { sendId: id, type: "Delivery", at, recipient } as const;
  const eventId = eventIdOf({ ...what, providerMessageId: "m-1", feedbackId: undefined });
  const unset = { bounceType: undefined, bounceSubtype: undefined, complaintType: undefined, suppressAs: undefined };
  await recordReports(api.database.db, [{ ...what, ...unset, eventId, rank: outcomeRanks.delivered }]);
  return { id, session: await aLogin(api.database.db, api.deps.loginDeps, { accountId: sender.accountId }) };
}

async function recipientsOf({ accessToken }: { accessToken: string }, query = ""): Promise<string[]> {
  const response = await api.call({ method: "GET", path: `/api/v1/events${query}`, token: accessToken });
  expect(response.status).toBe(200);
  return response.json().data.events.map((event: { recipient: string }) => event.recipient);
}
