import type { OnDatabase } from "../on-database.ts";
import { groupOf, PosternCommand } from "../postern-command.ts";

export function failoverCommand(onDatabase: OnDatabase): PosternCommand {
  return groupOf("failover", [showCommand(onDatabase), declareCommand(onDatabase), confirmCommand(onDatabase)])
    .about(
      "handle the sends in doubt after a database failover or restore",
      "A failover to a lagging standby, or a restore, can lose the record of mail that SES has already accepted. Therefore workers " +
        "mark all queued live mail as in doubt first, and submit none until that is done. Afterwards:",
      "1. When SES reports an event for a send, the send counts as sent and leaves the queue.\n" +
        "2. When SES reports none within the waiting time, the send is sent again or failed, as IN_DOUBT_POLICY says.",
      "Workers detect most failovers and restores themselves.",
    )
    .example("postern admin failover show");
}

function showCommand(onDatabase: OnDatabase): PosternCommand {
  return new PosternCommand("show")
    .about("show the last failover or restore and how many sends are in doubt")
    .example("postern admin failover show")
    .action(
      onDatabase(
        () => import("./failover.ts"),
        ({ runShow }, { db }) => runShow(db),
      ),
    );
}

function declareCommand(onDatabase: OnDatabase): PosternCommand {
  return new PosternCommand("declare")
    .about(
      "record a failover or restore that Postern cannot detect",
      "Use it when `postern admin failover show` does not show one that happened.",
    )
    .example("postern admin failover declare")
    .action(
      onDatabase(
        () => import("./failover.ts"),
        ({ runDeclare }, { db }) => runDeclare(db),
      ),
    );
}

function confirmCommand(onDatabase: OnDatabase): PosternCommand {
  return new PosternCommand("confirm-no-loss")
    .about(
      "confirm that the last failover lost no data, so that its sends go out now",
      "Use it only when no data was lost: after a clean switchover, after an upgrade or a move with every process stopped, or with " +
        "synchronous replication. In all other cases recipients can get the same mail twice.",
    )
    .example("postern admin failover confirm-no-loss")
    .action(
      onDatabase(
        () => import("./failover.ts"),
        ({ runConfirmNoLoss }, { db }) => runConfirmNoLoss(db),
      ),
    );
}
