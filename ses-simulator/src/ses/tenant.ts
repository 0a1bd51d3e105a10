export const sendingStatuses = ["ENABLED", "DISABLED", "REINSTATED"] as const;

export interface Tenant {
  name: string;
  id: string;
  createdAt: number;
  sendingStatus: (typeof sendingStatuses)[number];
  tags: unknown[];
  /** The ARNs of identities and configuration sets, with the time of the association. */
  resources: Record<string, number>;
}
