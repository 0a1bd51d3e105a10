import { Button } from "@mantine/core";
import { IconBan, IconRefresh } from "@tabler/icons-react";
import { useParams } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { ApiError } from "../../api/api-error.ts";
import { useMay } from "../../api/use-me.ts";
import { stringifySearch, useMode, useSearchState } from "../../frame/search-state.ts";
import { ErrorState } from "../../parts/error-state.tsx";
import { formatRelative, formatWeekdayTime } from "../../parts/format-time.ts";
import { Loading } from "../../parts/loading.tsx";
import { PageHeader } from "../../parts/page-header.tsx";
import { Panel } from "../../parts/panel.tsx";
import { Segments } from "../../parts/segments.tsx";
import { useTick } from "../../parts/use-tick.ts";
import { useViewportWidth } from "../../parts/use-viewport-width.ts";
import { CancelSendDialog } from "./cancel-send-dialog.tsx";
import { MailView } from "./mail-view.tsx";
import { NoSuchSend } from "./no-such-send.tsx";
import { outcomesOf } from "./outcome.ts";
import { RecipientList } from "./recipient-list.tsx";
import { SendAgainDialog } from "./send-again-dialog.tsx";
import { SendFacts } from "./send-facts.tsx";
import styles from "./send-screen.module.css";
import { Summary } from "./send-summary.tsx";
import { TimelinePanel } from "./timeline-panel.tsx";
import { type LoadedSend, useSend } from "./use-send.ts";
import { WebhooksPanel } from "./webhooks-panel.tsx";

/** One send: what happened first, then each recipient, then every step, and the mail itself. */
export function SendScreen() {
  const { id = "" } = useParams({ strict: false });
  const { data, error, refetch } = useSend(id);
  const mode = useMode();
  const breadcrumb = {
    label: "Activity",
    href: `/activity${stringifySearch({ mode: mode === "test" ? mode : undefined })}`,
  };
  if (data !== undefined) return <LoadedScreen key={id} loaded={data} breadcrumb={breadcrumb} />;
  if (error instanceof ApiError && (error.status === 404 || error.status === 422)) return <NoSuchSend id={id} />;
  return (
    <>
      <PageHeader title="Send" breadcrumb={breadcrumb} />
      {error === null ? (
        <Loading label="Loading the send" lines={6} height={400} />
      ) : (
        <Panel>
          <ErrorState error={error} onRetry={() => void refetch()} />
        </Panel>
      )}
    </>
  );
}

type Section = "recipients" | "timeline" | "mail" | "details";

function LoadedScreen({ loaded, breadcrumb }: { loaded: LoadedSend; breadcrumb: { label: string; href: string } }) {
  const { send, timeline } = loaded;
  const outcomes = outcomesOf(send, timeline);
  const isNarrow = useViewportWidth() <= 640;
  const [section, setSection] = useState<Section>("recipients");
  useModeOf(send.mode);

  const recipients = <RecipientList send={send} outcomes={outcomes} />;
  const steps = <TimelinePanel timeline={timeline} />;
  const mail = <MailView id={send.id} />;
  const facts = <SendFacts send={send} />;
  const webhooks = <WebhooksPanel send={send} />;
  return (
    <>
      <Header loaded={loaded} breadcrumb={breadcrumb} />
      {isNarrow ? (
        <div className={styles.column}>
          <Summary send={send} outcomes={outcomes} />
          <Segments
            wide
            label="Section"
            value={section}
            onChange={setSection}
            options={[
              { value: "recipients", label: "Recipients" },
              { value: "timeline", label: "Timeline" },
              { value: "mail", label: "Mail" },
              { value: "details", label: "Details" },
            ]}
          />
          {{ recipients, timeline: steps, mail, details: facts }[section]}
          {section === "details" && webhooks}
        </div>
      ) : (
        <div className={styles.columns}>
          <div className={styles.column}>
            <Summary send={send} outcomes={outcomes} />
            {recipients}
            {steps}
            {webhooks}
          </div>
          <div className={styles.column}>
            {mail}
            {facts}
          </div>
        </div>
      )}
    </>
  );
}

function Header({
  loaded: { send, timeline },
  breadcrumb,
}: {
  loaded: LoadedSend;
  breadcrumb: { label: string; href: string };
}) {
  useTick();
  const may = useMay();
  const [isSending, setSending] = useState(false);
  const [isCancelling, setCancelling] = useState(false);
  const at = Date.parse(send.queued_at);
  const age = Date.now() - at < 24 * 3_600_000 ? `, ${formatRelative(at)}` : "";
  return (
    <>
      <PageHeader
        title={send.subject}
        breadcrumb={breadcrumb}
        aside={
          <>
            <time className="tabular" dateTime={send.queued_at} title={send.queued_at}>
              {formatWeekdayTime(at)}
              {age}
            </time>
            {may.write && send.status === "queued" && (
              <Button leftSection={<IconBan size={15} stroke={1.75} />} onClick={() => setCancelling(true)}>
                Cancel mail
              </Button>
            )}
            {may.write && (
              <Button leftSection={<IconRefresh size={15} stroke={1.75} />} onClick={() => setSending(true)}>
                Send again
              </Button>
            )}
          </>
        }
      />
      {may.write && <CancelSendDialog opened={isCancelling} onClose={() => setCancelling(false)} send={send} />}
      {may.write && (
        <SendAgainDialog
          opened={isSending}
          onClose={() => setSending(false)}
          send={send}
          outcomes={outcomesOf(send, timeline)}
        />
      )}
    </>
  );
}

/** A link to a test send may lack the mode; the page shows the mode of the send it shows. */
function useModeOf(mode: "live" | "test"): void {
  const current = useMode();
  const [, change] = useSearchState();
  useEffect(() => {
    if (mode !== current) change({ mode: mode === "test" ? "test" : undefined }, { replace: true });
  }, [mode, current, change]);
}
