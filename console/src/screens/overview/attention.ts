import type { ApiKey, ListedDomain } from "../../api/api-types.ts";
import type { Mode } from "../../frame/search-state.ts";
import { activityHref, modeSearch, pageHref } from "../../parts/activity-href.ts";
import { formatBytes, formatCount, formatNumber } from "../../parts/format-number.ts";
import { formatDateTime } from "../../parts/format-time.ts";
import type { AccountAnswer, Quota } from "../../parts/usage-query.ts";
import { windowStart } from "./rate-points.ts";

export interface AttentionItem {
  key: string;
  kind: "bad" | "warn" | "waiting";
  title: string;
  text: string;
  step: { label: string; href: string };
}

export interface AttentionFacts {
  mode: Mode;
  now: number;
  account: Pick<AccountAnswer, "held" | "held_reason" | "reputation" | "quotas"> | undefined;
  domains: Pick<ListedDomain, "domain_id" | "domain_name" | "verification_status">[] | undefined;
  keys: Pick<ApiKey, "id" | "name" | "type" | "expires_at">[] | undefined;
  /** Recipients of sends that are `failed`, in the range of the page. */
  failed: { recipients: number; from: number; to: number } | undefined;
}

const dayMs = 86_400_000;
const expiryDays = 14;
const fullShare = 0.8;
/** More of one kind become one entry. */
const most = 2;

/** What a person of the account should look at, the most urgent first. Domains and rates matter for live mail only. */
export function findAttention(facts: AttentionFacts): AttentionItem[] {
  return [
    ...holdItem(facts),
    ...failedItem(facts),
    ...(facts.mode === "live" ? rateItems(facts) : []),
    ...quotaItems(facts),
    ...(facts.mode === "live" ? domainItems(facts) : []),
    ...keyItems(facts),
  ];
}

function holdItem({ account, mode }: AttentionFacts): AttentionItem[] {
  if (account?.held !== true) return [];
  const text = account.held_reason ?? "The API accepts mail, and it waits.";
  const step = { label: "Show waiting mail", href: activityHref({ status: "queued" }, mode) };
  return [{ key: "hold", kind: "bad", title: "Your mail is on hold", text, step }];
}

function failedItem({ failed, mode }: AttentionFacts): AttentionItem[] {
  if (failed === undefined || failed.recipients === 0) return [];
  const { recipients, from, to } = failed;
  return [
    {
      key: "failed",
      kind: "bad",
      title: `Mail to ${formatCount(recipients, "recipient")} failed`,
      text: "Postern gave up on these sends. Each one says why.",
      step: { label: "Show failed sends", href: activityHref({ status: "failed", from, to }, mode) },
    },
  ];
}

function rateItems({ account, mode, now }: AttentionFacts): AttentionItem[] {
  const from = windowStart(now);
  return (account?.reputation?.warnings ?? []).map((warning) => {
    const isSpam = warning.includes("spam");
    const [first = warning, ...rest] = warning.split(". ");
    return {
      key: isSpam ? "complaint-rate" : "bounce-rate",
      kind: "warn",
      title: first,
      text: rest.join(". "),
      step: {
        label: isSpam ? "Show complaints" : "Show bounces",
        href: activityHref({ status: isSpam ? "complained" : "bounced", from }, mode),
      },
    };
  });
}

const quotaNames: Record<Quota["name"], string> = {
  recipients_per_day: "recipients a day",
  queued_recipients: "queued recipients",
  stored_content_bytes: "stored content",
};

function quotaItems({ account, mode }: AttentionFacts): AttentionItem[] {
  const amount = (quota: Quota, value: number) =>
    quota.name === "stored_content_bytes" ? formatBytes(value) : formatNumber(value);
  return (account?.quotas ?? [])
    .filter(({ used, limit }) => used > fullShare * limit)
    .map((quota) => ({
      key: quota.name,
      kind: quota.used >= quota.limit ? "bad" : "warn",
      title:
        quota.used >= quota.limit
          ? `The quota for ${quotaNames[quota.name]} is used up`
          : `The quota for ${quotaNames[quota.name]} is ${Math.floor((quota.used / quota.limit) * 100)}\u00a0% used`,
      text: `${amount(quota, quota.used)} of ${amount(quota, quota.limit)}${quota.trial ? ", the limit of the trial" : ""}. The API refuses mail above it.`,
      step: { label: "Show quotas", href: pageHref("/usage", modeSearch(mode)) },
    }));
}

function domainItems({ domains = [] }: AttentionFacts): AttentionItem[] {
  const open = domains.filter(({ verification_status }) => verification_status !== "Success");
  const text = "The API refuses mail from it until its DNS records are found.";
  if (open.length > most) {
    return [
      {
        key: "domains",
        kind: open.some(({ verification_status }) => verification_status === "Failed") ? "bad" : "waiting",
        title: `${formatNumber(open.length)} domains are not verified`,
        text: "The API refuses mail from them until their DNS records are found.",
        step: { label: "Show domains", href: "/domains" },
      },
    ];
  }
  return open.map(({ domain_id, domain_name, verification_status }) => ({
    key: `domain-${domain_id}`,
    kind: verification_status === "Failed" ? "bad" : "waiting",
    title:
      verification_status === "Failed" ? `Verification of ${domain_name} failed` : `${domain_name} is not verified`,
    text,
    step: { label: "Show its records", href: `/domains/${domain_id}` },
  }));
}

function keyItems({ keys = [], mode, now }: AttentionFacts): AttentionItem[] {
  const ending = keys
    .flatMap((key) => (key.expires_at === null ? [] : [{ ...key, at: Date.parse(key.expires_at) }]))
    .filter(({ type, at }) => type === mode && at > now && at < now + expiryDays * dayMs)
    .toSorted((one, other) => one.at - other.at);
  const step = { label: "Show keys", href: pageHref("/keys", modeSearch(mode)) };
  const text = "Requests with it then get 401. Make a new key before that.";
  if (ending.length > most) {
    const title = `${formatNumber(ending.length)} API keys expire within ${expiryDays} days`;
    const first = formatDateTime(ending[0]?.at ?? now, { now });
    return [{ key: "keys", kind: "warn", title, text: `The first one expires on ${first}.`, step }];
  }
  return ending.map(({ id, name, at }) => ({
    key: `key-${id}`,
    kind: "warn",
    title: `The API key ${name} expires on ${formatDateTime(at, { now })}`,
    text,
    step,
  }));
}
