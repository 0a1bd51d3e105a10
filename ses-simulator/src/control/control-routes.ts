import { type Call, json, type Reply } from "../http/call.ts";
import { ControlError } from "../http/control-error.ts";
import type { Simulation } from "../simulation.ts";
import { getAttachment } from "./attachment-routes.ts";
import { clearDnsRoute, listDnsRoute, publishDnsRoute } from "./dns-routes.ts";
import { exportLedger, getLedgerRecord, listLedger } from "./ledger-routes.ts";
import { listMails } from "./mail-list-routes.ts";
import { getMail, getRawMail, triggerEventRoute } from "./mail-routes.ts";
import {
  changeAccountRoute,
  changeTenantRoute,
  clockRoute,
  healthRoute,
  verificationRoute,
} from "./provider-routes.ts";
import { addRuleRoute, clearRulesRoute, listRulesRoute, removeRuleRoute } from "./rule-routes.ts";

type ControlRoute = (simulation: Simulation, call: Call, ...labels: string[]) => Reply | Promise<Reply>;

/** The paths below `/_simulator/`. No AWS path starts with an underscore, so they cannot collide. */
const routes: [method: string, path: RegExp, run: ControlRoute][] = [
  ["GET", /^health$/, healthRoute],
  ["GET", /^ledger$/, listLedger],
  ["GET", /^ledger\.ndjson$/, exportLedger],
  ["GET", /^ledger\/([^/]+)$/, getLedgerRecord],
  ["GET", /^mails$/, listMails],
  ["GET", /^mails\/([^/]+)$/, getMail],
  ["GET", /^mails\/([^/]+)\/raw$/, getRawMail],
  ["GET", /^mails\/([^/]+)\/attachments\/(\d{1,6})$/, getAttachment],
  ["POST", /^mails\/([^/]+)\/events$/, triggerEventRoute],
  ["GET", /^rules$/, listRulesRoute],
  ["POST", /^rules$/, addRuleRoute],
  ["DELETE", /^rules$/, clearRulesRoute],
  ["DELETE", /^rules\/([^/]+)$/, removeRuleRoute],
  ["GET", /^dns$/, listDnsRoute],
  ["POST", /^dns$/, publishDnsRoute],
  ["DELETE", /^dns$/, clearDnsRoute],
  ["PUT", /^clock$/, clockRoute],
  ["PATCH", /^account$/, changeAccountRoute],
  ["PATCH", /^tenants\/([^/]+)$/, changeTenantRoute],
  ["POST", /^identities\/([^/]+)\/verification$/, verificationRoute],
];

/** Any web page can make a browser send requests to the simulator, so only the simulator's own page can change state. */
export async function answerControlCall(simulation: Simulation, call: Call): Promise<Reply> {
  const { origin } = call.headers;
  if (call.method !== "GET" && origin !== undefined && origin !== `http://${call.headers.host}`) {
    return json(403, { error: "The simulator refuses requests from other web pages." });
  }
  const path = call.path.slice("/_simulator/".length);
  for (const [method, pattern, run] of routes) {
    const found = method === call.method ? pattern.exec(path) : null;
    if (found === null) continue;
    try {
      const reply = await run(simulation, call, ...found.slice(1).map(decode));
      await simulation.commit.written();
      return reply;
    } catch (error) {
      if (error instanceof ControlError) return json(error.status, { error: error.message });
      throw error;
    }
  }
  return json(404, { error: `The route ${call.method} ${call.path} does not exist.` });
}

function decode(label: string): string {
  try {
    return decodeURIComponent(label);
  } catch {
    throw new ControlError(400, "The path is not valid percent-encoded text.");
  }
}
