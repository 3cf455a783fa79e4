import {
  attachToBoardCard,
  type BoardCard,
  type CardStatus,
  commentOnBoardCard,
  createBoard,
  createBoardCard,
  createBoardColumn,
  deleteBoard,
  deleteBoardActivity,
  deleteBoardAttachment,
  deleteBoardCard,
  deleteBoardColumn,
  downloadBoardAttachment,
  listBoardCards,
  listBoards,
  moveBoardCard,
  readBoard,
  readBoardCard,
  readBoardRevision,
  restoreBoardCard,
  runBoardCard,
  type Sent,
  stopBoardCard,
  updateBoard,
  updateBoardCard,
  updateBoardColumn,
} from '@millrace/contracts';
import { buildEndpointUrl } from '@millrace/contracts/client';
import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useRef } from 'react';
import { api } from './api.ts';
import { downloadLarge } from './download.ts';
import { answersTo, callById, endpointQuery, renew, useChange, useEndpoint } from './endpoint.ts';
import { sendInSession } from './upload.ts';

/** How often an open board asks whether others have changed it. */
const LOOK_MS = 2_000;

export const useBoards = () => useEndpoint(listBoards);

/** All that is shown of a board. */
const PARTS = [readBoard, listBoardCards, readBoardCard];
const BOARDS = [listBoards, ...PARTS];

const boardQuery = (id: string) => endpointQuery(readBoard, { params: { id } });

const partsOfBoard = (id: string) => PARTS.map((part) => answersTo(part, { params: { id } }));

/** A board as it is now: whenever its revision has grown, everything that is shown of it is read again. */
export function useBoard(id: string) {
  const client = useQueryClient();
  const board = useQuery(boardQuery(id));
  useQuery({
    queryKey: answersTo(readBoardRevision, { params: { id } }),
    queryFn: async ({ signal }) => {
      const now = await api(readBoardRevision, { params: { id } }, { signal });
      const shown = client.getQueryData(boardQuery(id).queryKey);
      if (shown && now.revision > shown.revision) {
        // An answer that is under way arrives first; if it was too early, the next look asks again.
        for (const queryKey of partsOfBoard(id))
          void client.invalidateQueries({ queryKey }, { cancelRefetch: false });
      }
      return now;
    },
    refetchInterval: LOOK_MS,
    enabled: board.data !== undefined,
  });
  return board;
}

export interface CardView {
  search: string;
  run_status: CardStatus | undefined;
}

/** As many as the server answers with at once. */
const MOST_FOUND = 500;

/** Cards that a search finds; requested only while the search is not empty. */
export const useFoundCards = (id: string, view: CardView) =>
  useEndpoint(
    listBoardCards,
    {
      params: { id },
      query: { limit: MOST_FOUND, search: view.search || undefined, run_status: view.run_status },
    },
    { enabled: view.search !== '' || view.run_status !== undefined, placeholderData: keepPreviousData },
  );

export const useBoardCard = (id: string, card_id: string) =>
  useEndpoint(readBoardCard, { params: { id, card_id } });

export const useSaveBoard = (id: string | undefined) =>
  useChange(
    (body: NonNullable<Sent<typeof updateBoard>['body']> & { name: string }) =>
      id === undefined ? api(createBoard, { body }) : api(updateBoard, { params: { id }, body }),
    { renews: BOARDS },
  );

export const useDeleteBoard = () => useChange(callById(deleteBoard), { renews: [listBoards] });

type ColumnBody = NonNullable<Sent<typeof updateBoardColumn>['body']>;

export function useSaveColumn(id: string, column_id: string | undefined) {
  // A new column whose settings were refused is there; the next attempt only changes it.
  const saved = useRef(column_id);
  return useChange(
    async ({ name, ...rest }: ColumnBody & { name: string }) => {
      saved.current ??= (await api(createBoardColumn, { params: { id }, body: { name } })).id;
      return api(updateBoardColumn, {
        params: { id, column_id: saved.current },
        body: { name, ...rest },
      });
    },
    { renewsEvenIfRefused: BOARDS },
  );
}

export const useDeleteColumn = (id: string) =>
  useChange((column_id: string) => api(deleteBoardColumn, { params: { id, column_id } }), {
    renewsEvenIfRefused: BOARDS,
  });

export interface CardMove {
  card: BoardCard;
  to_column_id: string;
  position: number;
}

/** Shows a move before the server has confirmed it. */
const moved = <Shown extends { cards: BoardCard[] }>(
  shown: Shown,
  { card, to_column_id, position }: CardMove,
): Shown => ({
  ...shown,
  cards: shown.cards.map((one) => (one.id === card.id ? { ...one, column_id: to_column_id, position } : one)),
});

export function useMoveCard(id: string, onError: (error: Error) => void) {
  const client = useQueryClient();
  const mutationKey = [moveBoardCard.id, id];
  return useMutation({
    mutationKey,
    // One after the other, so that each card ends where it was moved last.
    scope: { id: mutationKey.join(' ') },
    mutationFn: ({ card, to_column_id, position }: CardMove) =>
      api(moveBoardCard, { params: { id, card_id: card.id }, body: { to_column_id, position } }),
    onMutate: async (move) => {
      await Promise.all(partsOfBoard(id).map((queryKey) => client.cancelQueries({ queryKey })));
      // Between its neighbours: where the position is taken, the server inserts the moved card before the present one.
      const shown = { ...move, position: move.position - 1e-7 };
      client.setQueryData(boardQuery(id).queryKey, (board) => board && moved(board, shown));
      client.setQueriesData<{ cards: BoardCard[] }>(
        { queryKey: answersTo(listBoardCards, { params: { id } }) },
        (found) => found && moved(found, shown),
      );
    },
    onError,
    onSettled: () => {
      if (client.isMutating({ mutationKey }) > 1) return;
      return renew(client, BOARDS);
    },
  });
}

/** Everything that is done with one card. */
export type CardAction =
  | { do: 'add'; title: string; column_id: string }
  | { do: 'edit'; card_id: string; title: string; content: string }
  | { do: 'delete' | 'restore' | 'stop'; card_id: string }
  | { do: 'run'; card_id: string; comment?: string }
  | { do: 'comment'; card_id: string; content: string }
  | { do: 'delete_comment'; card_id: string; activity_id: string }
  | { do: 'attach'; card_id: string; file: File }
  | { do: 'detach'; card_id: string; attachment_id: string };

async function perform(id: string, action: CardAction): Promise<unknown> {
  if (action.do === 'add') {
    const { title, column_id } = action;
    return api(createBoardCard, { params: { id }, body: { title, column_id } });
  }
  const params = { id, card_id: action.card_id };
  switch (action.do) {
    case 'edit':
      return api(updateBoardCard, { params, body: { title: action.title, content: action.content } });
    case 'delete':
      return api(deleteBoardCard, { params });
    case 'restore':
      return api(restoreBoardCard, { params });
    case 'stop':
      return api(stopBoardCard, { params });
    case 'run':
      return api(runBoardCard, { params, body: action.comment ? { comment: action.comment } : {} });
    case 'comment':
      return api(commentOnBoardCard, { params, body: { content: action.content } });
    case 'delete_comment':
      return api(deleteBoardActivity, { params: { ...params, activity_id: action.activity_id } });
    case 'attach':
      return sendInSession(buildEndpointUrl(attachToBoardCard, { params }), { file: action.file });
    case 'detach':
      return api(deleteBoardAttachment, { params: { ...params, attachment_id: action.attachment_id } });
    default:
      return action satisfies never;
  }
}

export const useCardAction = (id: string) =>
  useChange((action: CardAction) => perform(id, action), { renewsEvenIfRefused: BOARDS });

export type Act = ReturnType<typeof useCardAction>['mutateAsync'];

export const downloadAttachment = (
  place: { id: string; card_id: string; attachment_id: string },
  filename: string,
): Promise<void> => downloadLarge(buildEndpointUrl(downloadBoardAttachment, { params: place }), filename);
