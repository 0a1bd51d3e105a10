import { InvalidArgumentError } from "commander";
import { parseNetwork } from "../../webhooks/outbound/address-bytes.ts";
import type { OnDatabase } from "../on-database.ts";
import { PosternCommand } from "../postern-command.ts";
import type { WebhookNetworksOptions } from "./webhook-networks.ts";

export function webhookNetworksCommand(onDatabase: OnDatabase): PosternCommand {
  return new PosternCommand("webhook-networks")
    .about(
      "show and change the networks, beside public addresses, to which the webhooks of an account may go",
      "Without such a network, Postern refuses an endpoint with an address that is not public, such as 10.0.0.7. Everyone who may create " +
        "endpoints in the account can then send requests to every address of the network, on the ports of WEBHOOK_PORTS. Postern does not " +
        "store what such an address answers, only the status.",
      "A change applies to the next attempt.",
    )
    .argument("ACCOUNT", "the account: the email of one of its users, or its id")
    .option("--allow <CIDR>", "network to allow, such as 10.20.0.0/16 or 10.20.0.7/32", readNetwork)
    .option("--remove <CIDR>", "network that is no longer allowed", readNetwork)
    .example(
      "postern admin webhook-networks ada@example.com",
      "postern admin webhook-networks ada@example.com --allow 10.20.0.0/16",
      "postern admin webhook-networks ada@example.com --remove 10.20.0.0/16",
    )
    .action(
      onDatabase(
        () => import("./webhook-networks.ts"),
        ({ runWebhookNetworks }, { db }, account: string, options: WebhookNetworksOptions) =>
          runWebhookNetworks(db, account, options),
      ),
    );
}

function readNetwork(text: string): string {
  if (parseNetwork(text) !== undefined) return text;
  throw new InvalidArgumentError(
    `A network must be a CIDR without bits behind its prefix, such as 10.20.0.0/16 or fd00::/8, not "${text}".`,
  );
}
