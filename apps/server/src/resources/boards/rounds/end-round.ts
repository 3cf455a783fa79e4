import { CARD_LIMITS } from '@millrace/contracts';
import type { JsonObject } from '@millrace/engine';
import type { Db } from '../../../database/database.ts';
import { sqlWithin } from '../../../database/sql-within.ts';
import { plainTextOrNull } from '../../../execution/store/encoding/columns.ts';
import type { Services } from '../../../services.ts';
import { noteActivity } from '../cards/activities.ts';
import { placeCard } from '../cards/move.ts';
import type { CardRow } from '../cards/queries.ts';
import { columnAfter, findColumn } from '../queries.ts';
import * as queries from './queries.ts';

/** A round under the lock of its board. */
interface Current {
  readonly db: Db;
  readonly round: queries.RoundRow;
  readonly links: readonly queries.LinkRow[];
  readonly card: CardRow;
}

interface LinkEnd {
  readonly link: queries.LinkRow;
  readonly status: queries.LinkRow['status'];
  readonly output?: JsonObject;
  readonly error: string | null;
  /** Its run is not there any more. */
  readonly is_deleted?: boolean;
}

function kept(output: JsonObject | undefined): Pick<queries.LinkRow, 'output' | 'output_is_cut'> {
  const text = output === undefined ? null : JSON.stringify(output);
  const output_is_cut = text !== null && text.length > CARD_LIMITS.output;
  return { output: output_is_cut ? null : text, output_is_cut };
}

/** Ends one workflow of a chain: the next one is due then, or the round is over. */
export async function settleLink(
  services: Services,
  current: Current,
  { link, status, output, error, is_deleted = false }: LinkEnd,
): Promise<void> {
  const { db, round, links } = current;
  const finished_at = new Date(services.now());
  // Text of a run may hold characters that a column cannot.
  const words = plainTextOrNull(error);
  const run_id = is_deleted ? null : link.run_id;
  await queries.updateLink(db, link.id, { status, run_id, error: words, finished_at, ...kept(output) });
  if (round.stop_requested || status === 'cancelled') return settleRound(services, current, 'stopped');
  if (status !== 'success') return settleRound(services, current, 'failed', link.workflow_name);
  if (link.chain_position === links.length) await settleRound(services, current, 'done');
}

const ACTIVITIES = { done: 'run_done', failed: 'run_failed', stopped: 'run_stopped' } as const;

/** The round is over; the next one of the card may begin. */
export async function settleRound(
  services: Services,
  { db, round, card }: Current,
  state: keyof typeof ACTIVITIES,
  what: string = round.column_name,
): Promise<void> {
  const at_ms = services.now();
  const finished_at = new Date(at_ms);
  await queries.cancelPending(db, round.id, finished_at);
  await queries.endRound(db, round.id, { state, finished_at });
  await queries.forgetDeletedRuns(sqlWithin(db), round.id);
  const kind = ACTIVITIES[state];
  await noteActivity(db, { card_id: card.id, kind, actor_id: null, content: what, at_ms });
  const isNext = await queries.hasOpenRound(db, card.id);
  // A card that was moved on while its chain ran, to a column without workflows, is at rest there.
  const left = card.column_id !== round.column_id;
  await queries.setCardStatus(db, card.id, isNext ? 'queued' : left ? 'idle' : state);
  if (state === 'done' && !isNext && !left) await advance(db, { round, card, at_ms });
}

async function advance(
  db: Db,
  { round, card, at_ms }: Pick<Current, 'round' | 'card'> & { at_ms: number },
): Promise<void> {
  const column = await findColumn(db, card.board_id, round.column_id);
  if (!column?.auto_advance || round.skip_auto_advance || card.deleted_at !== null) return;
  const to = await columnAfter(db, card.board_id, column);
  if (to) await placeCard(db, { card, to, actor_id: null, at_ms });
}
