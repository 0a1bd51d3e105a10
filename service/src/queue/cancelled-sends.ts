import { cancellableStates, hasUnknownAttempt, isKnownServer, isOfKnownServer } from "./fail-queued.ts";

/** SQL: the send with this row of the queue can be cancelled. */
export const isCancellable = (row: string) => `${row}.state in (${cancellableStates}) and ${isOfKnownServer(row)}`;

/** SQL: the scheduled send with this row can be cancelled. A failover leaves those that are not due (in-doubt/failover-sweep.ts). */
export const isCancellableScheduled = (row: string) =>
  `(${row}.mode = 'test' or ${row}.scheduled_at > now() or ${isKnownServer("'live'")})`;

const afterUnknownAttempt =
  " The provider did not report whether it accepted an earlier attempt, so that mail may have gone out. Postern does not send it again.";

/** SQL: why the send ended. Nobody knows whether an earlier attempt of unknown outcome went out; a later event still corrects the send. */
export const cancelMessage = (id: string, message: string) =>
  `${message}::text || case when ${hasUnknownAttempt(id)} then '${afterUnknownAttempt}' else '' end`;
