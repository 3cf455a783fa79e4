import { readAnalysisDocument, writeAnalysisDocument } from '@millrace/contracts';
import type { Binder } from '../../http/bind.ts';
import * as service from './service.ts';

/** The analysis document of a workflow (§5.8). */
export function bindAnalysisDocuments(binder: Binder): void {
  binder.json(readAnalysisDocument, (ctx, { params }) => service.readDocument(ctx, params.id));
  binder.json(writeAnalysisDocument, (ctx, { params, body }) => service.writeDocument(ctx, params.id, body));
}
