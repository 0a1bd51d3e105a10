import type { MoveContext } from "../../moves/move-context.ts";
import type { PreparedMove } from "../../moves/prepare-move.ts";
import type { RelayedFeedback } from "../../moves/relay-feedback.ts";
import { aligned, amountText } from "../../plain-text.ts";

export function preparedText({ account, target }: MoveContext, { unready }: Pick<PreparedMove, "unready">): string {
  if (unready.length === 0) {
    return `${account.name} can move to the cell ${target.code}: run the command again with --switch.`;
  }
  const records = unready.flatMap(({ records: each }) => each.map(({ type, name, value }) => [type, name, value]));
  return [
    `These DNS records are missing for ${amountText(unready.length, "domain")} in the cell ${target.code}. Keep the ones that are there.`,
    aligned([["TYPE", "NAME", "VALUE"], ...records], { indent: "  " }),
    "Workers of this cell look for them. Run the command again when they are published.",
  ].join("\n");
}

export function releasedText({ account, target }: MoveContext, lines: string): string {
  return [
    `${account.name} lives in the cell ${target.code} now. Its members log in at ${target.publicUrl}.`,
    "Put these lines into moved.map of the proxy and reload it. Until then requests are answered with 503.",
    lines.trimEnd(),
  ].join("\n");
}

export function relayedText(relayed: RelayedFeedback): string {
  const left = relayed["unknown-send"] + relayed["from-the-future"];
  return [
    `Applied ${amountText(relayed.applied, "report")} of SES that reached the former cell.`,
    ...(left === 0 ? [] : [`${amountText(left, "report")} could not be applied and stay there.`]),
    "More can come for 40 days. Run the command again when `postern status` of the former cell says so.",
  ].join(" ");
}
