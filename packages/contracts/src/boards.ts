import { z } from 'zod';
import { boardCard, boardPosition } from './board-cards.ts';
import { emailInput, idParams, timestamp, uuid } from './common.ts';
import { endpoint } from './endpoint.ts';
import { sharedBy, teamShare, teamShareEndpoints, userShare, userShareEndpoints } from './shares.ts';
import { storedName, storedText } from './text.ts';

export const BOARD_LIMITS = {
  columns: 50,
  /** Workflows of one column. */
  chain: 20,
  /** Cards in the state of a board, and of one page. */
  state_cards: 500,
  /** Cards that are not deleted. */
  cards: 10_000,
} as const;

export const BOARD_COLORS = ['gray', 'blue', 'green', 'amber', 'red', 'purple', 'teal', 'pink'] as const;
export type BoardColor = (typeof BOARD_COLORS)[number];

/** Types of the credentials whose models can map cards. */
export const BOARD_MAPPER_TYPES: ReadonlySet<string> = new Set(['openai', 'anthropic', 'google', 'custom']);

/** The rights of the caller: `write` everything with cards and columns, `owner` also what workflows run and who sees it. */
const permission = z.enum(['owner', 'write', 'read']);
export type BoardPermission = z.infer<typeof permission>;

const record = {
  id: uuid,
  name: z.string(),
  description: z.string().nullable(),
  column_count: z.number().int(),
  card_count: z.number().int(),
  /** Model that maps a card to the input fields of a workflow; null: the card is handed over as it is. */
  mapper_model: z.string().nullable(),
  /** Of the owner; null for all others. */
  mapper_credential_id: uuid.nullable(),
  permission,
  owner_id: uuid,
  /** Grows with every change of the board, its columns, cards and runs. */
  revision: z.number().int(),
  created_at: timestamp,
  updated_at: timestamp,
  ...sharedBy,
};

export const boardSummary = z.object(record).meta({ id: 'BoardSummary' });
export type BoardSummary = z.infer<typeof boardSummary>;

export const boardColumn = z
  .object({
    id: uuid,
    board_id: uuid,
    name: z.string(),
    position: z.number(),
    color: z.enum(BOARD_COLORS),
    /** Handed to every workflow of the column, and to the model that maps cards. */
    ai_instructions: z.string(),
    /** A card whose chain succeeded moves to the next column, which starts the chain there. */
    auto_advance: z.boolean(),
    /** Chain of the column in its order; each is started with the card and the output of the one before. */
    workflows: z.array(
      z.object({ workflow_id: uuid, workflow_name: z.string(), position: z.number().int() }),
    ),
    card_count: z.number().int(),
  })
  .meta({ id: 'BoardColumn' });
export type BoardColumn = z.infer<typeof boardColumn>;

export const boardState = z
  .object({
    ...record,
    columns: z.array(boardColumn),
    /** The first cards of each column, at most 500 in all; `card_count` of a column says whether there are more. */
    cards: z.array(boardCard),
    has_active_runs: z.boolean(),
  })
  .meta({ id: 'BoardState' });
export type BoardState = z.infer<typeof boardState>;

const tag = 'Boards';
export const BOARDS_PATH = '/api/boards';
const one = `${BOARDS_PATH}/{id}`;
const name = storedName(255);
const description = storedText(2_000);
const mapper = { mapper_model: storedName(200).nullish(), mapper_credential_id: uuid.nullish() };

export const listBoards = endpoint({
  id: 'listBoards',
  method: 'GET',
  path: BOARDS_PATH,
  tag,
  summary: 'Own boards by name, then those shared with the caller and with their teams',
  auth: 'session',
  response: z.array(boardSummary),
});

export const createBoard = endpoint({
  id: 'createBoard',
  method: 'POST',
  path: BOARDS_PATH,
  tag,
  summary: 'Create a board with four columns',
  auth: 'session',
  body: z.object({ name: name.default('Board'), description: description.nullish(), ...mapper }),
  response: boardSummary,
  status: 201,
  errors: ['not_found'],
});

export const readBoard = endpoint({
  id: 'readBoard',
  method: 'GET',
  path: one,
  tag,
  summary: 'A board with its columns and the first 500 cards',
  auth: 'session',
  params: idParams,
  response: boardState,
  errors: ['not_found'],
});

export const readBoardRevision = endpoint({
  id: 'readBoardRevision',
  method: 'GET',
  path: `${one}/revision`,
  tag,
  summary: 'A number that grows with every change, to ask for often',
  auth: 'session',
  params: idParams,
  response: z.object({ revision: z.number().int() }),
  errors: ['not_found'],
});

export const updateBoard = endpoint({
  id: 'updateBoard',
  method: 'PATCH',
  path: one,
  tag,
  summary: 'Rename or describe a board, or choose the model that maps its cards',
  auth: 'session',
  params: idParams,
  body: z.object({ name: name.nullish(), description: description.nullish(), ...mapper }),
  response: boardSummary,
  errors: ['forbidden', 'not_found'],
});

export const deleteBoard = endpoint({
  id: 'deleteBoard',
  method: 'DELETE',
  path: one,
  tag,
  summary: 'Delete a board with its cards, and stop what runs on it; attached files stay in the Drive',
  auth: 'session',
  params: idParams,
  errors: ['forbidden', 'not_found'],
});

const columnParams = idParams.extend({ column_id: uuid });
const columnPath = `${one}/columns/{column_id}`;
const color = z.enum(BOARD_COLORS);

export const createBoardColumn = endpoint({
  id: 'createBoardColumn',
  method: 'POST',
  path: `${one}/columns`,
  tag,
  summary: 'Add a column, at the end unless a position is given',
  auth: 'session',
  params: idParams,
  body: z.object({ name, position: boardPosition.nullish(), color: color.nullish() }),
  response: boardColumn,
  status: 201,
  errors: ['forbidden', 'not_found', 'conflict'],
});

export const updateBoardColumn = endpoint({
  id: 'updateBoardColumn',
  method: 'PATCH',
  path: columnPath,
  tag,
  summary: 'Change a column; only the owner of the board, as whom they run, may change its workflows',
  auth: 'session',
  params: columnParams,
  body: z.object({
    name: name.nullish(),
    position: boardPosition.nullish(),
    color: color.nullish(),
    ai_instructions: storedText(10_000).nullish(),
    auto_advance: z.boolean().nullish(),
    workflow_ids: z.array(uuid).max(BOARD_LIMITS.chain).nullish(),
  }),
  response: boardColumn,
  errors: ['forbidden', 'not_found'],
});

export const deleteBoardColumn = endpoint({
  id: 'deleteBoardColumn',
  method: 'DELETE',
  path: columnPath,
  tag,
  summary: 'Delete a column without cards; cards that were deleted from it can still be restored',
  auth: 'session',
  params: columnParams,
  errors: ['forbidden', 'not_found', 'conflict'],
});

export const clearBoardColumn = endpoint({
  id: 'clearBoardColumn',
  method: 'DELETE',
  path: `${columnPath}/cards`,
  tag,
  summary: 'Delete all cards of a column, and stop what runs on them',
  auth: 'session',
  params: columnParams,
  errors: ['forbidden', 'not_found'],
});

const sharePermission = z.enum(['read', 'write']);
export const boardUserShare = userShare
  .extend({ permission: sharePermission })
  .meta({ id: 'BoardUserShare' });
export const boardTeamShare = teamShare
  .extend({ permission: sharePermission })
  .meta({ id: 'BoardTeamShare' });

const shared = { name: 'board', path: BOARDS_PATH, tag };
export const boardUserShares = userShareEndpoints(
  shared,
  boardUserShare,
  emailInput.extend({ permission: sharePermission.default('read') }),
);
export const boardTeamShares = teamShareEndpoints(
  shared,
  boardTeamShare,
  z.object({ team_id: uuid, permission: sharePermission.default('read') }),
);

export const boardEndpoints = [
  listBoards,
  createBoard,
  readBoard,
  readBoardRevision,
  updateBoard,
  deleteBoard,
  createBoardColumn,
  updateBoardColumn,
  deleteBoardColumn,
  clearBoardColumn,
  ...Object.values(boardUserShares),
  ...Object.values(boardTeamShares),
];
