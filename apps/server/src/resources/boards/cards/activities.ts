import { newOrderedId } from '../../../core/ids.ts';
import type { Db } from '../../../database/database.ts';
import * as queries from './queries.ts';

interface Happened extends Pick<queries.ActivityRow, 'card_id' | 'kind' | 'actor_id' | 'content'> {
  readonly at_ms: number;
}

/** @returns its id */
export async function noteActivity(db: Db, { at_ms, ...row }: Happened): Promise<string> {
  const id = newOrderedId(at_ms);
  await queries.insertActivity(db, { ...row, id, created_at: new Date(at_ms) });
  return id;
}
