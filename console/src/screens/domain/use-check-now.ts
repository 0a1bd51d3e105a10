import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import type { Domain } from "../../api/api-types.ts";
import { call } from "../../api/call.ts";

/** A worker checks within seconds. After this time the page stops asking and says so. */
const maxWaitMs = 30_000;

export type CheckState =
  | { kind: "idle" }
  | { kind: "checking" }
  | { kind: "done"; domain: Domain }
  | { kind: "late" }
  | { kind: "failed"; error: Error };

/** Requests a check and follows it until its result is there. `domain` is polled by the page meanwhile. */
export function useCheckNow(id: string) {
  const [former, setFormer] = useState<{ checkedAt: string | null }>();
  const [state, setState] = useState<CheckState>({ kind: "idle" });
  const queries = useQueryClient();
  const request = useMutation({
    mutationFn: (_checkedAt: string | null) => call("POST /api/v1/domains/{id}/verify", { path: { id: Number(id) } }),
    onMutate: () => setState({ kind: "checking" }),
    onSuccess: (_domain, checkedAt) => setFormer({ checkedAt }),
    onError: (error) => setState({ kind: "failed", error }),
  });
  useEffect(() => {
    if (former === undefined) return;
    const timer = setTimeout(() => {
      setFormer(undefined);
      setState({ kind: "late" });
    }, maxWaitMs);
    return () => clearTimeout(timer);
  }, [former]);

  /** The page calls it with each answer. */
  function follow(domain: Domain) {
    if (former === undefined || domain.last_checked_at === former.checkedAt) return;
    setFormer(undefined);
    setState({ kind: "done", domain });
    void queries.invalidateQueries({ queryKey: ["domains", id, "dns"] });
  }
  return {
    state,
    isWaiting: former !== undefined,
    check: (domain: Domain) => request.mutate(domain.last_checked_at),
    follow,
    dismiss: () => setState({ kind: "idle" }),
  };
}
