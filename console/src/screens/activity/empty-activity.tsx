import { Button } from "@mantine/core";
import { IconArrowsExchange, IconCalendar, IconFlask, IconKey, IconMail } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { call } from "../../api/call.ts";
import { useMay } from "../../api/use-me.ts";
import { type Mode, type SearchValues, stringifySearch } from "../../frame/search-state.ts";
import { AppLink } from "../../parts/app-link.tsx";
import { EmptyState, type WayOut, WaysOut } from "../../parts/empty-state.tsx";
import { formatCount } from "../../parts/format-number.ts";
import { Snippet } from "../../parts/snippet.tsx";
import styles from "./activity-screen.module.css";
import { describeSearch, type SendFilters, toQuery } from "./send-filters.ts";

/** The account has no mail in this mode yet. */
export function NoSendsAtAll({ mode }: { mode: Mode }) {
  const may = useMay();
  const other = mode === "live" ? "test" : "live";
  const hasOther = useProbe(nothing, other);
  const search = stringifySearch({ mode: mode === "test" ? "test" : undefined });
  return (
    <EmptyState
      title={mode === "test" ? "No test mail yet" : "No mail yet"}
      action={
        may.write ? (
          <AppLink className={styles.primary} href={`/keys${search}`}>
            <IconKey size={15} stroke={1.75} aria-hidden="true" />
            Make a key and send the first mail
          </AppLink>
        ) : undefined
      }
    >
      <p>
        {mode === "test"
          ? "Test mail never leaves Postern. Send one with a test key, and it appears here within seconds."
          : "Send the first mail with an API key, and it appears here within seconds."}
      </p>
      <div className={styles.snippet}>
        <Snippet code={firstMail(mode)} label="command" />
      </div>
      {hasOther === true && <WaysOut ways={[otherMode(other, "This account has mail there")]} />}
    </EmptyState>
  );
}

function firstMail(mode: Mode): string {
  const from = mode === "test" ? "shop@sandbox.test" : "shop@your-domain.example";
  const to = mode === "test" ? "delivered@sandbox.test" : "you@example.com";
  return [
    `curl ${location.origin}/api/v1/send \\`,
    `  -H "X-API-Key: $POSTERN_API_KEY" -H "Content-Type: application/json" \\`,
    `  -d '{"from":"${from}","to":["${to}"],"subject":"Hello","text":"It works."}'`,
  ].join("\n");
}

const nothing: SendFilters = {
  status: undefined,
  recipient: undefined,
  domain: undefined,
  provider_message_id: undefined,
  tag: undefined,
  range: undefined,
  since: undefined,
  until: undefined,
};

interface NothingFoundProps {
  filters: SendFilters;
  mode: Mode;
  onChange: (changes: SearchValues) => void;
  onClear: () => void;
}

/** Says what was searched and offers only steps that lead to a result. */
export function NothingFound({ filters, mode, onChange, onClear }: NothingFoundProps) {
  const other = mode === "live" ? "test" : "live";
  const { recipient, domain, provider_message_id, tag } = filters;
  const anyTime = { ...filters, range: undefined, since: undefined, until: undefined };
  const bare = { ...nothing, recipient, domain, provider_message_id, tag };
  const isTimed = filters.range !== undefined || filters.since !== undefined || filters.until !== undefined;
  const hasEarlier = useProbe(anyTime, mode, isTimed);
  const hasOtherStatus = useProbe(bare, mode, filters.status !== undefined);
  const hasOtherMode = useProbe(bare, other);
  const refused = useRefused(mode);
  const link = (label: string, changes: SearchValues) => (
    <button type="button" className={styles.step} onClick={() => onChange(changes)}>
      {label}
    </button>
  );
  const anyTimeSearch = { range: undefined, since: undefined, until: undefined };
  const ways: (WayOut | false)[] = [
    hasEarlier === true && {
      icon: <IconCalendar size={16} stroke={1.75} />,
      title: "Another time",
      note: "The same search finds mail outside of this range",
      action: link("Any time", anyTimeSearch),
    },
    hasOtherStatus === true && {
      icon: <IconMail size={16} stroke={1.75} />,
      title: "Another status",
      note: "There is mail with another status",
      action: link("All statuses", { status: undefined, ...anyTimeSearch }),
    },
    hasOtherMode === true && otherMode(other, `There is ${other} mail for this search`, bare),
    refused > 0 && {
      icon: <IconArrowsExchange size={16} stroke={1.75} />,
      title: "Refused requests",
      note: `${formatCount(refused, "request")} to send ${refused === 1 ? "was" : "were"} refused in the last 7 days; Postern records no recipients for them`,
      action: (
        <AppLink href={`/usage${stringifySearch({ mode: mode === "test" ? "test" : undefined })}`}>
          Show refusals
        </AppLink>
      ),
    },
  ];
  const shown = ways.filter((way) => way !== false);
  return (
    <EmptyState title={describeSearch(filters, mode)} action={<Button onClick={onClear}>Clear filters</Button>}>
      {recipient !== undefined && (
        <p>
          {hasEarlier === true || hasOtherStatus === true ? "" : `Postern has no ${mode} mail to this address. `}
          Check the spelling of the address.{shown.length > 0 ? " If it is right, look here:" : ""}
        </p>
      )}
      {shown.length > 0 && <WaysOut ways={shown} />}
    </EmptyState>
  );
}

function otherMode(other: Mode, note: string, filters: SendFilters = nothing): WayOut {
  const { recipient, domain, provider_message_id, tag } = filters;
  const search = { mode: other === "test" ? "test" : undefined, recipient, domain, provider_message_id, tag };
  return {
    icon: <IconFlask size={16} stroke={1.75} />,
    title: other === "test" ? "Test mode" : "Live mode",
    note,
    action: <AppLink href={`/activity${stringifySearch(search)}`}>Switch to {other}</AppLink>,
  };
}

/** Whether a search has a result; undefined while it is not known. */
function useProbe(filters: SendFilters, mode: Mode, isUseful = true): boolean | undefined {
  const { data } = useQuery({
    queryKey: ["sends", "probe", mode, filters],
    queryFn: ({ signal }) => call("GET /api/v1/sends", { query: { ...toQuery(filters, mode), limit: 1 }, signal }),
    enabled: isUseful,
    staleTime: 10_000,
  });
  return data && data.data.sends.length > 0;
}

function useRefused(mode: Mode): number {
  const { data } = useQuery({
    queryKey: ["usage", mode, "refusals"],
    queryFn: ({ signal }) => {
      const from = new Date(Date.now() - 7 * 24 * 3_600_000).toISOString();
      return call("GET /api/v1/usage", { query: { mode, by: "day", group: "api_key", from }, signal });
    },
    staleTime: 60_000,
  });
  const refusals = (data?.data.usage ?? []).flatMap((entry) => entry.refusals ?? []);
  return refusals.reduce((sum, { count }) => sum + count, 0);
}
