import { NativeSelect } from "@mantine/core";
import { useState } from "react";
import type { Mode, SearchValues } from "../../frame/search-state.ts";
import { SearchBox } from "../../parts/search-box.tsx";
import { errorWords, isRequestId, type RequestFilters, ranges, statusChoices, tokensOf } from "./request-filters.ts";
import styles from "./requests.module.css";
import { useKeyNames } from "./use-requests.ts";

interface RequestSearchProps {
  filters: RequestFilters;
  mode: Mode;
  onChange: (changes: SearchValues) => void;
}

export function RequestSearch({ filters, mode, onChange }: RequestSearchProps) {
  const [isUnknown, setUnknown] = useState(false);
  const keys = useKeyNames();
  const ofMode = (keys.data ?? []).filter(({ type, id }) => type === mode || id === filters.api_key_id);
  function submit(text: string) {
    setUnknown(text !== "" && !isRequestId(text));
    if (isRequestId(text)) onChange({ request_id: text });
  }
  return (
    <div>
      <div className={styles.filters}>
        <SearchBox
          placeholder="Request id"
          tokens={tokensOf(filters)}
          onRemove={({ key }) => onChange({ [key]: undefined })}
          onSubmit={submit}
          onType={(text) => text !== "" && setUnknown(false)}
        />
        {filters.request_id === undefined && (
          <div className={styles.menus}>
            <Choice
              label="Status"
              all="Any status"
              value={filters.status !== undefined && filters.status in statusChoices ? filters.status : undefined}
              choices={statusChoices}
              onChange={(status) => onChange({ status })}
            />
            <Choice
              label="Reason"
              all="Any reason"
              value={filters.error_code}
              choices={errorWords}
              onChange={(error_code) => onChange({ error_code })}
            />
            <Choice
              label="API key"
              all="Any key"
              value={filters.api_key_id}
              choices={Object.fromEntries(ofMode.map(({ id, name }) => [id, name]))}
              onChange={(api_key_id) => onChange({ api_key_id })}
            />
            <Choice
              label="Time"
              all="Last 7 days"
              value={filters.range}
              choices={Object.fromEntries(Object.entries(ranges).map(([name, { label }]) => [name, label]))}
              onChange={(range) => onChange({ range })}
            />
          </div>
        )}
      </div>
      <p className={styles.unknown} role="status">
        {isUnknown ? "This is no request id. It has letters, digits, dots, hyphens and underscores only." : ""}
      </p>
    </div>
  );
}

interface ChoiceProps {
  label: string;
  all: string;
  value: string | undefined;
  choices: Record<string, string>;
  onChange: (value: string | undefined) => void;
}

function Choice({ label, all, value, choices, onChange }: ChoiceProps) {
  return (
    <NativeSelect
      aria-label={label}
      value={value ?? ""}
      onChange={(event) => onChange(event.currentTarget.value || undefined)}
      data={[
        { value: "", label: all },
        ...Object.entries(choices).map(([choice, words]) => ({ value: choice, label: words })),
      ]}
    />
  );
}
