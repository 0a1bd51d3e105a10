import { Button } from "@mantine/core";
import type { ApiError } from "../../api/api-error.ts";
import { session } from "../../api/session.ts";
import { useMe } from "../../api/use-me.ts";
import { AppLink } from "../../parts/app-link.tsx";
import { Notice } from "../../parts/notice.tsx";
import { Panel } from "../../parts/panel.tsx";
import { Snippet } from "../../parts/snippet.tsx";
import { StatusIcon } from "../../parts/status-word.tsx";
import styles from "./operator.module.css";

/** The person has the flag, and the login is not enough: what is missing in the words of the API, and the way to get it. */
export function MissingLogIn({ refusal }: { refusal: ApiError }) {
  const { email, log_in } = useMe();
  return (
    <div className={styles.page}>
      <Notice kind="warn" title="Your login does not open the operator pages">
        {refusal.message}
      </Notice>
      <Panel heading="What these pages need" flush>
        <ol className={styles.needs}>
          <li>
            <StatusIcon status={log_in.totp ? "found" : "missing"} size={18} />
            <div>
              <b>Two-factor authentication is on</b>
              <p>
                {log_in.totp ? "It is on for your user." : "Set it up with an authenticator app."}{" "}
                <AppLink href="/profile">Open your profile</AppLink>
              </p>
            </div>
          </li>
          <li>
            <StatusIcon status="unknown" size={18} />
            <div>
              <b>The flag was given while this authenticator app was on</b>
              <p>
                If you set up two-factor authentication anew, somebody with a shell on the server gives the flag again:
              </p>
              <Snippet code={`postern admin set-operator --email ${email}`} />
            </div>
          </li>
          <li>
            <StatusIcon status="unknown" size={18} />
            <div>
              <b>You logged in with a code of the app within the last 12 hours</b>
              <p>A recovery code is not enough. Log out, then log in with your password and a code.</p>
              <Button onClick={() => void session.logOut()}>Log out</Button>
            </div>
          </li>
        </ol>
      </Panel>
    </div>
  );
}
