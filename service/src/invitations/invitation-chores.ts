import type { Queryable } from "../db/database.ts";
import { deleteExpiredLogins } from "../logins/expired-logins.ts";
import { deleteExpiredResets } from "../logins/password-reset.ts";
import type { Chore } from "../loops/chores.ts";
import { deleteExpiredInvitations } from "./invitation-store.ts";

const deleteSize = 1_000;
const maxMs = 60_000;

/** Expired links and logins work no longer; this keeps their rows from piling up. */
export function invitationChores(db: Queryable): Chore[] {
  return [
    {
      name: "delete-expired-links",
      pauseSeconds: 600,
      run: async () => {
        const endsAt = performance.now() + maxMs;
        while (performance.now() < endsAt && (await deleteExpiredInvitations(db, deleteSize)) === deleteSize);
        while (performance.now() < endsAt && (await deleteExpiredResets(db, deleteSize)) === deleteSize);
      },
    },
    {
      name: "delete-expired-logins",
      pauseSeconds: 600,
      run: async () => {
        const endsAt = performance.now() + maxMs;
        while (performance.now() < endsAt && (await deleteExpiredLogins(db, deleteSize)) === deleteSize);
      },
    },
  ];
}
