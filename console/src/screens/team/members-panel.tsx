import { ActionIcon, Menu } from "@mantine/core";
import { IconDots, IconLogin2, IconTrash, IconUserCog } from "@tabler/icons-react";
import type { UseQueryResult } from "@tanstack/react-query";
import { useState } from "react";
import type { Member } from "../../api/api-types.ts";
import { useMe } from "../../api/use-me.ts";
import { AppLink } from "../../parts/app-link.tsx";
import { type Column, DataTable } from "../../parts/data-table.tsx";
import { ErrorState } from "../../parts/error-state.tsx";
import { Panel } from "../../parts/panel.tsx";
import { roleWords } from "../../parts/role-words.ts";
import { Tag } from "../../parts/tag.tsx";
import { Time } from "../../parts/time.tsx";
import { useHref } from "../../parts/use-href.ts";
import { WhoChangedItem } from "../../parts/who-changed-link.tsx";
import { ChangeRoleDialog } from "./change-role-dialog.tsx";
import { RemoveMemberDialog } from "./remove-member-dialog.tsx";
import styles from "./team.module.css";
import { isLastOwner } from "./team-sentence.ts";

type Open = { dialog: "role" | "remove"; member: Member };

export function MembersPanel({ members }: { members: UseQueryResult<Member[]> }) {
  const me = useMe();
  const [open, setOpen] = useState<Open>();
  const close = () => setOpen(undefined);
  const rows = members.data;
  const isSelf = ({ user_id }: Member) => user_id === me.user_id;
  const menu = (member: Member) => (
    <MemberMenu
      member={member}
      isSelf={isSelf(member)}
      mustStay={isLastOwner(member, rows ?? [])}
      onChoose={(dialog) => setOpen({ dialog, member })}
    />
  );
  const columns: Column<Member>[] = [
    {
      key: "email",
      header: "Member",
      cell: (member) => <Email member={member} isSelf={isSelf(member)} />,
      title: ({ email }) => email,
      copy: ({ email }) => email,
    },
    { key: "role", header: "Role", width: 110, cell: ({ role }) => role },
    { key: "may", header: "May", width: 500, quiet: true, hideBelow: 1200, cell: ({ role }) => roleWords[role] },
    {
      key: "since",
      header: "Member since",
      width: 124,
      align: "right",
      quiet: true,
      cell: ({ created_at }) => <Time at={created_at} />,
    },
    { key: "actions", header: <span className="visually-hidden">Actions</span>, width: 52, align: "right", cell: menu },
  ];
  return (
    <Panel heading="Members" flush {...(rows === undefined ? {} : { count: rows.length })}>
      {members.error !== null && rows === undefined ? (
        <ErrorState error={members.error} onRetry={() => void members.refetch()} />
      ) : (
        <DataTable
          label="Members"
          columns={columns}
          rows={rows}
          rowKey={({ user_id }) => user_id}
          skeletonRows={3}
          compact={(member) => (
            <div className={styles.card}>
              <Email member={member} isSelf={isSelf(member)} />
              {menu(member)}
              <span>{member.role}</span>
              <span className={styles.cardTime}>
                since <Time at={member.created_at} />
              </span>
            </div>
          )}
        />
      )}
      {open?.dialog === "role" ? (
        <ChangeRoleDialog member={open.member} isSelf={isSelf(open.member)} onClose={close} />
      ) : null}
      {open?.dialog === "remove" ? (
        <RemoveMemberDialog member={open.member} isSelf={isSelf(open.member)} onClose={close} />
      ) : null}
    </Panel>
  );
}

function Email({ member: { email }, isSelf }: { member: Member; isSelf: boolean }) {
  return (
    <span className={styles.email}>
      <b className="cut">{email}</b>
      {isSelf && <Tag>you</Tag>}
    </span>
  );
}

interface MemberMenuProps {
  member: Member;
  isSelf: boolean;
  /** The last owner. */
  mustStay: boolean;
  onChoose: (dialog: Open["dialog"]) => void;
}

function MemberMenu({ member, isSelf, mustStay, onChoose }: MemberMenuProps) {
  const href = useHref();
  return (
    <Menu position="bottom-end" width={230}>
      <Menu.Target>
        <ActionIcon aria-label={`Actions for ${member.email}`}>
          <IconDots size={16} stroke={1.75} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {mustStay && (
          <Menu.Label>
            An account needs an owner, and {isSelf ? "you are" : "this is"} the only one. Make another member an owner
            first.
          </Menu.Label>
        )}
        <Menu.Item
          disabled={mustStay}
          leftSection={<IconUserCog size={15} stroke={1.75} />}
          onClick={() => onChoose("role")}
        >
          Change role…
        </Menu.Item>
        <Menu.Item
          disabled={mustStay}
          leftSection={<IconTrash size={15} stroke={1.75} />}
          onClick={() => onChoose("remove")}
        >
          {isSelf ? "Leave the account…" : "Remove…"}
        </Menu.Item>
        <Menu.Divider />
        <WhoChangedItem kind="member" id={member.user_id} />
        <Menu.Item
          component={AppLink}
          href={href("/audit", { target_kind: "user", target: member.user_id })}
          leftSection={<IconLogin2 size={15} stroke={1.75} />}
        >
          Show log-ins
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
