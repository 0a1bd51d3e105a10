import { useMe } from "../../api/use-me.ts";
import { Facts } from "../../parts/facts.tsx";
import { PageHeader } from "../../parts/page-header.tsx";
import { Panel } from "../../parts/panel.tsx";
import { roleWords } from "../../parts/role-words.ts";
import { PasswordPanel } from "./password-panel.tsx";
import styles from "./profile.module.css";
import { SessionsPanel } from "./sessions-panel.tsx";
import { TotpPanel } from "./totp-panel.tsx";

/** What belongs to the person, not to the account: password, second factor, sessions. */
export function ProfileScreen() {
  const me = useMe();
  const account = me.memberships.find(({ tenant_id }) => tenant_id === me.tenant_id);
  return (
    <>
      <PageHeader title="Profile" />
      <div className={styles.panels}>
        <Panel heading="You">
          <Facts
            labelWidth={96}
            facts={[
              { label: "Email", value: me.email },
              { label: "Account", value: account?.name },
              { label: "Role", value: `${me.role}: ${roleWords[me.role]}` },
              {
                label: "Log-in",
                value: me.log_in.oidc ? "with your company account" : "with email address and password",
              },
            ]}
          />
        </Panel>
        {me.log_in.password ? (
          <>
            <PasswordPanel />
            <TotpPanel />
          </>
        ) : null}
        <SessionsPanel />
      </div>
    </>
  );
}
