import type { Webhook } from "../../api/api-types.ts";

/** The answer of the page: does every webhook get its notifications? */
export function webhooksSentence(webhooks: readonly Webhook[]): { lead: string; rest: string } {
  const failing = webhooks.filter(({ status }) => status === "failing");
  const broken = webhooks.filter(({ disabled_reason: reason }) => reason === "failing" || reason === "gone");
  if (broken.length > 0) {
    return {
      lead: `Postern disabled ${named(broken)}.`,
      rest: "Fix what fails there, then enable it: what waited is sent then.",
    };
  }
  if (failing.length > 0) {
    return {
      lead: `${named(failing, true)} not accept notifications.`,
      rest: "Postern tries again for about three days.",
    };
  }
  const enabled = webhooks.filter(({ status }) => status === "enabled").length;
  if (enabled === 0) return { lead: "No webhook is enabled.", rest: "Nobody is notified." };
  return { lead: enabled === 1 ? "The webhook works." : `All ${enabled} enabled webhooks work.`, rest: "" };
}

function named(webhooks: readonly Webhook[], hasVerb = false): string {
  const [first] = webhooks;
  const one = webhooks.length === 1 && first !== undefined;
  const name = one ? hostOf(first.url) : `${webhooks.length} webhooks`;
  return hasVerb ? `${name} ${one ? "does" : "do"}` : name;
}

export function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : url;
}
