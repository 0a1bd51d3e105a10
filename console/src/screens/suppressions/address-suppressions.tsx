import { Button } from "@mantine/core";
import { IconFlask, IconHistory, IconListDetails, IconMail } from "@tabler/icons-react";
import { useState } from "react";
import type { Suppression } from "../../api/api-types.ts";
import { useMay } from "../../api/use-me.ts";
import { type Mode, useSearchState } from "../../frame/search-state.ts";
import { AppLink } from "../../parts/app-link.tsx";
import { EmptyState, type WayOut, WaysOut } from "../../parts/empty-state.tsx";
import { ErrorState } from "../../parts/error-state.tsx";
import { LiftSuppressionDialog } from "../../parts/lift-suppression-dialog.tsx";
import { Panel } from "../../parts/panel.tsx";
import { useHref } from "../../parts/use-href.ts";
import { WhoChangedLink } from "../../parts/who-changed-link.tsx";
import { RemovalNotice } from "./removal-notice.tsx";
import { useAddressState } from "./suppression-queries.ts";
import { SuppressionTable } from "./suppression-table.tsx";

/** Is this address suppressed? The exact address, in any spelling that the API takes for the same. */
export function AddressSuppressions({ email, mode }: { email: string; mode: Mode }) {
  const [lifting, setLifting] = useState<Suppression>();
  const [, change] = useSearchState();
  const may = useMay();
  const state = useAddressState(email);
  const entries = state.data?.suppressions;
  const rows = entries?.filter((entry) => entry.mode === mode);
  const isInOtherMode = entries !== undefined && rows?.length === 0 && entries.length > 0;
  return (
    <>
      <RemovalNotice email={email} mode={mode} />
      <Panel flush>
        {state.error === null ? null : <ErrorState error={state.error} onRetry={() => void state.refetch()} />}
        {state.error !== null && rows === undefined ? null : (
          <SuppressionTable
            rows={rows}
            onLift={may.write ? setLifting : undefined}
            skeletonRows={1}
            empty={
              <EmptyState
                title={`${email} is not suppressed${mode === "test" ? " in test mode" : ""}`}
                action={<Button onClick={() => change({ email: undefined })}>Show all suppressions</Button>}
              >
                <p>Postern looks for the exact address. Check its spelling. If it is right, look here:</p>
                <OtherWays email={email} mode={mode} isInOtherMode={isInOtherMode} />
              </EmptyState>
            }
          />
        )}
      </Panel>
      <LiftSuppressionDialog suppression={lifting} onClose={() => setLifting(undefined)} />
    </>
  );
}

function OtherWays({ email, mode, isInOtherMode }: { email: string; mode: Mode; isInOtherMode: boolean }) {
  const href = useHref();
  const [other, target] = mode === "live" ? ["Test mode", "test"] : ["Live mode", undefined];
  const OtherIcon = mode === "live" ? IconFlask : IconMail;
  const may = useMay();
  const ways: WayOut[] = [
    ...(isInOtherMode
      ? [
          {
            icon: <OtherIcon size={16} stroke={1.75} />,
            title: other ?? "",
            note: "The address is suppressed there",
            action: (
              <AppLink href={href("/suppressions", { email, mode: target })}>Switch to {target ?? "live"}</AppLink>
            ),
          },
        ]
      : []),
    {
      icon: <IconListDetails size={16} stroke={1.75} />,
      title: "Activity",
      note: "Every mail to this address and its outcome",
      action: <AppLink href={href("/activity", { recipient: email })}>Show mail</AppLink>,
    },
    ...(may.manage
      ? [
          {
            icon: <IconHistory size={16} stroke={1.75} />,
            title: "Audit",
            note: "Who suppressed the address or lifted it",
            action: <WhoChangedLink kind="suppression" id={email.toLowerCase()} label="Show changes" />,
          },
        ]
      : []),
  ];
  return <WaysOut ways={ways} />;
}
