import { Readable } from 'node:stream';
import * as contracts from '@millrace/contracts';
import { MEGABYTE } from '@millrace/engine/units';
import { AppError } from '../../core/app-error.ts';
import type { Binder } from '../../http/bind.ts';
import { requireFormFile } from '../../http/bodies/uploads.ts';
import { sendDownload } from '../../http/downloads.ts';
import { bindTeamShares, bindUserShares } from '../shares/http/bind-shares.ts';
import { dataTableShareable } from '../shares/shareable.ts';
import { requireVisible, requireWritable } from './access.ts';
import { exportCsv, importCsv, PREVIEW_BYTES, parsedMapping, previewCsv } from './rows/csv.ts';
import { writingNoted } from './rows/noted.ts';
import * as read from './rows/read.ts';
import * as write from './rows/write.ts';
import * as service from './service.ts';

/** Data tables, their rows and their sharing (§2.5). */
export function bindDataTables(binder: Binder): void {
  binder.json(contracts.listDataTables, (ctx) => service.listTables(ctx));
  binder.json(contracts.createDataTable, (ctx, { body }) => service.createTable(ctx, body));
  binder.json(contracts.readDataTable, (ctx, { params }) => service.readTable(ctx, params.id));
  binder.json(contracts.updateDataTable, (ctx, { params, body }) =>
    service.updateTable(ctx, { id: params.id, ...body }),
  );
  binder.json(contracts.deleteDataTable, async (ctx, { params }) => {
    await service.deleteTable(ctx, params.id);
    return undefined;
  });
  bindRows(binder);
  bindManyRows(binder);
  bindCsv(binder);
  bindUserShares(binder, dataTableShareable, contracts.dataTableUserShares);
  bindTeamShares(binder, dataTableShareable, contracts.dataTableTeamShares);
}

function bindRows(binder: Binder): void {
  binder.json(contracts.listDataRows, (ctx, { params, query }) => read.listRows(ctx, params.id, query));
  binder.json(contracts.queryDataRows, (ctx, { params, body }) => read.queryRows(ctx, params.id, body));
  binder.json(contracts.readDataRow, (ctx, { params }) => read.readRow(ctx, params.id, params.row_id));
  binder.json(contracts.createDataRow, (ctx, { params, body }) =>
    write.writing(ctx, params.id, (table) => write.insertOne(table, body.data)),
  );
  binder.json(contracts.updateDataRow, (ctx, { params, body }) =>
    write.writing(ctx, params.id, (table) => write.updateOne(table, { id: params.row_id, data: body.data })),
  );
  binder.json(contracts.deleteDataRow, async (ctx, { params }) => {
    const gone = await write.writing(ctx, params.id, (table) => write.deleteMany(table, [params.row_id]));
    if (gone === 0) throw new AppError('not_found', 'Row not found');
    return undefined;
  });
  binder.json(contracts.upsertDataRow, (ctx, { params, body }) =>
    write.writing(ctx, params.id, (table) => write.upsertOne(table, body)),
  );
}

function bindManyRows(binder: Binder): void {
  binder.json(contracts.clearDataRows, async (ctx, { params }) => {
    await writingNoted(ctx, { id: params.id, action: 'rows_cleared' }, write.deleteAll);
    return undefined;
  });
  binder.json(contracts.bulkInsertDataRows, (ctx, { params, body }) =>
    writingNoted(ctx, { id: params.id, action: 'rows_added' }, async (table) => {
      const inputs = body.map((row, at) => ({ ...row, number: at + 1 }));
      const { imported, errors } = await write.insertMany(table, inputs);
      return { imported, errors: errors.slice(0, write.MOST_ERRORS), total: inputs.length };
    }),
  );
  binder.json(contracts.bulkUpdateDataRows, (ctx, { params, body }) =>
    writingNoted(ctx, { id: params.id, action: 'rows_changed' }, async (table) => {
      await write.updateMany(table, body.updates, (at) => ['body', 'updates', at, 'data']);
      return { updated: body.updates.length };
    }),
  );
  binder.json(contracts.bulkDeleteDataRows, async (ctx, { params, body }) => {
    await writingNoted(ctx, { id: params.id, action: 'rows_deleted' }, (table) =>
      write.deleteMany(table, body.ids),
    );
    return undefined;
  });
}

function bindCsv(binder: Binder): void {
  binder.raw(contracts.previewDataCsv, async (ctx, { params }, { request, reply }) => {
    const { table } = await requireVisible(ctx, params.id);
    const upload = await requireFormFile(request, PREVIEW_BYTES);
    return reply.send(contracts.dataCsvPreview.parse(await previewCsv(table, upload.stream)));
  });
  binder.raw(contracts.importDataCsv, async (ctx, { params, query }, { request, reply }) => {
    // Before anything of the file is read.
    const { table } = await requireWritable(ctx, params.id);
    const max_bytes = ctx.config.FILE_MAX_SIZE_MB * MEGABYTE;
    const upload = await requireFormFile(request, max_bytes);
    const mapping = parsedMapping(upload.field('mapping'));
    const { formulas_escaped } = query;
    const result = await importCsv(ctx, table, {
      bytes: upload.stream,
      max_bytes,
      mapping,
      formulas_escaped,
    });
    return reply.send(contracts.dataImport.parse(result));
  });
  binder.raw(contracts.exportDataCsv, async (ctx, { params, query }, { reply }) => {
    const { name, parts } = await exportCsv(ctx, params.id, query);
    const stream = Readable.from(parts);
    return sendDownload(reply, { filename: `${name}.csv`, mime_type: 'text/csv; charset=utf-8', stream });
  });
}
