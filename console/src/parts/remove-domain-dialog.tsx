import { useQueryClient } from "@tanstack/react-query";
import { call } from "../api/call.ts";
import { ConfirmDialog } from "./confirm-dialog.tsx";
import { notifyDone } from "./notify.ts";

export type RemoveDomainDialogProps = {
  /** The dialog is open while there is one. */
  domain: { domain_id: number; domain_name: string } | undefined;
  onClose: () => void;
  onRemoved?: () => void;
};

/** The name has to be typed: mail from the domain is refused from that moment on. */
export function RemoveDomainDialog({ domain, onClose, onRemoved }: RemoveDomainDialogProps) {
  const queries = useQueryClient();
  const name = domain?.domain_name ?? "";
  async function remove() {
    if (domain === undefined) return;
    await call("DELETE /api/v1/domains/{id}", { path: { id: domain.domain_id } });
    notifyDone(`${name} is removed.`);
    onRemoved?.();
    await queries.invalidateQueries({ queryKey: ["domains"] });
  }
  return (
    <ConfirmDialog
      title="Remove this domain?"
      opened={domain !== undefined}
      onClose={onClose}
      actionLabel="Remove domain"
      onConfirm={remove}
      confirmWord={name}
      danger
    >
      <p>
        Postern refuses mail from <b>{name}</b> from now on and deletes its identity at SES. If you add the domain
        again, it has new DNS records to publish.
      </p>
    </ConfirmDialog>
  );
}
