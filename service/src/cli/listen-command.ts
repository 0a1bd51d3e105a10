import { InvalidArgumentError, Option } from "commander";
import type { Environment } from "../config.ts";
import { aligned } from "../plain-text.ts";
import { type NotificationType, notificationTypes } from "../webhooks/notification-types.ts";
import { PosternCommand } from "./postern-command.ts";

const settings = aligned([
  ["POSTERN_API_KEY", "a key with the scopes webhooks and read; it decides the account and the mode"],
  ["POSTERN_URL", "address of the API (default: http://127.0.0.1:3000)"],
]);

interface ListenOptions {
  forward: URL;
  types?: NotificationType[];
  mode?: "live" | "test";
}

export function listenCommand(loadEnvironment: () => Promise<Environment>): PosternCommand {
  return new PosternCommand("listen")
    .about(
      "forward the notifications of an account to a local URL, for development",
      "It creates a listener, a temporary webhook, and asks the API once a second for new notifications. It posts each to the URL as Postern " +
        "posts to a webhook, oldest first and one after the other, signed with a secret that it prints and that is new in each run. A webhook of " +
        "the account gets its notifications as before.",
      "A notification is posted once: what the URL does not accept within 15 seconds is printed as a failure and not sent again. What happens " +
        "while the command does not run is not forwarded. Ctrl-C deletes the listener. It also ends 60 seconds after the command is killed, " +
        "and counts as one of the 10 webhooks of the account.",
      "One line for each notification goes to the standard output, everything else to the error output.",
    )
    .requiredOption("--forward <URL>", "http or https URL to post to", readForwardUrl)
    .option("--types <LIST>", "types of notifications, separated by commas (default: all)", readTypes)
    .addOption(
      new Option("--mode <MODE>", "live or test; refused unless it is the mode of the key").choices(["live", "test"]),
    )
    .section("Settings:", settings)
    .section("Types:", aligned(typeRows()))
    .example(
      "postern listen --forward http://localhost:8080/hooks",
      "POSTERN_URL=https://mail.acme.io postern listen --forward http://localhost:8080/hooks --types send.bounced,send.complained",
    )
    .action(async ({ forward, types, mode }: ListenOptions) => {
      const { runListen } = await import("./listen/listen.ts");
      await runListen(await loadEnvironment(), { forward, types, mode });
    });
}

function readForwardUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !["http:", "https:"].includes(url.protocol)) {
    throw new InvalidArgumentError(
      `--forward must be an http or https URL, such as http://localhost:8080/hooks, not "${text}".`,
    );
  }
  if (url.username !== "" || url.password !== "") {
    throw new InvalidArgumentError("--forward must have no user name and password: a webhook has none either.");
  }
  return url;
}

function readTypes(text: string): NotificationType[] {
  const given = new Set(text.split(",").map((name) => name.trim()));
  const unknown = [...given].filter((name) => !notificationTypes.some((type) => type === name));
  if (unknown.length > 0) {
    throw new InvalidArgumentError(
      `--types has ${unknown.map((name) => `"${name}"`).join(" and ")}. The types are: ${notificationTypes.join(", ")}.`,
    );
  }
  return notificationTypes.filter((type) => given.has(type));
}

function typeRows(): string[][] {
  const perRow = 4;
  const starts = Array.from({ length: Math.ceil(notificationTypes.length / perRow) }, (_, row) => row * perRow);
  return starts.map((start) => notificationTypes.slice(start, start + perRow));
}
