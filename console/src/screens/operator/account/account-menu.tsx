import { ActionIcon, Menu } from "@mantine/core";
import {
  IconDots,
  IconHandStop,
  IconHourglass,
  IconPlayerPlay,
  IconScale,
  IconShield,
  IconShieldOff,
  type TablerIcon,
} from "@tabler/icons-react";
import type { OperatorAccount } from "../../../api/api-types.ts";
import { type AccountDialogName, dialogsOf } from "./account-dialog.tsx";

const looks: Record<AccountDialogName, { label: string; icon: TablerIcon }> = {
  hold: { label: "Hold mail…", icon: IconHandStop },
  release: { label: "Release mail…", icon: IconPlayerPlay },
  "guard-release": { label: "End the hold of the guard…", icon: IconPlayerPlay },
  "guard-off": { label: "Turn the guard off…", icon: IconShieldOff },
  "guard-on": { label: "Turn the guard on…", icon: IconShield },
  limits: { label: "Limits…", icon: IconScale },
  quotas: { label: "Quotas and trial…", icon: IconHourglass },
};

interface AccountMenuProps {
  account: OperatorAccount;
  onChoose: (dialog: AccountDialogName) => void;
}

/** What an operator can do to the account now. */
export function AccountMenu({ account, onChoose }: AccountMenuProps) {
  return (
    <Menu position="bottom-end" width={230}>
      <Menu.Target>
        <ActionIcon aria-label={`Actions for ${account.name}`}>
          <IconDots size={16} stroke={1.75} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {dialogsOf(account).map((dialog) => {
          const { label, icon: Icon } = looks[dialog];
          return (
            <Menu.Item
              key={dialog}
              leftSection={<Icon size={15} stroke={1.75} aria-hidden="true" />}
              onClick={() => onChoose(dialog)}
            >
              {label}
            </Menu.Item>
          );
        })}
      </Menu.Dropdown>
    </Menu>
  );
}
