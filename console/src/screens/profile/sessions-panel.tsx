import { Button } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { call } from "../../api/call.ts";
import { ErrorState } from "../../parts/error-state.tsx";
import { Loading } from "../../parts/loading.tsx";
import { notifyDone, notifyFailed } from "../../parts/notify.ts";
import { Panel } from "../../parts/panel.tsx";
import { Tag } from "../../parts/tag.tsx";
import { Time } from "../../parts/time.tsx";
import { describeDevice } from "./describe-device.ts";
import styles from "./profile.module.css";

export function SessionsPanel() {
  const queryClient = useQueryClient();
  const sessions = useQuery({
    queryKey: ["sessions"],
    queryFn: ({ signal }) => call("GET /api/v1/auth/sessions", { signal }),
  });
  const options = {
    onError: notifyFailed,
    onSettled: () => queryClient.invalidateQueries({ queryKey: ["sessions"] }),
  };
  const end = useMutation({
    mutationFn: (id: string) => call("DELETE /api/v1/auth/sessions/{id}", { path: { id } }),
    onSuccess: () => notifyDone("The session has ended."),
    ...options,
  });
  const endOthers = useMutation({
    mutationFn: () => call("DELETE /api/v1/auth/sessions", {}),
    onSuccess: ({ ended }) => notifyDone(ended === 1 ? "1 session has ended." : `${ended} sessions have ended.`),
    ...options,
  });
  const rows = sessions.data?.sessions ?? [];
  const aside =
    rows.length > 1 ? (
      <Button loading={endOthers.isPending} onClick={() => endOthers.mutate()}>
        End all others
      </Button>
    ) : undefined;
  return (
    <Panel heading="Sessions" count={sessions.data?.sessions.length} aside={aside} flush>
      {sessions.data === undefined ? (
        sessions.error === null ? (
          <Loading />
        ) : (
          <ErrorState error={sessions.error} onRetry={() => void sessions.refetch()} />
        )
      ) : (
        <ul className={styles.sessions}>
          {rows.map((session) => (
            <li key={session.id}>
              <span className={styles.device} title={session.device ?? undefined}>
                {describeDevice(session.device)}
                {session.current ? <Tag>this one</Tag> : null}
              </span>
              <span className={styles.address}>{session.address ?? "address unknown"}</span>
              <span className={styles.used}>
                used <Time at={session.last_used_at} />
              </span>
              {session.current ? (
                <span />
              ) : (
                <Button
                  loading={end.isPending && end.variables === session.id}
                  onClick={() => end.mutate(session.id)}
                  aria-label={`End the session of ${describeDevice(session.device)}`}
                >
                  End
                </Button>
              )}
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}
