import type { BoardCardDetail, BoardState, CardRun, HistoryEntry, HistoryList } from '@millrace/contracts';
import type { WorkflowDocument } from '@millrace/engine';
import type { TestUser } from '../../../testing/test-app.ts';
import { graph } from '../../executions/testing/workflows.ts';

/** Answers with one value of its input. */
export const telling = (value: string): WorkflowDocument =>
  graph(
    [
      ['start', 'textInput'],
      ['out', 'output', { message: value }],
    ],
    ['start>out'],
  );
/** Outputs of `telling`. */
export const told = (result: string) => ({ out: { result } });
/** Leaves memory and waits for an hour. */
export const WAITING = graph(
  [
    ['start', 'textInput'],
    ['pause', 'wait', { duration: 3_600_000 }],
    ['out', 'output', { message: 'late' }],
  ],
  ['start>pause', 'pause>out'],
);

/** A board with one card in its first column. */
export interface BoardWorld {
  readonly board: string;
  readonly columns: string[];
  readonly card: string;
}

/** @param chains workflows of the second column and of those behind it */
export async function createBoardWorld(owner: TestUser, ...chains: string[][]): Promise<BoardWorld> {
  const { id: board } = (await owner.call('POST', '/api/boards', {})).json<{ id: string }>();
  const state = (await owner.call('GET', `/api/boards/${board}`)).json<BoardState>();
  const columns = state.columns.map(({ id }) => id);
  for (const [at, workflow_ids] of chains.entries()) {
    const url = `/api/boards/${board}/columns/${columns[at + 1]}`;
    const answer = await owner.call('PATCH', url, { workflow_ids });
    if (answer.statusCode !== 200) throw new Error(`changing a column answered ${answer.body}`);
  }
  const body = { title: 'Poster', content: 'A3, two colours' };
  const { id: card } = (await owner.call('POST', `/api/boards/${board}/cards`, body)).json<{ id: string }>();
  return { board, columns, card };
}

export const cardUrl = ({ board, card }: BoardWorld) => `/api/boards/${board}/cards/${card}`;
export const moveCard = (at: BoardWorld, column: number, user: TestUser) =>
  user.call('POST', `${cardUrl(at)}/move`, { to_column_id: at.columns[column] });
export const readCard = async (at: BoardWorld, user: TestUser) =>
  (await user.call('GET', cardUrl(at))).json<BoardCardDetail>();
export const fetchHistory = async (workflow: string, user: TestUser) =>
  (await user.call('GET', `/api/workflows/${workflow}/history`)).json<HistoryList>().items;
/** The run behind a run of a card. */
export async function fetchEntry(run: CardRun | undefined, user: TestUser): Promise<HistoryEntry> {
  const url = `/api/workflows/${run?.workflow_id}/history/${run?.execution_history_id}`;
  return (await user.call('GET', url)).json<HistoryEntry>();
}
