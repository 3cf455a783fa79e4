import { isJsonObject, type JsonObject } from '@millrace/engine';
import type { RunBegin } from '../../model/run.ts';

/** Where what a run works with came from. Stored as options of the run, and handed on to the runs that it starts. */
export interface RunOrigin {
  /** Set when a visitor of a portal started the run, or one above it; null for a message outside of a stored conversation. */
  readonly portal?: { readonly conversation_id: string | null };
  /** The run above had read content from outside before it started this one. */
  readonly outside_content?: boolean;
}

type Stored = Pick<RunBegin, 'options'>;

export const originOptions = ({ portal, outside_content = false }: RunOrigin): JsonObject => ({
  ...(portal ? { portal: { ...portal } } : {}),
  ...(outside_content ? { outside_content } : {}),
});

export function readOrigin({ options }: Stored): RunOrigin {
  const { portal, outside_content } = options;
  const conversation_id = isJsonObject(portal) ? (portal['conversation_id'] ?? null) : undefined;
  return {
    ...(typeof conversation_id === 'string' || conversation_id === null
      ? { portal: { conversation_id } }
      : {}),
    outside_content: outside_content === true,
  };
}
