import { Modal } from "@mantine/core";
import classes from "./help.module.css";

const keys: [keys: string[], effect: string][] = [
  [["Ctrl", "K"], "Jump to a page, a send or an address"],
  [["/"], "Search on this page"],
  [["j"], "Next row"],
  [["k"], "Previous row"],
  [["Enter"], "Open the row"],
  [["c"], "Copy the id of the row"],
  [["Esc"], "Close, or leave the search"],
  [["?"], "Show this help"],
];

export function Help({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  return (
    <Modal opened={opened} onClose={onClose} title="Keys" closeButtonProps={{ "aria-label": "Close" }}>
      <dl className={classes.keys}>
        {keys.map(([caps, effect]) => (
          <div key={effect}>
            <dt>
              {caps.map((cap) => (
                <kbd key={cap}>{cap}</kbd>
              ))}
            </dt>
            <dd>{effect}</dd>
          </div>
        ))}
      </dl>
      <p className={classes.links}>
        <a href="/reference" target="_blank" rel="noreferrer">
          API reference
        </a>
        <span>Everything on these pages comes from the public API.</span>
      </p>
    </Modal>
  );
}
