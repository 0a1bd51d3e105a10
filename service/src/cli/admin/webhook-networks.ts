import { commandLineActor } from "../../actor.ts";
import type { Database } from "../../db/database.ts";
import { say } from "../../plain-text.ts";
import { allowWebhookNetwork, listWebhookNetworks, removeWebhookNetwork } from "../../webhooks/network-store.ts";
import { getAccountByIdOrEmail } from "../find-account.ts";

export interface WebhookNetworksOptions {
  allow?: string;
  remove?: string;
}

export async function runWebhookNetworks(
  db: Database,
  account: string,
  { allow, remove }: WebhookNetworksOptions,
): Promise<void> {
  const { id, name } = await getAccountByIdOrEmail(db, account);
  if (remove !== undefined && !(await removeWebhookNetwork(db, id, remove, commandLineActor()))) {
    say(`${remove} was not allowed, so nothing was removed.`);
  }
  if (allow !== undefined && !(await allowWebhookNetwork(db, id, allow, commandLineActor()))) {
    say(`${allow} was already allowed.`);
  }
  const networks = await listWebhookNetworks(db, id);
  if (networks.length === 0) return say(`The webhooks of ${name} may go to public addresses only.`);
  say(
    [`The webhooks of ${name} may go to public addresses and to:`, ...networks.map((each) => `  ${each}`)].join("\n"),
  );
}
