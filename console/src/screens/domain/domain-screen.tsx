import { ActionIcon, Button, Menu } from "@mantine/core";
import { IconDots, IconRefresh, IconSend, IconTrash } from "@tabler/icons-react";
import { useNavigate, useParams } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { ApiError } from "../../api/api-error.ts";
import type { Domain } from "../../api/api-types.ts";
import { useMay } from "../../api/use-me.ts";
import { AppLink } from "../../parts/app-link.tsx";
import { EmptyState } from "../../parts/empty-state.tsx";
import { ErrorState } from "../../parts/error-state.tsx";
import { Loading } from "../../parts/loading.tsx";
import { Notice } from "../../parts/notice.tsx";
import { PageHeader } from "../../parts/page-header.tsx";
import { Panel } from "../../parts/panel.tsx";
import { RemoveDomainDialog } from "../../parts/remove-domain-dialog.tsx";
import { Time } from "../../parts/time.tsx";
import { useHref } from "../../parts/use-href.ts";
import { WhoChangedItem } from "../../parts/who-changed-link.tsx";
import { AdvicePanel } from "./advice-panel.tsx";
import { adviceRows } from "./advice-rows.ts";
import { CheckResult } from "./check-result.tsx";
import classes from "./domain.module.css";
import { useDomain, useLiveDns } from "./domain-queries.ts";
import { domainSentence } from "./domain-sentence.ts";
import { DomainSteps } from "./domain-steps.tsx";
import { MailFromDialog } from "./mail-from-dialog.tsx";
import { requiredRecords } from "./record-state.ts";
import { RecordsPanel } from "./records-panel.tsx";
import { TestMailResult } from "./test-mail-result.tsx";
import { useCheckNow } from "./use-check-now.ts";
import { useTestMail } from "./use-test-mail.ts";

export function DomainScreen() {
  const { id = "" } = useParams({ strict: false });
  // A new id is a new page: the result of a check belongs to one domain.
  return <OneDomain key={id} id={id} />;
}

function OneDomain({ id }: { id: string }) {
  const href = useHref();
  const checking = useCheckNow(id);
  const query = useDomain(id, checking.isWaiting);
  const domain = query.data;
  const { follow } = checking;
  useEffect(() => {
    if (domain !== undefined) follow(domain);
  });
  const breadcrumb = { label: "Domains", href: href("/domains") };
  if (domain !== undefined) return <LoadedDomain domain={domain} checking={checking} pollError={query.error} />;
  if (query.error instanceof ApiError && query.error.status === 404) {
    return (
      <>
        <PageHeader title="No such domain" breadcrumb={breadcrumb} />
        <Panel flush>
          <EmptyState
            title="This account has no domain with this id"
            action={<AppLink href={breadcrumb.href}>Show all domains</AppLink>}
          >
            <p>It was removed, or it belongs to another account of yours: switch the account at the top left.</p>
          </EmptyState>
        </Panel>
      </>
    );
  }
  return (
    <>
      <PageHeader title="Domain" breadcrumb={breadcrumb} />
      <Panel flush>
        {query.error === null ? (
          <Loading lines={8} label="Loading the domain" />
        ) : (
          <ErrorState error={query.error} onRetry={() => void query.refetch()} />
        )}
      </Panel>
    </>
  );
}

type LoadedDomainProps = { domain: Domain; checking: ReturnType<typeof useCheckNow>; pollError: Error | null };

function LoadedDomain({ domain, checking, pollError }: LoadedDomainProps) {
  const [dialog, setDialog] = useState<"remove" | "mail-from">();
  const may = useMay();
  const href = useHref();
  const navigate = useNavigate();
  const dns = useLiveDns(String(domain.domain_id), domain);
  const { email, sending } = useTestMail(domain.domain_name);
  const records = requiredRecords(domain, dns.data, Date.now());
  const { lead, rest } = domainSentence(domain, records);
  const isVerified = domain.verification_status === "Success";
  const isChecking = checking.state.kind === "checking";
  return (
    <>
      <PageHeader
        title={domain.domain_name}
        breadcrumb={{ label: "Domains", href: href("/domains") }}
        aside={
          <>
            <CheckTimes domain={domain} />
            {may.write ? (
              <Actions
                name={domain.domain_name}
                isVerified={isVerified}
                isChecking={isChecking}
                isSending={sending.isPending}
                onCheck={() => checking.check(domain)}
                onSend={() => sending.mutate()}
                onRemove={() => setDialog("remove")}
              />
            ) : null}
          </>
        }
      />
      <p className={classes.sentence}>
        <b>{lead}</b> {rest}
      </p>
      <div className={classes.stack}>
        {pollError === null ? null : (
          <Notice kind="warn" title="These states may be old: the last refresh failed.">
            {pollError.message}
          </Notice>
        )}
        <CheckResult state={checking.state} onDismiss={checking.dismiss} />
        <TestMailResult email={email} accepted={sending.data} error={sending.error} onDismiss={sending.reset} />
        {isVerified ? null : <DomainSteps domain={domain} records={records} />}
        <RecordsPanel domain={domain} dns={dns.data} records={records} />
        {dns.error !== null && dns.data === undefined ? (
          <Panel heading="Advice" flush>
            <ErrorState error={dns.error} onRetry={() => void dns.refetch()} />
          </Panel>
        ) : null}
        {dns.isPending ? (
          <Panel heading="Advice" flush>
            <Loading lines={5} label="Asking DNS" height={236} />
          </Panel>
        ) : null}
        {dns.data === undefined ? null : (
          <AdvicePanel
            rows={adviceRows(domain, dns.data)}
            hasMailFrom={domain.mail_from !== null}
            onMailFrom={may.write && isVerified ? () => setDialog("mail-from") : undefined}
          />
        )}
      </div>
      <RemoveDomainDialog
        domain={dialog === "remove" ? domain : undefined}
        onClose={() => setDialog(undefined)}
        onRemoved={() => void navigate({ to: "/domains" })}
      />
      <MailFromDialog domain={domain} opened={dialog === "mail-from"} onClose={() => setDialog(undefined)} />
    </>
  );
}

function CheckTimes({ domain: { last_checked_at, next_check_at } }: { domain: Domain }) {
  const isDue = Date.parse(next_check_at) <= Date.now();
  return (
    <span>
      {last_checked_at === null ? (
        "Not checked yet"
      ) : (
        <>
          Checked <Time at={last_checked_at} />
        </>
      )}
      , next check {isDue ? "now" : <Time at={next_check_at} />}
    </span>
  );
}

interface ActionsProps {
  name: string;
  isVerified: boolean;
  isChecking: boolean;
  isSending: boolean;
  onCheck: () => void;
  onSend: () => void;
  onRemove: () => void;
}

/** The filled button is the next step: a check, and a mail once the domain is verified. */
function Actions({ name, isVerified, isChecking, isSending, onCheck, onSend, onRemove }: ActionsProps) {
  return (
    <>
      <Button
        {...(isVerified ? {} : { variant: "filled" })}
        leftSection={<IconRefresh size={15} stroke={1.75} />}
        loading={isChecking}
        onClick={onCheck}
      >
        Check now
      </Button>
      {isVerified ? (
        <Button
          variant="filled"
          leftSection={<IconSend size={15} stroke={1.75} />}
          loading={isSending}
          onClick={onSend}
        >
          Send a test
        </Button>
      ) : null}
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon variant="default" size={30} aria-label="More actions">
            <IconDots size={16} stroke={1.75} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item leftSection={<IconTrash size={15} stroke={1.75} />} onClick={onRemove}>
            Remove domain
          </Menu.Item>
          {/* By its name: a domain that was removed and added again has a new id. */}
          <WhoChangedItem kind="domain" id={name} />
        </Menu.Dropdown>
      </Menu>
    </>
  );
}
