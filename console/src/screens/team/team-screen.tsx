import { Button } from "@mantine/core";
import { IconUserPlus } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useMay } from "../../api/use-me.ts";
import { OwnersOnly } from "../../parts/owners-only.tsx";
import { PageHeader } from "../../parts/page-header.tsx";
import { InvitationsPanel } from "./invitations-panel.tsx";
import { InviteDialog } from "./invite-dialog.tsx";
import { MembersPanel } from "./members-panel.tsx";
import styles from "./team.module.css";
import { invitationsQuery, membersQuery } from "./team-queries.ts";
import { teamSentence } from "./team-sentence.ts";
import { TotpRequiredPanel } from "./totp-required-panel.tsx";

export function TeamScreen() {
  if (!useMay().manage) return <OwnersOnly title="Team" shows="all members and invitations, and change them" />;
  return <Team />;
}

/** Who belongs to the account, who is invited, and what all of them need to log in. */
function Team() {
  const members = useQuery(membersQuery);
  const invitations = useQuery(invitationsQuery);
  const [isInviting, setInviting] = useState(false);
  return (
    <>
      <PageHeader
        title="Team"
        aside={
          <Button
            variant="filled"
            leftSection={<IconUserPlus size={15} stroke={1.75} />}
            onClick={() => setInviting(true)}
          >
            Invite member
          </Button>
        }
      />
      <p className={styles.sentence}>
        {members.data === undefined || invitations.data === undefined
          ? "\u00a0"
          : teamSentence(members.data, invitations.data)}
      </p>
      <div className={styles.stack}>
        <MembersPanel members={members} />
        <InvitationsPanel invitations={invitations} members={members.data ?? []} />
        <TotpRequiredPanel />
      </div>
      {isInviting ? <InviteDialog onClose={() => setInviting(false)} /> : null}
    </>
  );
}
