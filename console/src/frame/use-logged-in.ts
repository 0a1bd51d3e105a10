import { useQueryClient } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import { useCallback } from "react";
import { ownPath } from "./own-path.ts";

/** After a log-in in this tab. */
export function useLoggedIn(to: string | undefined): () => Promise<void> {
  const queryClient = useQueryClient();
  const router = useRouter();
  return useCallback(async () => {
    queryClient.clear();
    const [path = "/", query = ""] = ownPath(to).split("?");
    await router.navigate({ to: path, search: Object.fromEntries(new URLSearchParams(query)), replace: true });
    await router.invalidate();
  }, [queryClient, router, to]);
}
