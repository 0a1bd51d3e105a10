import { channel } from "node:diagnostics_channel";
import { appendFileSync } from "node:fs";
import type { ClientRequest } from "node:http";
import { registerHooks } from "node:module";
import { armSource } from "./crash-points.ts";

/**
 * Preloaded with `node --import` into a process that must crash at the point named by CRASH_AT. A crash point in Postern's
 * source is a comment, which this module turns into a call while Node loads the file. The two points on the wire use the
 * diagnostics channels of node:http, because the AWS SDK owns the socket. Without this preload the comments do nothing.
 */
const { CRASH_AT = "", CRASH_LOG = "" } = process.env;
const submitPath = "/v2/email/outbound-emails";

declare global {
  var passCrashPoint: () => void;
}

/** SIGKILL takes effect before the next instruction: the process flushes, closes and finishes nothing. */
function crash(): void {
  appendFileSync(CRASH_LOG, `${process.pid} ${CRASH_AT}\n`);
  process.kill(process.pid, "SIGKILL");
}

globalThis.passCrashPoint = crash;

registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context);
    if (!url.includes("/service/src/") || loaded.source === undefined) return loaded;
    const source = typeof loaded.source === "string" ? loaded.source : new TextDecoder().decode(loaded.source);
    return { ...loaded, source: armSource(source, CRASH_AT) };
  },
});

if (CRASH_AT === "request-written") {
  channel("http.client.request.start").subscribe((message) => {
    const { request } = message as { request: ClientRequest }; // The documented message of this channel.
    // The callback of an empty write runs when everything before it has left this process.
    if (request.path === submitPath) request.socket?.write("", crash);
  });
}
if (CRASH_AT === "answer-received") {
  channel("http.client.response.finish").subscribe((message) => {
    const { request } = message as { request: ClientRequest };
    if (request.path === submitPath) crash();
  });
}
