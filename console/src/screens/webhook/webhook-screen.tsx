import { useNavigate, useParams } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { ApiError } from "../../api/api-error.ts";
import type { Webhook } from "../../api/api-types.ts";
import { useMay } from "../../api/use-me.ts";
import { useMode, useSearchState } from "../../frame/search-state.ts";
import { AppLink } from "../../parts/app-link.tsx";
import { EmptyState } from "../../parts/empty-state.tsx";
import { ErrorState } from "../../parts/error-state.tsx";
import { Loading } from "../../parts/loading.tsx";
import { Notice } from "../../parts/notice.tsx";
import { PageHeader } from "../../parts/page-header.tsx";
import { Panel } from "../../parts/panel.tsx";
import { useHref } from "../../parts/use-href.ts";
import { ChangeWebhookDialog } from "./change-webhook-dialog.tsx";
import { DeleteWebhookDialog } from "./delete-webhook-dialog.tsx";
import { DeliveriesPanel } from "./deliveries-panel.tsx";
import { EnableDialog } from "./enable-dialog.tsx";
import { ReplayDialog } from "./replay-dialog.tsx";
import { ReplayNotice } from "./replay-notice.tsx";
import { RotateDialog } from "./rotate-dialog.tsx";
import { SecretNotice } from "./secret-notice.tsx";
import { TestDialog } from "./test-dialog.tsx";
import styles from "./webhook.module.css";
import { type DialogName, WebhookActions } from "./webhook-actions.tsx";
import { WebhookFacts } from "./webhook-facts.tsx";
import { WebhookFigures } from "./webhook-figures.tsx";
import { useWebhook } from "./webhook-queries.ts";
import { webhookSentence } from "./webhook-sentence.ts";

/** One webhook: whether it works, what was sent to it, and everything that a developer may do about it. */
export function WebhookScreen() {
  const { id = "" } = useParams({ strict: false });
  const href = useHref();
  const { data, error, refetch } = useWebhook(id);
  const breadcrumb = { label: "Webhooks", href: href("/webhooks") };
  if (data !== undefined) return <LoadedScreen key={id} webhook={data} pollError={error} breadcrumb={breadcrumb} />;
  if (error instanceof ApiError && error.status === 404) {
    return (
      <>
        <PageHeader title="No such webhook" breadcrumb={breadcrumb} />
        <Panel flush>
          <EmptyState
            title="This account has no webhook with this id"
            action={<AppLink href={breadcrumb.href}>Show all webhooks</AppLink>}
          >
            <p>It was deleted, or it belongs to another account of yours: switch the account at the top left.</p>
          </EmptyState>
        </Panel>
      </>
    );
  }
  return (
    <>
      <PageHeader title="Webhook" breadcrumb={breadcrumb} />
      <Panel flush>
        {error === null ? (
          <Loading lines={8} label="Loading the webhook" />
        ) : (
          <ErrorState error={error} onRetry={() => void refetch()} />
        )}
      </Panel>
    </>
  );
}

interface LoadedScreenProps {
  webhook: Webhook;
  pollError: Error | null;
  breadcrumb: { label: string; href: string };
}

function LoadedScreen({ webhook, pollError, breadcrumb }: LoadedScreenProps) {
  const may = useMay();
  const navigate = useNavigate();
  const [dialog, setDialog] = useState<DialogName>();
  const close = () => setDialog(undefined);
  useModeOf(webhook.mode);
  const { lead, rest } = webhookSentence(webhook);
  return (
    <>
      <PageHeader
        title={webhook.url}
        breadcrumb={breadcrumb}
        aside={may.write ? <WebhookActions webhook={webhook} onChoose={setDialog} /> : undefined}
      />
      <p className={styles.sentence}>
        <b>{lead}</b> {rest}
      </p>
      <div className={styles.stack}>
        {pollError === null ? null : (
          <Notice kind="warn" title="These figures may be old: the last refresh failed.">
            {pollError.message}
          </Notice>
        )}
        <ReplayNotice webhookId={webhook.webhook_id} mayCancel={may.write} />
        <SecretNotice secrets={webhook.secrets} />
        <WebhookFigures webhook={webhook} />
        <DeliveriesPanel webhookId={webhook.webhook_id} />
        <WebhookFacts webhook={webhook} />
      </div>
      {may.write && (
        <>
          <ChangeWebhookDialog webhook={webhook} opened={dialog === "change"} onClose={close} />
          <TestDialog webhook={webhook} opened={dialog === "test"} onClose={close} />
          <ReplayDialog webhook={webhook} opened={dialog === "replay"} onClose={close} />
          {dialog === "rotate" && <RotateDialog webhook={webhook} onClose={close} />}
          <EnableDialog webhook={webhook} opened={dialog === "enable"} onClose={close} />
          <DeleteWebhookDialog
            webhook={webhook}
            opened={dialog === "delete"}
            onClose={close}
            onDeleted={() => void navigate({ to: "/webhooks" })}
          />
        </>
      )}
    </>
  );
}

/** A link to a test webhook may lack the mode; the page shows the mode of what it shows. */
function useModeOf(mode: "live" | "test"): void {
  const current = useMode();
  const [{ before }, change] = useSearchState();
  useEffect(() => {
    if (mode !== current) change({ mode: mode === "test" ? "test" : undefined, before }, { replace: true });
  }, [mode, current, before, change]);
}
