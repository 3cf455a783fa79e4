import * as contracts from '@millrace/contracts';
import { MEGABYTE } from '@millrace/engine/units';
import type { Binder } from '../../http/bind.ts';
import { requireFormFile } from '../../http/bodies/uploads.ts';
import { askedRange, sendDownload } from '../../http/downloads.ts';
import { bindTeamShares, bindUserShares } from '../shares/http/bind-shares.ts';
import { boardShareable } from '../shares/shareable.ts';
import * as attachments from './cards/attachments.ts';
import * as comments from './cards/comments.ts';
import * as move from './cards/move.ts';
import * as cards from './cards/service.ts';
import * as columns from './columns.ts';
import * as boards from './service.ts';

/** Boards, their columns and cards, and their sharing (§1, §5.7). */
export function bindBoards(binder: Binder): void {
  binder.json(contracts.listBoards, (ctx) => boards.listBoards(ctx));
  binder.json(contracts.createBoard, (ctx, { body }) => boards.createBoard(ctx, body));
  binder.json(contracts.readBoard, (ctx, { params }) => boards.readBoard(ctx, params.id));
  binder.json(contracts.readBoardRevision, (ctx, { params }) => boards.readRevision(ctx, params.id));
  binder.json(contracts.updateBoard, (ctx, { params, body }) => boards.updateBoard(ctx, params.id, body));
  binder.json(contracts.deleteBoard, async (ctx, { params }) => {
    await boards.deleteBoard(ctx, binder.services, params.id);
    return undefined;
  });
  bindColumns(binder);
  bindCards(binder);
  bindRuns(binder);
  bindComments(binder);
  bindAttachments(binder);
  bindUserShares(binder, boardShareable, contracts.boardUserShares);
  bindTeamShares(binder, boardShareable, contracts.boardTeamShares);
}

function bindColumns(binder: Binder): void {
  const place = ({ id, column_id }: { id: string; column_id: string }) => ({ board_id: id, id: column_id });
  binder.json(contracts.createBoardColumn, (ctx, { params, body }) =>
    columns.createColumn(ctx, params.id, body),
  );
  binder.json(contracts.updateBoardColumn, (ctx, { params, body }) =>
    columns.updateColumn(ctx, place(params), body),
  );
  binder.json(contracts.deleteBoardColumn, async (ctx, { params }) => {
    await columns.deleteColumn(ctx, place(params));
    return undefined;
  });
  binder.json(contracts.clearBoardColumn, async (ctx, { params }) => {
    await columns.clearColumn(ctx, place(params));
    return undefined;
  });
}

const cardPlace = ({ id, card_id }: { id: string; card_id: string }) => ({ board_id: id, id: card_id });

function bindCards(binder: Binder): void {
  binder.json(contracts.listBoardCards, (ctx, { params, query }) => cards.listCards(ctx, params.id, query));
  binder.json(contracts.createBoardCard, (ctx, { params, body }) => cards.createCard(ctx, params.id, body));
  binder.json(contracts.readBoardCard, (ctx, { params }) => cards.readCard(ctx, cardPlace(params)));
  binder.json(contracts.updateBoardCard, (ctx, { params, body }) =>
    cards.updateCard(ctx, cardPlace(params), body),
  );
  binder.json(contracts.deleteBoardCard, async (ctx, { params }) => {
    await cards.deleteCard(ctx, cardPlace(params));
    return undefined;
  });
  binder.json(contracts.restoreBoardCard, (ctx, { params }) => cards.restoreCard(ctx, cardPlace(params)));
}

function bindRuns(binder: Binder): void {
  binder.json(contracts.moveBoardCard, (ctx, { params, body }) =>
    move.moveCard(ctx, cardPlace(params), body),
  );
  binder.json(contracts.runBoardCard, (ctx, { params, query, body }) =>
    move.runCard(ctx, cardPlace(params), {
      comment: body?.comment?.trim() || null,
      skip_auto_advance: query.skip_auto_advance === true,
    }),
  );
  binder.json(contracts.stopBoardCard, (ctx, { params }) => move.stopCard(ctx, cardPlace(params)));
}

function bindComments(binder: Binder): void {
  binder.json(contracts.commentOnBoardCard, (ctx, { params, body }) =>
    comments.addComment(ctx, cardPlace(params), body.content),
  );
  binder.json(contracts.deleteBoardActivity, async (ctx, { params }) => {
    await comments.deleteActivity(ctx, cardPlace(params), params.activity_id);
    return undefined;
  });
}

function bindAttachments(binder: Binder): void {
  const { files } = binder.services;
  binder.raw(contracts.attachToBoardCard, async (ctx, { params }, { request, reply }) => {
    const place = cardPlace(params);
    const owner_id = await attachments.requireAttachable(ctx, place);
    const upload = await requireFormFile(request, ctx.config.FILE_MAX_SIZE_MB * MEGABYTE);
    const sent = { owner_id, filename: upload.filename, body: upload.stream };
    const attached = await attachments.attachFile({ ...ctx, files }, place, sent);
    return reply.code(201).send(contracts.cardAttachment.parse(attached));
  });
  binder.raw(contracts.downloadBoardAttachment, async (ctx, { params }, { request, reply }) => {
    const { attachment_id } = params;
    const asked = { attachment_id, pickRange: askedRange(request) };
    const content = await attachments.downloadAttachment({ ...ctx, files }, cardPlace(params), asked);
    return sendDownload(reply, content);
  });
  binder.json(contracts.deleteBoardAttachment, async (ctx, { params }) => {
    await attachments.removeAttachment(ctx, cardPlace(params), params.attachment_id);
    return undefined;
  });
}
