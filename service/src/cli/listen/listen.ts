import { type Environment, readCallerConfig } from "../../config.ts";
import type { Mode } from "../../mode.ts";
import { amountText, printable, say } from "../../plain-text.ts";
import { type EndpointSecret, makeEndpointSecret } from "../../webhooks/endpoint-secret.ts";
import type { NotificationType } from "../../webhooks/notification-types.ts";
import { colourMarks } from "../colour.ts";
import { forwardNotification } from "./forward-notification.ts";
import { ListenLoop } from "./listen-loop.ts";
import { openListenerApi } from "./listener-api.ts";
import { notificationLine } from "./notification-line.ts";

interface ListenOptions {
  forward: URL;
  types: NotificationType[] | undefined;
  mode: Mode | undefined;
}

/** Runs until it is interrupted, which ends it with code 0, or until the API refuses it. */
export async function runListen(environment: Environment, { forward, types, mode }: ListenOptions): Promise<void> {
  const { url, apiKey } = readCallerConfig(environment);
  const signal = untilInterrupted();
  const api = openListenerApi({ url, apiKey, signal });
  const secret = makeEndpointSecret();
  const loop = new ListenLoop({
    api,
    wanted: { types, mode },
    signal,
    note,
    onListening: (listener) => note(welcomeText(url, forward, secret, { types, mode: listener.mode })),
    forward: async (notification, ending) => {
      const answer = await forwardNotification(notification, { url: forward, secret: secret.bytes, signal: ending });
      say(notificationLine(notification, answer), colourMarks);
    },
  });
  const left = await loop.run();
  if (left > 0)
    note(`${amountText(left, "notification")} that the API had handed out ${left === 1 ? "is" : "are"} not forwarded.`);
}

function welcomeText(
  url: string,
  forward: URL,
  { text }: EndpointSecret,
  { types, mode }: { types: NotificationType[] | undefined; mode: Mode },
): string {
  return [
    `Forwards ${mode} notifications of ${url} to ${forward.href}`,
    ...(types === undefined ? [] : [`Types: ${types.join(", ")}`]),
    `Secret: ${text}`,
    "Ctrl-C ends it.",
  ].join("\n");
}

/** To the error output, so that a program after a pipe reads only notifications. */
function note(text: string): void {
  process.stderr.write(`${printable(text)}\n`);
}

/** Aborts at a signal, or when the program after the pipe has ended. */
function untilInterrupted(): AbortSignal {
  const stopping = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => stopping.abort());
  for (const output of [process.stdout, process.stderr]) output.on("error", () => stopping.abort());
  return stopping.signal;
}
