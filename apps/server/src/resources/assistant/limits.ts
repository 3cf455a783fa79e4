/** The bounds of one turn of an assistant, from the message of the person to the last frame. */
export const TURN_LIMITS = {
  /** Calls of the model that may use tools; one more answers without. */
  calls: 12,
  /** Tools used of one answer; the rest are skipped. */
  tools_at_once: 8,
  /** Sent and received, all calls together. */
  tokens: 400_000,
  /** Of one answer of the model. */
  answer_tokens: 8_000,
  turn_ms: 300_000,
  /** Of one call of the model. */
  call_ms: 120_000,
  /** Total of the pauses of one call that a provider may request. */
  max_wait_ms: 20_000,
  /** Characters of one result as the model reads it. */
  result_characters: 30_000,
  /** Characters of the graph in the editor, which is shown whole or refused. */
  graph_characters: 200_000,
  /** Characters of earlier messages, newest first. */
  history_characters: 120_000,
} as const;

/** Turns of one person, all assistants together. */
export const TURNS_PER_MINUTE = 30;
