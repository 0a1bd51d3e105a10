export type EventType = "Send" | "Delivery" | "Bounce" | "Complaint" | "Reject" | "DeliveryDelay";

/** The content of an event, without its time. */
export type EventDetails =
  | { type: "Send" }
  | { type: "Delivery"; recipients: string[] }
  | { type: "Bounce"; recipients: string[]; bounceType: string; bounceSubType: string }
  | { type: "Complaint"; recipients: string[]; feedbackType?: string; complaintSubType?: string }
  | { type: "Reject"; reason: string }
  | { type: "DeliveryDelay"; recipients: string[]; delayType: string };

export interface PlannedEvent {
  details: EventDetails;
  afterSeconds: number;
  /** How many times the subscriber gets the event; 0 is a lost event. */
  copies: number;
}

/** A planned event that is scheduled and not yet published. */
export interface PendingEvent {
  messageId: string;
  details: EventDetails;
  copies: number;
  dueAt: number;
  feedbackId: string;
}
