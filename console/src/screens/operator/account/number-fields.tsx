import { TextInput } from "@mantine/core";
import styles from "../operator.module.css";

export interface NumberField<Name extends string> {
  name: Name;
  label: string;
  /** What an empty field means. */
  empty?: string;
}

interface NumberFieldsProps<Name extends string> {
  fields: NumberField<Name>[];
  texts: Record<Name, string>;
  onChange: (texts: Record<Name, string>) => void;
}

/** Two columns of number fields. The first gets the focus. */
export function NumberFields<Name extends string>({ fields, texts, onChange }: NumberFieldsProps<Name>) {
  return (
    <div className={styles.pairs}>
      {fields.map(({ name, label, empty }, index) => (
        <TextInput
          key={name}
          label={label}
          inputMode="numeric"
          pattern="[0-9\s,]*"
          title="A whole number"
          autoComplete="off"
          required={empty === undefined}
          withAsterisk={false}
          {...(empty === undefined ? {} : { placeholder: empty })}
          {...(index === 0 ? { "data-autofocus": "" } : {})}
          value={texts[name]}
          onChange={(event) => onChange({ ...texts, [name]: event.currentTarget.value })}
        />
      ))}
    </div>
  );
}
