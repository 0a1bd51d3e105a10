import { Checkbox, TextInput } from "@mantine/core";
import type { ApiError } from "../api/api-error.ts";
import styles from "./webhook-fields.module.css";
import { type NotificationType, notificationTypes, typeNames } from "./webhook-types.ts";

export interface WebhookForm {
  url: string;
  description: string;
  types: NotificationType[];
}

interface WebhookFieldsProps {
  form: WebhookForm;
  onChange: (form: WebhookForm) => void;
  error: ApiError | null;
}

export function WebhookFields({ form, onChange, error }: WebhookFieldsProps) {
  const isEvery = form.types.length === typeNames.length;
  return (
    <>
      <TextInput
        label="URL"
        description="https, reachable from the internet"
        placeholder="https://shop.example.com/hooks/postern"
        required
        withAsterisk={false}
        maxLength={2000}
        autoComplete="off"
        spellCheck={false}
        data-autofocus=""
        error={error?.problemOf("url")}
        value={form.url}
        onChange={(event) => onChange({ ...form, url: event.currentTarget.value })}
      />
      <TextInput
        label="Description"
        description="For your colleagues"
        maxLength={500}
        error={error?.problemOf("description")}
        value={form.description}
        onChange={(event) => onChange({ ...form, description: event.currentTarget.value })}
      />
      <Checkbox.Group
        label="Notify it when"
        value={form.types}
        onChange={(types) => onChange({ ...form, types })}
        error={error?.problemOf("types")}
      >
        <div className={styles.types}>
          {typeNames.map((type) => (
            <Checkbox key={type} value={type} label={type} description={notificationTypes[type]} />
          ))}
        </div>
      </Checkbox.Group>
      <button
        type="button"
        className={styles.all}
        onClick={() => onChange({ ...form, types: isEvery ? [] : [...typeNames] })}
      >
        {isEvery ? "Choose none" : "Choose all types"}
      </button>
    </>
  );
}
