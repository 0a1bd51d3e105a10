import { Button, FileInput, NativeSelect, Progress } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import type { Mode } from "../../../frame/search-state.ts";
import { Dialog } from "../../../parts/dialog.tsx";
import { ErrorState } from "../../../parts/error-state.tsx";
import { formatCount, formatNumber } from "../../../parts/format-number.ts";
import { notifyDone } from "../../../parts/notify.ts";
import { reasonWords } from "../suppression-queries.ts";
import classes from "../suppressions.module.css";
import { type ImportCounts, type ImportSettings, importRecords } from "./import-records.ts";
import { type FileRecord, readRecords } from "./read-records.ts";

const services: Record<ImportSettings["from"], string> = {
  csv: "A file with the column email",
  sendgrid: "SendGrid",
  resend: "Resend",
  postmark: "Postmark",
  mailgun: "Mailgun",
};

type Checked = { records: FileRecord[]; counts: ImportCounts };

/** A dry run shows what the import would do; the second button does it. */
export function ImportDialog({ opened, onClose, mode }: { opened: boolean; onClose: () => void; mode: Mode }) {
  const [file, setFile] = useState<File | null>(null);
  const [from, setFrom] = useState<ImportSettings["from"]>("csv");
  const [reason, setReason] = useState<ImportSettings["reason"]>("manual");
  const [done, setDone] = useState(0);
  const client = useQueryClient();
  const settings = { mode, from, reason };
  const check = useMutation<Checked, Error, File>({
    mutationFn: async (chosen) => {
      const records = readRecords(await chosen.text());
      if (records.length === 0) throw new Error("The file has no addresses.");
      const progress = (count: number) => setDone(count / records.length);
      return { records, counts: await importRecords(records, { ...settings, isDryRun: true }, progress) };
    },
  });
  const apply = useMutation<ImportCounts, Error, Checked>({
    mutationFn: ({ records }) =>
      importRecords(records, { ...settings, isDryRun: false }, (count) => setDone(count / records.length)),
    onSuccess: ({ added }) => {
      notifyDone(`${formatCount(added, "address", "addresses")} imported.`);
      onClose();
    },
    // Also after a failure: the pages before it are stored.
    onSettled: () => client.invalidateQueries({ queryKey: ["suppressions"] }),
  });
  const [resetCheck, resetApply] = [check.reset, apply.reset];
  const startAgain = () => {
    setDone(0);
    resetCheck();
    resetApply();
  };
  useEffect(() => {
    if (!opened) return;
    setFile(null);
    setDone(0);
    resetCheck();
    resetApply();
  }, [opened, resetCheck, resetApply]);
  const isBusy = check.isPending || apply.isPending;
  const footer = (
    <>
      <Button onClick={onClose} disabled={isBusy}>
        Cancel
      </Button>
      {check.data === undefined ? (
        <Button
          variant="filled"
          disabled={file === null}
          loading={check.isPending}
          onClick={() => file !== null && check.mutate(file)}
        >
          Preview
        </Button>
      ) : (
        <Button
          variant="filled"
          disabled={check.data.counts.added + check.data.counts.known === 0}
          loading={apply.isPending}
          onClick={() => {
            setDone(0);
            apply.mutate(check.data);
          }}
        >
          Import {formatCount(check.data.counts.added, "address", "addresses")}
        </Button>
      )}
    </>
  );
  return (
    <Dialog
      title="Import suppressions"
      opened={opened}
      onClose={() => !isBusy && onClose()}
      footer={footer}
      width={520}
    >
      <div className={classes.form}>
        <p>
          CSV, or one JSON object a line. Nothing changes before you have seen the preview. A known address stays
          suppressed, and a complaint stays a complaint.
        </p>
        <FileInput
          label="File"
          placeholder="Choose a file"
          accept=".csv,.txt,.ndjson,.jsonl,.json"
          value={file}
          disabled={isBusy}
          onChange={(chosen) => {
            setFile(chosen);
            startAgain();
          }}
        />
        <NativeSelect
          label="Exported from"
          value={from}
          disabled={isBusy}
          onChange={(event) => {
            setFrom(event.currentTarget.value as ImportSettings["from"]);
            startAgain();
          }}
          data={Object.entries(services).map(([value, label]) => ({ value, label }))}
        />
        <NativeSelect
          label="Reason"
          description="Of addresses whose file does not say it"
          value={reason}
          disabled={isBusy}
          onChange={(event) => {
            setReason(event.currentTarget.value as ImportSettings["reason"]);
            startAgain();
          }}
          data={Object.entries(reasonWords).map(([value, label]) => ({ value, label }))}
        />
        <div aria-live="polite">
          {isBusy && <Progress value={done * 100} aria-label={apply.isPending ? "Importing" : "Checking"} />}
          {check.data !== undefined && !isBusy && <Preview counts={check.data.counts} />}
        </div>
        {(check.error ?? apply.error) !== null && <ErrorState error={check.error ?? apply.error} />}
      </div>
    </Dialog>
  );
}

function Preview({ counts: { added, known, invalid, problems } }: { counts: ImportCounts }) {
  return (
    <>
      <dl className={classes.counts}>
        {Object.entries({ New: added, Known: known, Invalid: invalid }).map(([name, count]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd className="tabular">{formatNumber(count)}</dd>
          </div>
        ))}
      </dl>
      {problems.length > 0 && (
        <>
          <p>These lines are left out:</p>
          <ul className={classes.problems}>
            {problems.map(({ line, problem }) => (
              <li key={line}>
                Line {formatNumber(line)} {problem}
              </li>
            ))}
            {invalid > problems.length && <li>and {formatNumber(invalid - problems.length)} more</li>}
          </ul>
        </>
      )}
    </>
  );
}
