import type { Exchange, MutationCase } from "./breaking-proxy.ts";
import { replaceStatus } from "./change-answer.ts";

/** Faults of exports of sends and events. */
export const exportCases: MutationCase[] = [
  {
    fault: "an export of sends ignores the tag",
    broken: ["10.8-01"],
    unaffected: ["10.8-03"],
    rewritePath: (path) => path.replace(/^(\/api\/v1\/sends\/export\?.*)&tag=[^&]+/, "$1"),
  },
  {
    fault: "an export of sends leaves formulas as they are",
    broken: ["10.8-02"],
    unaffected: ["10.8-04"],
    change: onExport("sends", (text) => text.replaceAll("'=", "=")),
  },
  {
    fault: "an export of events has every event twice",
    broken: ["10.8-03"],
    unaffected: ["10.8-01"],
    change: onExport("events", (text) => (text.startsWith("{") ? text + text : text)),
  },
  {
    fault: "an export of events leaves formulas as they are",
    broken: ["10.8-04"],
    unaffected: ["10.8-02"],
    change: onExport("events", (text) => text.replaceAll("'-", "-")),
  },
  {
    fault: "an export begins again",
    broken: ["10.8-05"],
    unaffected: ["10.8-01", "10.8-03"],
    rewritePath: (path) => (path.includes("/export?") ? path.replace(/&before=[^&]+/, "") : path),
  },
  {
    fault: "a key without the scope read exports",
    broken: ["10.8-06"],
    unaffected: ["10.8-01"],
    change: (answer) => {
      if (answer.path.split("?")[0]?.endsWith("/export")) replaceStatus(answer, 401, 200);
    },
  },
];

function onExport(list: "events" | "sends", change: (text: string) => string): (exchange: Exchange) => void {
  return (exchange) => {
    if (exchange.path.startsWith(`/api/v1/${list}/export`)) exchange.body = change(String(exchange.body));
  };
}
