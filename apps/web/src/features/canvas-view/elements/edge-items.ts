import { isJsonObject, type Json, type JsonObject } from '@millrace/engine';
import type { NodeRecord } from '../../run-view/run-store.ts';

/** A connection, with the results of the nodes at its ends. */
interface PassedEdge {
  readonly source_handle: string;
  readonly target_handle: string;
  readonly source: readonly NodeRecord[] | undefined;
  readonly target: readonly NodeRecord[] | undefined;
}

/** The failure of an attempt that is repeated goes nowhere. */
const isRepeated = (record: NodeRecord): boolean => record.metadata?.['retry_stage'] === 'attempt_failed';

const selectPasses = (
  records: readonly NodeRecord[],
  status: (record: NodeRecord) => boolean,
): readonly NodeRecord[] => records.filter((record) => !isRepeated(record) && status(record));

/** Whether a list is what an object is about: all that it has, counted in it, or the body of a response. */
function isContent(object: JsonObject, name: string, list: readonly Json[]): boolean {
  const others = Object.entries(object).filter(([other]) => other !== name);
  const isCounted = others.some(
    ([other, value]) => (other === 'count' || other === 'total') && value === list.length,
  );
  return others.length === 0 || isCounted || (name === 'body' && typeof object['status'] === 'number');
}

/** Number of items in a node's output if the output is a list. A message with a list of attachments is one item. */
function listLength(output: Json | undefined): number | undefined {
  if (Array.isArray(output)) return output.length;
  if (output === undefined || !isJsonObject(output)) return undefined;
  const lists = Object.entries(output).flatMap(([name, value]) =>
    Array.isArray(value) ? [{ name, value }] : [],
  );
  const [only, ...others] = lists;
  const isList = only !== undefined && others.length === 0 && isContent(output, only.name, only.value);
  return isList ? only.value.length : undefined;
}

/**
 * How many items a run sent over a connection: the rounds that passed it or, when it was passed once, the length of the list
 * that went over it. Undefined when it was not passed, or by a single value.
 */
export function edgeItems({ source_handle, target_handle, source, target }: PassedEdge): number | undefined {
  if (!source || !target) return undefined;
  const isError = source_handle === 'error';
  const given = selectPasses(source, ({ status }) => status === (isError ? 'error' : 'success'));
  const taken = selectPasses(target, ({ status }) => status !== 'skipped');
  if (given.length === 0 || taken.length === 0) return undefined;
  const passes =
    source_handle === 'loop'
      ? taken.length
      : target_handle === 'loop'
        ? given.length
        : Math.min(given.length, taken.length);
  if (passes > 1 || source_handle === 'loop' || isError) return passes;
  return listLength(given.at(-1)?.output);
}
