import { recordAudit } from '../../../database/audit.ts';
import type { Needs } from '../../../services.ts';
import { type OpenTable, writing } from './write.ts';

export type NotedWriter = Needs<'db' | 'actor' | 'now' | 'request_id' | 'client_ip'>;

/** Writes many rows, with an entry in the audit log; a change of a single row is noted by the row itself. */
export const writingNoted = <T>(
  ctx: NotedWriter,
  { id, action }: { id: string; action: string },
  work: (table: OpenTable) => Promise<T>,
): Promise<T> =>
  writing(ctx, id, async (table, { name, owner_id }) => {
    const result = await work(table);
    await recordAudit(table.db, ctx, {
      action: `data_table.${action}`,
      object_kind: 'data_table',
      object_id: id,
      object_name: name,
      owner_id,
    });
    return result;
  });
