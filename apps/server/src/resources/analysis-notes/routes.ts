import { readAnalysisNote, writeAnalysisNote } from '@millrace/contracts';
import type { Binder } from '../../http/bind.ts';
import * as service from './service.ts';

/** The analysis document of a workflow (§5.8). */
export function bindAnalysisNotes(binder: Binder): void {
  binder.json(readAnalysisNote, (ctx, { params }) => service.readNote(ctx, params.id));
  binder.json(writeAnalysisNote, (ctx, { params, body }) => service.writeNote(ctx, params.id, body));
}
