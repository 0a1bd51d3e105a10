import { once } from "node:events";
import { connect, isIP, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { notificationHeaders } from "../../webhooks/notification-headers.ts";
import { failureText, lateText, statusText } from "../../webhooks/outbound/failure-text.ts";
import { readAnswer } from "../../webhooks/outbound/read-answer.ts";
import { requestOver } from "../../webhooks/outbound/request-over.ts";
import type { ListenedNotification } from "./listener-api.ts";

export interface LocalAnswer {
  status: number | undefined;
  durationMs: number;
  /** In words; undefined for a status of 200 to 299. */
  failure: string | undefined;
}

interface Forwarding {
  url: URL;
  secret: Buffer;
  /** Ends the request early. */
  signal: AbortSignal;
  timeoutMs?: number;
}

/**
 * One POST as a worker makes it (webhooks/outbound/), but to any address, because the developer chose it on the own machine. Never rejects,
 * and follows no redirect.
 */
export async function forwardNotification(
  notification: ListenedNotification,
  { url, secret, signal, timeoutMs = 15_000 }: Forwarding,
): Promise<LocalAnswer> {
  const startedAt = performance.now();
  const timeout = AbortSignal.timeout(timeoutMs);
  const ending = AbortSignal.any([signal, timeout]);
  const { notification_id: publicId, body } = notification;
  const timestamp = Math.floor(Date.now() / 1000);
  const headers = notificationHeaders({ secrets: [secret], publicId, timestamp, body });
  const socket = openSocket(url);
  let stage: "connect" | "request" | "answer" = "connect";
  let status: number | undefined;
  let failure: string | undefined;
  try {
    await once(socket, url.protocol === "https:" ? "secureConnect" : "connect", { signal: ending });
    stage = "request";
    const response = await requestOver(socket, { url, headers, body, signal: ending });
    stage = "answer";
    status = response.statusCode ?? 0;
    await readAnswer(response);
    failure = statusText(status);
  } catch (error) {
    if (signal.aborted) failure = "`postern listen` ended before the answer.";
    else
      failure = timeout.aborted
        ? lateText(stage, timeoutMs)
        : failureText(isUnknownName(error) ? "look-up" : stage, error);
  } finally {
    socket.destroy();
  }
  return { status, durationMs: Math.round(performance.now() - startedAt), failure };
}

function openSocket(url: URL): Socket {
  const host = url.hostname.replace(/^\[(.*)\]$/, "$1");
  const isSecure = url.protocol === "https:";
  const port = Number(url.port) || (isSecure ? 443 : 80);
  const socket = isSecure
    ? connectTls({ host, port, servername: isIP(host) === 0 ? host : "" })
    : connect({ host, port });
  // An error after the answer has nobody who waits for it.
  return socket.on("error", () => undefined);
}

function isUnknownName(error: unknown): boolean {
  return error instanceof Error && "code" in error && (error.code === "ENOTFOUND" || error.code === "EAI_AGAIN");
}
