import * as contracts from '@millrace/contracts';
import type { Binder } from '../../http/bind.ts';
import { convertWorkflow } from '../workflows/import-export/transfer.ts';
import * as service from './service.ts';

/** The changes and omissions of the import of a workflow. */
export function bindImportReports(binder: Binder): void {
  binder.json(contracts.readImportReport, (ctx, { params }) => service.readImportReport(ctx, params.id));
  binder.json(contracts.dismissImportReport, async (ctx, { params }) => {
    await service.dismissImportReport(ctx, params.id);
    return undefined;
  });
  binder.json(contracts.convertWorkflow, (ctx, { body }) =>
    convertWorkflow({ ...ctx, parsers: binder.services.parsers }, body.document),
  );
}
