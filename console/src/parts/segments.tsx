import styles from "./segments.module.css";

export type SegmentsProps<Value extends string> = {
  /** Names the group for screen readers: "Range". */
  label: string;
  value: Value;
  options: { value: Value; label: string }[];
  onChange: (value: Value) => void;
  /** As wide as its container, for the tabs of a phone. */
  wide?: boolean;
};

/** Radio buttons underneath: arrow keys move, screen readers count. */
export function Segments<Value extends string>({ label, value, options, onChange, wide }: SegmentsProps<Value>) {
  return (
    <fieldset className={styles.segments} data-wide={wide || undefined}>
      <legend className="visually-hidden">{label}</legend>
      {options.map((option) => (
        <label key={option.value}>
          <input
            type="radio"
            className="visually-hidden"
            name={label}
            checked={option.value === value}
            onChange={() => onChange(option.value)}
          />
          <span>{option.label}</span>
        </label>
      ))}
    </fieldset>
  );
}
