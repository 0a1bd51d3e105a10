import { Button, NativeSelect } from "@mantine/core";
import { IconDownload, IconPlus, IconUpload } from "@tabler/icons-react";
import { useState } from "react";
import { download } from "../../api/download.ts";
import { useMay } from "../../api/use-me.ts";
import { type Mode, useMode, useSearchState } from "../../frame/search-state.ts";
import { saveFile } from "../../parts/csv.ts";
import { notifyFailed } from "../../parts/notify.ts";
import { PageHeader } from "../../parts/page-header.tsx";
import { SearchBox } from "../../parts/search-box.tsx";
import { AddSuppressionDialog } from "./add-suppression-dialog.tsx";
import { AddressSuppressions } from "./address-suppressions.tsx";
import { AllSuppressions } from "./all-suppressions.tsx";
import { ImportDialog } from "./import/import-dialog.tsx";
import { type Reason, reasonWords } from "./suppression-queries.ts";
import classes from "./suppressions.module.css";

/** Addresses that get no mail: all of them, those of one reason, or the one in the address of the page. */
export function SuppressionsScreen() {
  const [{ email, reason: given }, change] = useSearchState();
  const mode = useMode();
  const reason = isReason(given) ? given : undefined;
  const [open, setOpen] = useState<"add" | "import">();
  const close = () => setOpen(undefined);
  return (
    <>
      <PageHeader title="Suppressions" aside={<Actions mode={mode} reason={reason} onOpen={setOpen} />} />
      <p className={classes.intro}>
        {mode === "test"
          ? "Postern sends no test mail to these addresses: one bounced permanently or complained in the sandbox, or somebody added it."
          : "Postern sends no mail to these addresses: they bounced permanently, reported mail as spam, or somebody added them. SES keeps a list of its own; when you lift a suppression after a bounce or complaint, Postern asks SES to remove the address too and shows the answer here."}
      </p>
      <div className={classes.stack}>
        <div className={classes.filters}>
          <SearchBox
            placeholder="Look up an address"
            tokens={email === undefined ? [] : [{ key: "email", name: "address", value: email }]}
            onRemove={() => change({ email: undefined })}
            onSubmit={(text) => {
              if (text !== "") change({ email: text });
            }}
          />
          {email === undefined && (
            <NativeSelect
              aria-label="Reason"
              value={reason ?? ""}
              onChange={(event) => change({ reason: event.currentTarget.value || undefined })}
              data={[
                { value: "", label: "All reasons" },
                ...Object.entries(reasonWords).map(([value, label]) => ({ value, label })),
              ]}
            />
          )}
        </div>
        {email === undefined ? (
          <AllSuppressions key={`${mode} ${reason}`} mode={mode} reason={reason} />
        ) : (
          <AddressSuppressions key={`${mode} ${email}`} email={email} mode={mode} />
        )}
      </div>
      <AddSuppressionDialog opened={open === "add"} onClose={close} mode={mode} />
      <ImportDialog opened={open === "import"} onClose={close} mode={mode} />
    </>
  );
}

function isReason(text: string | undefined): text is Reason {
  return text !== undefined && Object.hasOwn(reasonWords, text);
}

type ActionsProps = { mode: Mode; reason: Reason | undefined; onOpen: (dialog: "add" | "import") => void };

function Actions({ mode, reason, onOpen }: ActionsProps) {
  const may = useMay();
  const [isExporting, setExporting] = useState(false);
  const exportList = async () => {
    setExporting(true);
    try {
      const file = await download("/api/v1/suppression/export", { format: "csv", mode, reason });
      // The byte order mark makes Excel read UTF-8.
      saveFile("suppressions.csv", new Blob(["\ufeff", file], { type: "text/csv;charset=utf-8" }));
    } catch (error) {
      notifyFailed(error);
    } finally {
      setExporting(false);
    }
  };
  return (
    <div className={classes.actions}>
      <Button leftSection={<IconDownload size={15} />} loading={isExporting} onClick={() => void exportList()}>
        Export
      </Button>
      {may.write && (
        <>
          <Button leftSection={<IconUpload size={15} />} onClick={() => onOpen("import")}>
            Import
          </Button>
          <Button variant="filled" leftSection={<IconPlus size={15} />} onClick={() => onOpen("add")}>
            Add address
          </Button>
        </>
      )}
    </div>
  );
}
