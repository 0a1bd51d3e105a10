import { NativeSelect } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { SearchValues } from "../../frame/search-state.ts";
import { SearchBox } from "../../parts/search-box.tsx";
import { RangeMenu } from "../activity/filter-menus.tsx";
import { membersQuery } from "../team/team-queries.ts";
import { wordGroups } from "./action-words.ts";
import styles from "./audit.module.css";
import { type AuditFilters, searchOf, tokensOf } from "./audit-filters.ts";

interface AuditFilterBarProps {
  filters: AuditFilters;
  nameOfTarget: string | undefined;
  onChange: (changes: SearchValues) => void;
}

export function AuditFilterBar({ filters, nameOfTarget, onChange }: AuditFilterBarProps) {
  const [isUnread, setUnread] = useState(false);
  return (
    <div>
      <div className={styles.filters}>
        <SearchBox
          placeholder="Name or id of a key, domain, address or member"
          tokens={tokensOf(filters, nameOfTarget)}
          onRemove={({ key }) =>
            onChange(key === "target" ? { target: undefined, target_kind: undefined } : { [key]: undefined })
          }
          onSubmit={(typed) => {
            if (typed === "") return;
            const found = searchOf(typed);
            setUnread(Object.keys(found).length === 0);
            if (Object.keys(found).length > 0) onChange(found);
          }}
          onType={(typed) => typed !== "" && setUnread(false)}
        />
        <ActorSelect actor={filters.actor} onChange={onChange} />
        <NativeSelect
          aria-label="Action"
          value={filters.action ?? ""}
          onChange={(event) => onChange({ action: event.currentTarget.value || undefined })}
          data={[
            { value: "", label: "All actions" },
            ...wordGroups.map(({ heading, words }) => ({
              group: heading,
              items: Object.entries(words).map(([value, { title }]) => ({ value, label: title })),
            })),
          ]}
        />
        <RangeMenu filters={filters} onChange={onChange} />
      </div>
      <p className={styles.unread} role="status">
        {isUnread ? "This is no time. Write it as since:2026-11-01 or until:2026-11-01T08:00." : ""}
      </p>
    </div>
  );
}

/** Members, and the actor of the address of the page: a key, an operator or a person who left. */
function ActorSelect({ actor, onChange }: { actor: string | undefined; onChange: (changes: SearchValues) => void }) {
  const members = useQuery({ ...membersQuery, staleTime: 60_000 });
  const emails = (members.data ?? []).map(({ email }) => email).toSorted();
  const others = actor === undefined || emails.includes(actor) ? [] : [actor];
  return (
    <NativeSelect
      aria-label="Who"
      className={styles.actor ?? ""}
      value={actor ?? ""}
      onChange={(event) => onChange({ actor: event.currentTarget.value || undefined })}
      data={[{ value: "", label: "Anyone" }, ...[...others, ...emails].map((value) => ({ value, label: value }))]}
    />
  );
}
