import { useMode, useSearchState } from "../../frame/search-state.ts";
import { PageHeader } from "../../parts/page-header.tsx";
import { SearchBox } from "../../parts/search-box.tsx";
import { AddressSuppressions } from "./address-suppressions.tsx";
import { AllSuppressions } from "./all-suppressions.tsx";
import classes from "./suppressions.module.css";

/** Addresses that get no mail: all of them, or the one in the address of the page. */
export function SuppressionsScreen() {
  const [{ email }, change] = useSearchState();
  const mode = useMode();
  return (
    <>
      <PageHeader title="Suppressions" />
      <p className={classes.intro}>
        {mode === "test"
          ? "Postern sends no test mail to these addresses: one bounced permanently or complained in the sandbox."
          : "Postern sends no mail to these addresses: they bounced permanently or reported mail as spam. SES keeps a list of its own; when you lift a suppression, Postern asks SES to remove the address too and shows the answer here."}
      </p>
      <div className={classes.stack}>
        <SearchBox
          placeholder="Look up an address"
          tokens={email === undefined ? [] : [{ key: "email", name: "address", value: email }]}
          onRemove={() => change({ email: undefined })}
          onSubmit={(text) => {
            if (text !== "") change({ email: text });
          }}
        />
        {email === undefined ? (
          <AllSuppressions key={mode} mode={mode} />
        ) : (
          <AddressSuppressions key={`${mode} ${email}`} email={email} mode={mode} />
        )}
      </div>
    </>
  );
}
