import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { aDelivery } from "../../../service/test/webhook-builders.ts";
import type { ConsoleSession } from "../../test/console-session.ts";
import type { Person } from "../../test/person.ts";
import { until } from "../../test/until.ts";
import { aWebhookServer } from "../../test/webhook-server.ts";
import type { Hand } from "./hand.ts";
import { holdTenant } from "./operator-task.ts";
import { findRefusal } from "./request-task.ts";

const run = promisify(execFile);
const maxWaitMs = 60_000;

export interface TaskContext {
  session: ConsoleSession;
  person: Person;
  /** Of this round only. */
  domain: string;
  jane: string;
}

export interface Task {
  name: string;
  /** What has to exist before the person begins. */
  prepare(context: TaskContext): Promise<void>;
  /** Who does it; the owner of the account unless given. */
  person?(context: TaskContext): Person;
  /** After the log-in, before the page opens. */
  loggedIn?(context: TaskContext): Promise<void>;
  /** Starts at the overview. Fails when the person does not reach the goal. */
  perform(hand: Hand, context: TaskContext): Promise<void>;
}

/** In this order: each uses what the one before left. */
export const tasks: Task[] = [
  {
    name: "add a domain up to verified",
    prepare: async () => undefined,
    async perform(hand, { session, person, domain }) {
      const { page } = hand;
      await hand.click(page.getByRole("link", { name: "Domains" }));
      await hand.click(page.getByRole("button", { name: "Add domain" }));
      await hand.type(domain);
      await hand.press("Enter");
      const download = page.waitForEvent("download");
      await hand.click(page.getByRole("button", { name: "Zone file" }));
      await download;
      await hand.outsideClock(() => session.aVerifiedDomain(person, domain));
      await hand.sees(page.getByText(`${domain} is verified.`));
    },
  },
  {
    name: "make a key and send the first mail from the snippet",
    prepare: async () => undefined,
    async perform(hand, { session, person }) {
      const { page } = hand;
      await hand.click(page.getByRole("link", { name: "API keys" }));
      await hand.click(page.getByRole("button", { name: "Create key" }));
      await hand.type("web shop");
      await hand.press("Enter");
      const snippet = page.getByRole("dialog").getByRole("tabpanel");
      await hand.click(snippet.getByRole("button", { name: "Copy curl" }));
      await hand.sees(snippet.getByText("Copied curl"));
      const copied = await page.evaluate(() => navigator.clipboard.readText());
      const { stdout } = await run("sh", ["-c", copied], { timeout: 10_000 });
      const { id }: { id: string } = JSON.parse(stdout);
      await hand.outsideClock(() => untilStatus(session, person, id, "delivered"));
    },
  },
  {
    name: "find why Jane got nothing",
    async prepare({ session, person, domain, jane }) {
      await session.simulateOutcome(jane, "bounce");
      await untilStatus(session, person, await send(session, person, { domain, to: jane }), "bounced");
      await untilStatus(session, person, await send(session, person, { domain, to: jane }), "suppressed");
    },
    async perform(hand, { jane }) {
      await hand.press("Control+K");
      await hand.paste(jane);
      await hand.press("Enter");
      const card = hand.page.getByRole("region", { name: `About ${jane}` });
      await hand.sees(card.getByText(/^Suppressed since /));
      await hand.sees(card.getByText("Postern did not send 1 later mail."));
      // The words of the receiving server.
      await hand.sees(card.getByText(/\b550[ -]5\.1\.1\b/));
    },
  },
  {
    name: "lift a suppression",
    prepare: async () => undefined,
    async perform(hand, { session, person, jane }) {
      const { page } = hand;
      await hand.press("Control+K");
      await hand.paste(jane);
      await hand.press("Enter");
      await hand.click(page.getByRole("button", { name: "Lift suppression" }));
      await hand.click(page.getByRole("dialog").getByRole("button", { name: "Lift suppression" }));
      await hand.sees(page.getByText(`${jane} is not suppressed any more.`));
      await hand.outsideClock(async () => {
        const answer = await session.api(person).get<{ data: { suppressions: unknown[] } }>(`/suppression/${jane}`);
        if (answer.data.suppressions.length > 0) throw new Error(`${jane} is still suppressed`);
      });
    },
  },
  {
    name: "find out who revoked a key",
    async prepare({ session, person }) {
      const colleague = await session.aPerson({ role: "developer", colleagueOf: person });
      const { id } = await session
        .api(person)
        .post<{ id: string }>("/api-keys", { name: "checkout", type: "live", scopes: ["send"] });
      await session.api(colleague).delete(`/api-keys/${id}`);
    },
    async perform(hand) {
      const { page } = hand;
      await hand.click(page.getByRole("link", { name: "Audit" }));
      await hand.sees(page.getByRole("table", { name: "Audit" }));
      await hand.press("/");
      await hand.type("checkout");
      await hand.press("Enter");
      await hand.sees(page.getByText(/^2.entries$/));
      await hand.sees(page.getByRole("row", { name: /^developer-\S+@fernhill\.example revoked the API key checkout/ }));
    },
  },
  {
    name: "replay the failed webhooks of yesterday",
    async prepare({ session, person }) {
      const { url } = await webhookServerOf(session, person);
      const body = { url, types: ["send.bounced"], description: "order service" };
      const { webhook_id: endpointId } = await session.api(person).post<{ webhook_id: string }>("/webhooks", body);
      const made = { accountId: person.accountId, endpointId, state: "failed" } as const;
      for (let failed = 0; failed < failedYesterday; failed++) await aDelivery(session.db, { ...made, hoursAgo: 24 });
      await aDelivery(session.db, { ...made, hoursAgo: 72 });
      await aDelivery(session.db, { ...made, state: "delivered", hoursAgo: 24 });
    },
    async perform(hand, { session, person }) {
      const { page } = hand;
      const server = await webhookServerOf(session, person);
      await hand.click(page.getByRole("link", { name: "Webhooks" }));
      await hand.click(page.getByRole("row", { name: /127\.0\.0\.1/ }));
      await hand.click(page.getByRole("button", { name: "Replay" }));
      await hand.click(page.getByRole("dialog").getByRole("button", { name: "Start replay" }));
      await hand.sees(
        page.getByText(new RegExp(`The replay is done: ${failedYesterday}\\sdeliveries are sent again\\.`)),
      );
      await hand.outsideClock(async () => {
        await until(
          "the failed notifications arrived",
          maxWaitMs,
          async () => server.received.length === failedYesterday,
        );
        server.close();
      });
    },
  },
  findRefusal,
  holdTenant,
];

const failedYesterday = 3;
const servers = new Map<string, ReturnType<typeof aWebhookServer>>();

/** One for each account of a round. */
function webhookServerOf({ db }: ConsoleSession, { accountId }: Person) {
  const server = servers.get(accountId) ?? aWebhookServer(db, accountId);
  servers.set(accountId, server);
  return server;
}

async function send(
  session: ConsoleSession,
  person: Person,
  { domain, to }: { domain: string; to: string },
): Promise<string> {
  const api = session.api(person);
  const { key } = await api.post<{ key: string }>("/api-keys", { name: "back office", type: "live", scopes: ["send"] });
  const mail = { from: `Fernhill Books <orders@${domain}>`, to: [to], subject: "Your receipt", text: "Thank you." };
  return (await api.post<{ id: string }>("/send", mail, { "x-api-key": key, authorization: "" })).id;
}

async function untilStatus(session: ConsoleSession, person: Person, id: string, wanted: string): Promise<void> {
  let found = "";
  await until(
    () => `the send is ${wanted}, not ${found}`,
    maxWaitMs,
    async () => {
      ({ status: found } = await session.api(person).get<{ status: string }>(`/send/${id}/status`));
      return found === wanted;
    },
  );
}
