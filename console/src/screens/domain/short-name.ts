const maxLabel = 16;

/** "h4vq2nd7…hrtb._domainkey.mail.fernhill.example": the rest of a long first label says nothing to a person. */
export function shortName(name: string): string {
  const [label = "", ...rest] = name.split(".");
  if (label.length <= maxLabel || rest.length === 0 || label.startsWith("_")) return name;
  return [`${label.slice(0, 8)}…${label.slice(-4)}`, ...rest].join(".");
}
