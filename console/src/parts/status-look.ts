import {
  IconAlertTriangle,
  IconBan,
  IconCircleCheck,
  IconCircleDashed,
  IconCircleX,
  IconClock,
  IconFlag,
  IconHandStop,
  IconHelpCircle,
  IconLoader,
  IconMinus,
  IconSend,
  type TablerIcon,
} from "@tabler/icons-react";

export type StatusLook = { word: string; icon: TablerIcon; iconColour: string; wordColour: string };

const quiet = (word: string, icon: TablerIcon, colour = "icon", wordColour = "muted"): StatusLook => ({
  word,
  icon,
  iconColour: `var(--${colour})`,
  wordColour: `var(--${wordColour})`,
});
const loud = (word: string, icon: TablerIcon, colour: string) => quiet(word, icon, colour, colour);

/** A state that needs nobody has a quiet word; a state that needs somebody colours its word. Keys are in lower case. */
const looks: Record<string, StatusLook> = {
  queued: quiet("Queued", IconCircleDashed),
  processing: quiet("Processing", IconLoader),
  sent: quiet("Sent", IconSend, "info", "ink"),
  delivered: quiet("Delivered", IconCircleCheck, "good", "ink"),
  delayed: loud("Delayed", IconClock, "warn"),
  "in doubt": loud("In doubt", IconHelpCircle, "warn"),
  bounced: loud("Bounced", IconCircleX, "bad"),
  failed: loud("Failed", IconAlertTriangle, "bad"),
  complained: loud("Complained", IconFlag, "plum"),
  suppressed: quiet("Suppressed", IconBan),

  found: quiet("Found", IconCircleCheck, "good", "ink"),
  missing: loud("Missing", IconCircleX, "bad"),
  wrong: loud("Wrong", IconAlertTriangle, "bad"),
  weak: loud("Weak", IconAlertTriangle, "warn"),
  waiting: quiet("Waiting", IconClock, "info", "ink"),
  unknown: quiet("Unknown", IconHelpCircle),
  "not set up": quiet("Not set up", IconHelpCircle),

  pending: quiet("Pending", IconClock, "info", "ink"),
  success: quiet("Verified", IconCircleCheck, "good", "ink"),
  verified: quiet("Verified", IconCircleCheck, "good", "ink"),

  sending: quiet("Sending", IconCircleCheck, "good", "ink"),
  active: quiet("Active", IconCircleCheck, "good", "ink"),
  good: quiet("Good", IconCircleCheck, "good", "ink"),
  trial: quiet("Trial", IconCircleCheck),
  held: loud("Held", IconHandStop, "bad"),
  warned: loud("Warned", IconAlertTriangle, "warn"),
  warning: loud("Warning", IconAlertTriangle, "warn"),
  suspended: quiet("Suspended", IconMinus),
  paused: quiet("Paused", IconMinus),
  enabled: quiet("Enabled", IconCircleCheck, "good", "ink"),
  failing: loud("Failing", IconAlertTriangle, "bad"),
  disabled: quiet("Disabled", IconMinus),
  revoked: quiet("Revoked", IconMinus),
  expired: quiet("Expired", IconMinus),
  invited: quiet("Invited", IconClock, "info", "ink"),
};

/** Takes a value of the API in any case, with "_" or "-" between words. A value without a look is shown as it is. */
export function statusLook(status: string): StatusLook {
  const key = status.toLowerCase().replaceAll(/[_-]/g, " ");
  const word = key.charAt(0).toUpperCase() + key.slice(1);
  return looks[key] ?? quiet(word, IconHelpCircle);
}
