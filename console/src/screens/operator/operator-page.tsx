import type { ReactNode } from "react";
import { ApiError } from "../../api/api-error.ts";
import { useMe } from "../../api/use-me.ts";
import { EmptyState } from "../../parts/empty-state.tsx";
import { ErrorState } from "../../parts/error-state.tsx";
import { PageHeader, type PageHeaderProps } from "../../parts/page-header.tsx";
import { Panel } from "../../parts/panel.tsx";
import { MissingLogIn } from "./missing-log-in.tsx";
import styles from "./operator.module.css";

type OperatorPageProps = PageHeaderProps & {
  /** The main query of the page; without data its error replaces the page. */
  query?: { error: unknown; data: unknown; refetch: () => unknown };
  children: ReactNode;
};

/** The frame of every operator page: who may not see it learns why, and how to get there. */
export function OperatorPage({ query, children, ...header }: OperatorPageProps) {
  const { is_operator } = useMe();
  if (!is_operator) return <ForOperators title={header.title} />;
  const refusal = query?.error instanceof ApiError && query.error.status === 403 ? query.error : undefined;
  if (refusal !== undefined) {
    return (
      <>
        <PageHeader title={header.title} />
        <MissingLogIn refusal={refusal} />
      </>
    );
  }
  const error = query?.error ?? undefined;
  return (
    <>
      <PageHeader {...header} />
      <div className={styles.page}>
        {error !== undefined && (
          <Panel flush>
            <ErrorState error={error} onRetry={() => void query?.refetch()} />
          </Panel>
        )}
        {error !== undefined && query?.data === undefined ? null : children}
      </div>
    </>
  );
}

function ForOperators({ title }: { title: string }) {
  return (
    <>
      <PageHeader title={title} />
      <Panel flush>
        <EmptyState title="This page is for operators of the installation">
          <p>It shows all accounts and the state of the service. Your own mail is on the overview.</p>
        </EmptyState>
      </Panel>
    </>
  );
}
