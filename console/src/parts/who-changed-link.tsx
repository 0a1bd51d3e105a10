import { ActionIcon, Menu } from "@mantine/core";
import { IconHistory } from "@tabler/icons-react";
import type { ListAuditQuery } from "../api/api-types.ts";
import { useMay } from "../api/use-me.ts";
import { AppLink } from "./app-link.tsx";
import { useHref } from "./use-href.ts";

export interface AuditTarget {
  kind: NonNullable<ListAuditQuery["target_kind"]>;
  /** An id, or a name that outlives ids, such as that of a domain. */
  id: string;
}

type WhoChangedProps = AuditTarget & { label?: string };

const question = "Who changed this?";

/** Opens the audit with the entries about one thing. Only owners may read it, so others see nothing. */
export function WhoChangedLink({ kind, id, label = question }: WhoChangedProps) {
  const href = useHref();
  if (!useMay().manage) return null;
  return <AppLink href={href("/audit", { target_kind: kind, target: id })}>{label}</AppLink>;
}

/** The same as an icon, for the rows of a table. */
export function WhoChangedIcon({ kind, id, label }: AuditTarget & { label: string }) {
  const href = useHref();
  if (!useMay().manage) return null;
  return (
    <ActionIcon
      component={AppLink}
      href={href("/audit", { target_kind: kind, target: id })}
      aria-label={label}
      title={label}
    >
      <IconHistory size={15} stroke={1.75} />
    </ActionIcon>
  );
}

/** The same as an entry of a menu. */
export function WhoChangedItem({ kind, id, label = question }: WhoChangedProps) {
  const href = useHref();
  if (!useMay().manage) return null;
  return (
    <Menu.Item
      component={AppLink}
      href={href("/audit", { target_kind: kind, target: id })}
      leftSection={<IconHistory size={15} stroke={1.75} />}
    >
      {label}
    </Menu.Item>
  );
}
