import { Button } from "@mantine/core";
import { IconHandStop, IconPlayerPlay } from "@tabler/icons-react";
import { useParams } from "@tanstack/react-router";
import { useState } from "react";
import { Loading } from "../../../parts/loading.tsx";
import { Panel } from "../../../parts/panel.tsx";
import { OperatorPage } from "../operator-page.tsx";
import { accountQuery, useOperatorQuery } from "../operator-queries.ts";
import styles from "./account.module.css";
import { AccountDialog, type AccountDialogName } from "./account-dialog.tsx";
import { AccountMenu } from "./account-menu.tsx";
import { AccountPanels } from "./account-panels.tsx";
import { accountSentence } from "./account-sentence.ts";

/** One account as an operator sees it, and what an operator can do to it. */
export function AccountScreen() {
  const { id = "" } = useParams({ strict: false });
  const account = useOperatorQuery(accountQuery(id));
  const [dialog, setDialog] = useState<AccountDialogName>();
  const { data } = account;
  const isHeld = data?.hold != null;
  const aside = data && (
    <>
      <Button
        leftSection={isHeld ? <IconPlayerPlay size={15} /> : <IconHandStop size={15} />}
        onClick={() => setDialog(isHeld ? "release" : "hold")}
      >
        {isHeld ? "Release mail" : "Hold mail"}
      </Button>
      <AccountMenu account={data} onChoose={setDialog} />
    </>
  );
  return (
    <OperatorPage
      title={data?.name ?? "Account"}
      breadcrumb={{ label: "Accounts", href: "/operator/accounts" }}
      aside={aside}
      query={account}
    >
      {data === undefined ? (
        <Panel>
          <Loading label="Loading the account" lines={5} />
        </Panel>
      ) : (
        <>
          <p className={styles.sentence}>{accountSentence(data)}</p>
          <AccountPanels account={data} onChoose={setDialog} />
        </>
      )}
      {dialog === undefined || data === undefined ? null : (
        <AccountDialog dialog={dialog} account={data} onClose={() => setDialog(undefined)} />
      )}
    </OperatorPage>
  );
}
