import { ActionIcon, Menu } from "@mantine/core";
import { IconDots, IconRefresh, IconTrash } from "@tabler/icons-react";
import type { UseQueryResult } from "@tanstack/react-query";
import { useState } from "react";
import type { Invitation, Member } from "../../api/api-types.ts";
import { type Column, DataTable } from "../../parts/data-table.tsx";
import { EmptyState } from "../../parts/empty-state.tsx";
import { ErrorState } from "../../parts/error-state.tsx";
import { Panel } from "../../parts/panel.tsx";
import { StatusWord } from "../../parts/status-word.tsx";
import { Time } from "../../parts/time.tsx";
import { WhoChangedItem } from "../../parts/who-changed-link.tsx";
import { RenewInvitationDialog, WithdrawInvitationDialog } from "./invitation-dialogs.tsx";
import styles from "./team.module.css";
import { isVoid } from "./team-sentence.ts";

type Open = { dialog: "renew" | "withdraw"; invitation: Invitation };
type InvitationsPanelProps = { invitations: UseQueryResult<Invitation[]>; members: Member[] };

export function InvitationsPanel({ invitations, members }: InvitationsPanelProps) {
  const [open, setOpen] = useState<Open>();
  const close = () => setOpen(undefined);
  const rows = invitations.data;
  const menu = (invitation: Invitation) => (
    <InvitationMenu invitation={invitation} onChoose={(dialog) => setOpen({ dialog, invitation })} />
  );
  const state = (invitation: Invitation) =>
    isVoid(invitation, members) ? (
      <span title="The person who invited is no longer an owner. Make a new link.">
        <StatusWord status="warning" word="Link invalid" />
      </span>
    ) : (
      <StatusWord status="invited" />
    );
  const columns: Column<Invitation>[] = [
    { key: "state", header: "State", width: 130, cell: state },
    {
      key: "email",
      header: "Address",
      cell: ({ email }) => email,
      copy: ({ email }) => email,
    },
    { key: "role", header: "Role", width: 110, cell: ({ role }) => role },
    {
      key: "by",
      header: "Invited by",
      width: "24%",
      quiet: true,
      hideBelow: 900,
      cell: (invitation) => inviterOf(invitation, members),
    },
    {
      key: "expires",
      header: "Expires",
      width: 124,
      align: "right",
      quiet: true,
      cell: ({ expires_at }) => <Time at={expires_at} />,
    },
    { key: "actions", header: <span className="visually-hidden">Actions</span>, width: 52, align: "right", cell: menu },
  ];
  return (
    <Panel heading="Open invitations" flush {...(rows === undefined ? {} : { count: rows.length })}>
      {invitations.error !== null && rows === undefined ? (
        <ErrorState error={invitations.error} onRetry={() => void invitations.refetch()} />
      ) : (
        <DataTable
          label="Open invitations"
          columns={columns}
          rows={rows}
          rowKey={({ id }) => id}
          skeletonRows={1}
          empty={
            <div className={styles.small}>
              <EmptyState title="No open invitations">
                <p>An invitation stays open for 7 days, until the person accepts it.</p>
              </EmptyState>
            </div>
          }
          compact={(invitation) => (
            <div className={styles.card}>
              <b className="cut">{invitation.email}</b>
              {menu(invitation)}
              <span>{isVoid(invitation, members) ? state(invitation) : invitation.role}</span>
              <span className={styles.cardTime}>
                expires <Time at={invitation.expires_at} />
              </span>
            </div>
          )}
        />
      )}
      {open?.dialog === "renew" ? <RenewInvitationDialog invitation={open.invitation} onClose={close} /> : null}
      {open?.dialog === "withdraw" ? <WithdrawInvitationDialog invitation={open.invitation} onClose={close} /> : null}
    </Panel>
  );
}

function inviterOf({ invited_by }: Invitation, members: Member[]): string {
  if (invited_by === null) return "the operator";
  return members.find(({ user_id }) => user_id === invited_by)?.email ?? "a former member";
}

interface InvitationMenuProps {
  invitation: Invitation;
  onChoose: (dialog: Open["dialog"]) => void;
}

function InvitationMenu({ invitation: { email }, onChoose }: InvitationMenuProps) {
  return (
    <Menu position="bottom-end" width={200}>
      <Menu.Target>
        <ActionIcon aria-label={`Actions for the invitation of ${email}`}>
          <IconDots size={16} stroke={1.75} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item leftSection={<IconRefresh size={15} stroke={1.75} />} onClick={() => onChoose("renew")}>
          Send again…
        </Menu.Item>
        <Menu.Item leftSection={<IconTrash size={15} stroke={1.75} />} onClick={() => onChoose("withdraw")}>
          Withdraw…
        </Menu.Item>
        <Menu.Divider />
        <WhoChangedItem kind="invitation" id={email} />
      </Menu.Dropdown>
    </Menu>
  );
}
