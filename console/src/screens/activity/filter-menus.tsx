import { Button, Menu } from "@mantine/core";
import { IconCalendar, IconCheck, IconPlus } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { call } from "../../api/call.ts";
import type { SearchValues } from "../../frame/search-state.ts";
import { StatusWord } from "../../parts/status-word.tsx";
import { useHotkey } from "../../parts/use-hotkey.ts";
import { type RangeName, ranges, type SendFilters, sendStatuses } from "./send-filters.ts";

interface FilterMenuProps {
  filters: SendFilters;
  onChange: (changes: SearchValues) => void;
}

/** Key f opens it; arrows and Enter choose. */
export function FilterMenu({ filters, onChange }: FilterMenuProps) {
  const [isOpen, setOpen] = useState(false);
  const domains = useQuery({
    queryKey: ["domains", "names"],
    queryFn: ({ signal }) => call("GET /api/v1/domains", { signal }),
    enabled: isOpen,
    staleTime: 60_000,
  });
  useHotkey("f", (event) => {
    event.preventDefault();
    setOpen(true);
  });
  return (
    <Menu opened={isOpen} onChange={setOpen} position="bottom-end" width={230} withinPortal={false}>
      <Menu.Target>
        <Button leftSection={<IconPlus size={15} stroke={1.75} />} title="Filter (f)">
          Filter
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>Status</Menu.Label>
        {sendStatuses.map((status) => (
          <Menu.Item
            key={status}
            onClick={() => onChange({ status })}
            rightSection={filters.status === status ? <IconCheck size={14} aria-label="chosen" /> : null}
          >
            <StatusWord status={status} />
          </Menu.Item>
        ))}
        {(domains.data ?? []).length > 0 && <Menu.Label>From domain</Menu.Label>}
        {(domains.data ?? []).slice(0, 20).map(({ domain_name }) => (
          <Menu.Item key={domain_name} onClick={() => onChange({ domain: domain_name })}>
            {domain_name}
          </Menu.Item>
        ))}
        <Menu.Divider />
        <Menu.Label>Or type: to:jane@example.com, status:bounced, domain:example.com, since:2026-11-01</Menu.Label>
      </Menu.Dropdown>
    </Menu>
  );
}

interface RangeMenuProps {
  filters: Pick<SendFilters, "range" | "since" | "until">;
  onChange: (changes: SearchValues) => void;
}

export function RangeMenu({ filters, onChange }: RangeMenuProps) {
  const hasTimes = filters.since !== undefined || filters.until !== undefined;
  const current = hasTimes ? "Chosen times" : filters.range === undefined ? "Any time" : ranges[filters.range].label;
  const choose = (range: RangeName | undefined) => onChange({ range, since: undefined, until: undefined });
  return (
    <Menu position="bottom-end" width={180} withinPortal={false}>
      <Menu.Target>
        <Button leftSection={<IconCalendar size={15} stroke={1.75} />}>{current}</Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={() => choose(undefined)}>Any time</Menu.Item>
        {Object.entries(ranges).map(([name, { label }]) => (
          <Menu.Item key={name} onClick={() => choose(name as RangeName)}>
            {label}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
