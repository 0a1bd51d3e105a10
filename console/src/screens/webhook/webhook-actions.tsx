import { ActionIcon, Button, Menu } from "@mantine/core";
import {
  IconDots,
  IconFlask,
  IconPencil,
  IconPlayerPause,
  IconPlayerPlay,
  IconRefresh,
  IconRotate,
  IconTrash,
} from "@tabler/icons-react";
import type { Webhook } from "../../api/api-types.ts";
import { WhoChangedItem } from "../../parts/who-changed-link.tsx";

export type DialogName = "change" | "test" | "replay" | "rotate" | "enable" | "delete";

/** The filled button is the next step: sending a test, or enabling what is disabled. */
export function WebhookActions({ webhook, onChoose }: { webhook: Webhook; onChoose: (dialog: DialogName) => void }) {
  const isDisabled = webhook.status === "disabled";
  const item = (dialog: DialogName, text: string, Icon: typeof IconTrash) => (
    <Menu.Item leftSection={<Icon size={15} stroke={1.75} />} onClick={() => onChoose(dialog)}>
      {text}
    </Menu.Item>
  );
  return (
    <>
      {isDisabled ? (
        <Button
          variant="filled"
          leftSection={<IconPlayerPlay size={15} stroke={1.75} />}
          onClick={() => onChoose("enable")}
        >
          Enable
        </Button>
      ) : (
        <>
          <Button leftSection={<IconRotate size={15} stroke={1.75} />} onClick={() => onChoose("replay")}>
            Replay
          </Button>
          <Button variant="filled" leftSection={<IconFlask size={15} stroke={1.75} />} onClick={() => onChoose("test")}>
            Send a test
          </Button>
        </>
      )}
      <Menu position="bottom-end" width={190}>
        <Menu.Target>
          <ActionIcon variant="default" size={30} aria-label="More actions">
            <IconDots size={16} stroke={1.75} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          {item("change", "Change…", IconPencil)}
          {item("rotate", "Rotate secret…", IconRefresh)}
          {isDisabled ? null : item("enable", "Disable…", IconPlayerPause)}
          {item("delete", "Delete…", IconTrash)}
          <WhoChangedItem kind="webhook" id={webhook.webhook_id} />
        </Menu.Dropdown>
      </Menu>
    </>
  );
}
