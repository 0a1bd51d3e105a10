import { type Call, json, type Reply } from "../http/call.ts";
import { ControlError } from "../http/control-error.ts";
import type { Simulation } from "../simulation.ts";
import { exportLedger, getLedgerRecord, listLedger } from "./ledger-routes.ts";
import { getMail, getRawMail, triggerEventRoute } from "./mail-routes.ts";
import { changeAccountRoute, clockRoute, healthRoute, verificationRoute } from "./provider-routes.ts";
import { addRuleRoute, clearRulesRoute, listRulesRoute, removeRuleRoute } from "./rule-routes.ts";

export type Control = (simulation: Simulation, call: Call, label: string) => Reply | Promise<Reply>;

/** No AWS path starts with an underscore, so these cannot collide. */
const routes: [method: string, path: RegExp, run: Control][] = [
  ["GET", /^health$/, healthRoute],
  ["GET", /^ledger$/, listLedger],
  ["GET", /^ledger\.ndjson$/, exportLedger],
  ["GET", /^ledger\/([^/]+)$/, getLedgerRecord],
  ["GET", /^mails\/([^/]+)$/, getMail],
  ["GET", /^mails\/([^/]+)\/raw$/, getRawMail],
  ["POST", /^mails\/([^/]+)\/events$/, triggerEventRoute],
  ["GET", /^rules$/, listRulesRoute],
  ["POST", /^rules$/, addRuleRoute],
  ["DELETE", /^rules$/, clearRulesRoute],
  ["DELETE", /^rules\/([^/]+)$/, removeRuleRoute],
  ["PUT", /^clock$/, clockRoute],
  ["PATCH", /^account$/, changeAccountRoute],
  ["POST", /^identities\/([^/]+)\/verification$/, verificationRoute],
];

/** Anybody's page can make a browser send requests here; only the simulator's own page may change anything. */
export async function answerControlCall(simulation: Simulation, call: Call): Promise<Reply> {
  const { origin } = call.headers;
  if (call.method !== "GET" && origin !== undefined && origin !== `http://${call.headers.host}`) {
    return json(403, { error: "Requests from other pages are refused." });
  }
  const path = call.path.slice("/_simulator/".length);
  for (const [method, pattern, run] of routes) {
    const found = method === call.method ? pattern.exec(path) : null;
    if (found === null) continue;
    try {
      const reply = await run(simulation, call, decode(found[1] ?? ""));
      await simulation.commit.written();
      return reply;
    } catch (error) {
      if (error instanceof ControlError) return json(error.status, { error: error.message });
      throw error;
    }
  }
  return json(404, { error: `There is no ${call.method} ${call.path}.` });
}

function decode(label: string): string {
  try {
    return decodeURIComponent(label);
  } catch {
    throw new ControlError(400, "The path is not percent-encoded text.");
  }
}
