import { channel } from "node:diagnostics_channel";
import { appendFileSync } from "node:fs";
import type { ClientRequest } from "node:http";
import { registerHooks } from "node:module";
import { armSource } from "./crash-points.ts";

/**
 * Preloaded with `node --import` into a process that is to die at the point named by CRASH_AT. A point of our own source is
 * a comment that becomes a call while the file is loaded; the two on the wire are seen through the diagnostics of node:http,
 * because the socket belongs to the AWS SDK. Without this preload there is nothing to switch on.
 */
const { CRASH_AT = "", CRASH_LOG = "" } = process.env;
const handOverPath = "/v2/email/outbound-emails";

declare global {
  var passCrashPoint: () => void;
}

/** SIGKILL to oneself acts before the next instruction: nothing is flushed, closed or finished. */
function die(): void {
  appendFileSync(CRASH_LOG, `${process.pid} ${CRASH_AT}\n`);
  process.kill(process.pid, "SIGKILL");
}

globalThis.passCrashPoint = die;

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
    const { request } = message as { request: ClientRequest }; // As node:http documents it.
    // An empty write is done when all before it has left this process.
    if (request.path === handOverPath) request.socket?.write("", die);
  });
}
if (CRASH_AT === "answer-received") {
  channel("http.client.response.finish").subscribe((message) => {
    const { request } = message as { request: ClientRequest };
    if (request.path === handOverPath) die();
  });
}
