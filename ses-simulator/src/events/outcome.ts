/** What becomes of a mail at one recipient. */
export type Outcome =
  | { kind: "deliver" }
  | { kind: "bounce"; bounceType: string; bounceSubType: string }
  | { kind: "complain"; feedbackType?: string }
  | { kind: "out-of-office" }
  | { kind: "delay"; delayType: string }
  | { kind: "reject" };
