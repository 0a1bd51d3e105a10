import { useSearchState } from "../frame/search-state.ts";
import { formatDate, formatDateTime } from "./format-time.ts";
import { Segments } from "./segments.tsx";
import { type Preset, presetSearch, type UsageRange } from "./usage-range.ts";

const options: { value: Preset | "selected"; label: string }[] = [
  { value: "24h", label: "24 h" },
  { value: "7d", label: "7 d" },
  { value: "30d", label: "30 d" },
];

/** "10 Nov to 16 Nov, 16:10", and the buttons that change it. A selected range has no button pressed. */
export function RangePicker({ range, now }: { range: UsageRange; now: number }) {
  const [, change] = useSearchState();
  return (
    <>
      <span className="tabular">{rangeText(range, now)}</span>
      <Segments
        label="Range"
        value={range.preset ?? "selected"}
        options={options}
        onChange={(value) => value !== "selected" && change(presetSearch(value))}
      />
    </>
  );
}

function rangeText({ preset, from, to }: UsageRange, now: number): string {
  const start = preset === undefined || preset === "24h" ? formatDateTime(from, { now }) : formatDate(from, { now });
  return `${start} to ${formatDateTime(Math.min(to, now), { now })}`;
}
