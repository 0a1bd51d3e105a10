/** Live mail is submitted to SES; test mail never is. The data of the two modes is separate. */
export type Mode = "live" | "test";

export const bothModes: readonly Mode[] = ["live", "test"];
