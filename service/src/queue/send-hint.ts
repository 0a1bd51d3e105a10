/** The channel on which accepting processes tell workers that something is ready. */
export const sendQueuedChannel = "postern_send_queued";
