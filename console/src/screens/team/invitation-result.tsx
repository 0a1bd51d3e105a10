import { Button } from "@mantine/core";
import type { CreatedInvitation } from "../../api/api-types.ts";
import { Dialog } from "../../parts/dialog.tsx";
import { formatDateTime } from "../../parts/format-time.ts";
import { Secret } from "../../parts/snippet.tsx";

/** The link, this one time. An installation that mails the links never shows them. */
export function InvitationResult({ invited, onClose }: { invited: CreatedInvitation; onClose: () => void }) {
  const { email, link } = invited;
  const until = formatDateTime(Date.parse(invited.expires_at));
  const done = (
    <Button variant="filled" onClick={onClose} data-autofocus="">
      Done
    </Button>
  );
  return (
    <Dialog title={`${email} is invited`} opened onClose={onClose} footer={done} width={560}>
      {link === null ? (
        <p>
          Postern mails the link to {email}. It works once, until {until}. If the mail does not arrive, make a new link.
        </p>
      ) : (
        <>
          <p>
            This installation mails no invitations, so pass the link on yourself, on a way that only {email} reads: the
            first person who opens it joins the account. It works once, until {until}.
          </p>
          <Secret value={link} label="link">
            Postern shows this link once. Copy it now.
          </Secret>
        </>
      )}
    </Dialog>
  );
}
