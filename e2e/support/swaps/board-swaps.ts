import type { BoardState } from '@millrace/contracts';
import type { TestUser } from '@millrace/server/testing';
import type { World } from '../matrix-world.ts';
import { asOwner, type IdSwap, idIn, model, object } from './swap.ts';

const fetchBoard = async (user: TestUser, id: string) =>
  (await user.call('GET', `/api/boards/${id}`)).json<BoardState>();

/** The last column of a board as `{board}/{column}`: sent to its own board when that is the caller's, else to one of theirs. */
const boardColumn: IdSwap['make'] = async (world, user) => {
  const board_id = await world.make('board', user);
  return `${board_id}/${(await fetchBoard(user, board_id)).columns.at(-1)?.id ?? ''}`;
};

async function boardFor(world: World, place: string): Promise<{ board_id: string; column_id: string }> {
  const [its = '', column_id = ''] = place.split('/');
  const { owner } = world.users;
  const mine = (await owner.call('GET', `/api/boards/${its}`)).statusCode === 200;
  return { board_id: mine ? its : await world.make('board'), column_id };
}

/** Ids in queries and bodies of boards. */
export const boardSwaps: Readonly<Record<string, IdSwap>> = {
  'createBoard body mapper_credential_id': {
    make: model,
    send: (world, mapper_credential_id) =>
      asOwner(world, ['POST', '/api/boards', { mapper_model: 'm', mapper_credential_id }]),
    verdict: 'refused',
  },
  'updateBoard body mapper_credential_id': {
    make: model,
    send: async (world, mapper_credential_id) =>
      asOwner(world, [
        'PATCH',
        `/api/boards/${await world.make('board')}`,
        { mapper_model: 'm', mapper_credential_id },
      ]),
    verdict: 'refused',
  },
  'updateBoardColumn body workflow_ids[]': {
    make: object('workflow'),
    send: async (world, workflow_id) => {
      const board_id = await world.make('board');
      const [column] = (await fetchBoard(world.users.owner, board_id)).columns;
      const url = `/api/boards/${board_id}/columns/${column?.id}`;
      return asOwner(world, ['PATCH', url, { workflow_ids: [workflow_id] }]);
    },
    verdict: 'refused',
  },
  'createBoardCard body column_id': {
    make: boardColumn,
    send: async (world, place) => {
      const { board_id, column_id } = await boardFor(world, place);
      return asOwner(world, ['POST', `/api/boards/${board_id}/cards`, { title: 'new', column_id }]);
    },
    verdict: 'refused',
  },
  'moveBoardCard body to_column_id': {
    make: boardColumn,
    send: async (world, place) => {
      const { board_id, column_id: to_column_id } = await boardFor(world, place);
      const made = await world.users.owner.call('POST', `/api/boards/${board_id}/cards`, { title: 'new' });
      return asOwner(world, ['POST', `/api/boards/${board_id}/cards/${idIn(made)}/move`, { to_column_id }]);
    },
    verdict: 'refused',
  },
  'listBoardCards query column_id': {
    make: async (world, user) => {
      const place = await boardColumn(world, user);
      const [board_id, column_id] = place.split('/');
      await user.call('POST', `/api/boards/${board_id}/cards`, { title: 'theirs', column_id });
      return place;
    },
    send: async (world, place) => {
      const { board_id, column_id } = await boardFor(world, place);
      return asOwner(world, ['GET', `/api/boards/${board_id}/cards?column_id=${column_id}`]);
    },
    verdict: 'nothing',
    traces: async () => ['theirs'],
    shows: true,
  },
};
