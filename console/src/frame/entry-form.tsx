import { Button, PasswordInput, TextInput } from "@mantine/core";
import type { ReactNode } from "react";

type EntryFormProps = { action: string; isPending: boolean; onSubmit: () => void; children: ReactNode };

/** The form of a page before the log-in: its fields and one button. */
export function EntryForm({ action, isPending, onSubmit, children }: EntryFormProps) {
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit();
      }}
    >
      {children}
      <Button type="submit" variant="filled" size="sm" loading={isPending} fullWidth>
        {action}
      </Button>
    </form>
  );
}

type FieldProps = { value: string; onChange: (value: string) => void };

export function EmailField({ value, onChange }: FieldProps) {
  return (
    <TextInput
      label="Email address"
      type="email"
      autoComplete="username"
      autoFocus
      required
      withAsterisk={false}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}

type PasswordFieldProps = FieldProps & {
  label?: string;
  description?: string;
  autoComplete?: "current-password" | "new-password";
  minLength?: number;
  autoFocus?: boolean;
};

export function PasswordField({ value, onChange, ...rest }: PasswordFieldProps) {
  return (
    <PasswordInput
      label="Password"
      autoComplete="current-password"
      required
      withAsterisk={false}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
      visibilityToggleButtonProps={{ "aria-label": "Show the password" }}
      {...rest}
    />
  );
}
