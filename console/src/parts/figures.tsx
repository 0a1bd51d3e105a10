import { formatNumber } from "./format-number.ts";

export function NumberText({ value, digits = 0 }: { value: number; digits?: number }) {
  return <span className="tabular">{formatNumber(value, digits)}</span>;
}
