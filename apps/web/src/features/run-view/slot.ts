/** Where a file that a run waits for is sent, from the outputs of the run. */
export interface Slot {
  readonly upload_url: string;
  readonly curl: string;
  readonly expires_at: string;
  readonly max_size_mb: number;
  readonly allowed_types: readonly string[];
}

/** The slot that a run waits at, from the outputs of the paused run. */
export function slotIn(outputs: unknown): Slot | undefined {
  if (typeof outputs !== 'object' || outputs === null) return undefined;
  // The server writes all of these fields or none.
  return Object.values(outputs).find(
    (output: unknown): output is Slot =>
      typeof output === 'object' && output !== null && 'file_upload_required' in output,
  );
}
