import { Button } from "@mantine/core";
import { Dialog } from "../../parts/dialog.tsx";
import { Snippet } from "../../parts/snippet.tsx";
import styles from "./profile.module.css";

export function RecoveryCodes({ codes, onClose }: { codes: string[]; onClose: () => void }) {
  const done = (
    <Button variant="filled" onClick={onClose}>
      I have stored them
    </Button>
  );
  return (
    <Dialog title="Recovery codes" opened onClose={onClose} footer={done}>
      <p className={styles.text}>
        Each code replaces the app once. Postern shows them this one time: store them where you find them without your
        phone.
      </p>
      <Snippet code={codes.join("\n")} label="recovery codes" />
    </Dialog>
  );
}
