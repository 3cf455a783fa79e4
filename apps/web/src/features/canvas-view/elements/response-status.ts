import { isJsonObject } from '@millrace/engine';
import { lastRecord, type NodeRun } from '../../run-view/run-store.ts';

/** The status of the response that a node got last, unless it is one of success. RFC 9110 section 15. */
export function unusualStatus(run: NodeRun): number | undefined {
  const record = lastRecord(run);
  if (run.status !== 'success' || !record || !isJsonObject(record.output)) return undefined;
  const { status } = record.output;
  return typeof status === 'number' && (status < 200 || status > 299) ? status : undefined;
}
