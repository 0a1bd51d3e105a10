/** The outcome of a mail for one recipient. */
export type Outcome =
  | { kind: "deliver" }
  | { kind: "bounce"; bounceType: string; bounceSubType: string }
  | { kind: "complain"; feedbackType?: string }
  | { kind: "out-of-office" }
  | { kind: "delay"; delayType: string }
  | { kind: "reject" };
