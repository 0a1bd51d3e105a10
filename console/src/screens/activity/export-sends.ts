import type { SendRecord } from "../../api/api-types.ts";
import { type CsvValue, downloadCsv } from "../../parts/csv.ts";
import type { ShownStatus } from "./recipient-status.ts";

/** What is shown, with the ids that find it again. `statusOf` is what the column Status shows. */
export function sendRows(sends: readonly SendRecord[], statusOf: (send: SendRecord) => ShownStatus): CsvValue[][] {
  const header = [
    "status",
    "status of the send",
    "recipients",
    "subject",
    "from",
    "accepted at",
    "id",
    "SES id",
    "mode",
  ];
  const rows = sends.map((send) => {
    const { status, to_addresses, subject, from_address, queued_at, id, provider_message_id, mode } = send;
    const recipients = to_addresses.join(" ");
    return [statusOf(send).status, status, recipients, subject, from_address, queued_at, id, provider_message_id, mode];
  });
  return [header, ...rows];
}

export function exportSends(sends: readonly SendRecord[], statusOf: (send: SendRecord) => ShownStatus): void {
  downloadCsv(`sends-${new Date().toISOString().slice(0, 10)}.csv`, sendRows(sends, statusOf));
}
