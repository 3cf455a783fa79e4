import { isJsonObject, type JsonObject, type ReplayPlace, type RunOptions } from '@millrace/engine';

const ONLY = 'only';
const UNTIL = 'until';
const BEHIND = 'behind';

/** Option of a run that executes nothing but these places; the last one is what it is for. */
export const onlyOption = (starts: readonly ReplayPlace[] | null): JsonObject =>
  starts === null ? {} : { [ONLY]: starts.map(({ node_id, iteration }) => ({ node_id, iteration })) };

/** Option of a run that ends at this node. */
export const untilOption = (node_id: string): JsonObject => ({ [UNTIL]: node_id });

/** Option of a run that executes nothing but what follows from this node, and what that needs. */
export const behindOption = (node_id: string): JsonObject => ({ [BEHIND]: node_id });

function isPlace(place: unknown): place is JsonObject & { node_id: string; iteration: string } {
  return (
    isJsonObject(place) && typeof place['node_id'] === 'string' && typeof place['iteration'] === 'string'
  );
}

export function readUntil({ [UNTIL]: node_id }: JsonObject): string | undefined {
  return typeof node_id === 'string' ? node_id : undefined;
}

/** Which part of its workflow a run executes, by its stored options; undefined for the whole. */
export function storedPart({
  [ONLY]: places,
  [BEHIND]: behind,
  ...options
}: JsonObject): Pick<RunOptions, 'only' | 'until' | 'behind'> | undefined {
  const until = readUntil(options);
  if (until !== undefined) return { until };
  if (typeof behind === 'string') return { behind };
  if (!Array.isArray(places)) return undefined;
  return {
    only: places.filter(isPlace).map(({ node_id: id, iteration }) => ({ node_id: id, iteration })),
  };
}
