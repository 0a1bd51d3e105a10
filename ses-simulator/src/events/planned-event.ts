export type EventType = "Send" | "Delivery" | "Bounce" | "Complaint" | "Reject" | "DeliveryDelay";

/** What will be said about a mail, before it is known when. */
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
  /** How often the subscriber gets it; 0 is an event that is lost. */
  copies: number;
}
