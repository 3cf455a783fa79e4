import * as contracts from '@millrace/contracts';
import type { FastifyRequest } from 'fastify';
import { AppError } from '../../core/app-error.ts';
import { answerOfRun } from '../../execution/admission/answer-of-run.ts';
import type { Binder } from '../../http/bind.ts';
import { requireFormFile } from '../../http/bodies/uploads.ts';
import { readEntry } from '../executions/history/service.ts';
import { leftSignal } from '../executions/http/left-signal.ts';
import { requireWorkflow } from '../workflows/access.ts';
import { determineStatus, noSlot, slotOfRun } from './slot.ts';
import { receiveUpload, type Sender } from './upload.ts';

const gone = () => new AppError('gone', 'The run of this file was deleted before its end');

function toSender(request: FastifyRequest): Sender {
  return {
    user_agent: request.headers['user-agent'],
    async file(max_bytes) {
      const { filename, stream } = await requireFormFile(request, max_bytes);
      return { filename, body: stream };
    },
  };
}

/** Upload slots (§4.3): the address that a file is sent to, and the state of a slot. */
export function bindFileIntake(binder: Binder): void {
  const { services } = binder;
  const { execution } = services;

  binder.raw(contracts.uploadToSlot, async (ctx, { params }, { request, reply }) => {
    const { upload, runFailed } = await receiveUpload(services, ctx, {
      token: params.token,
      sender: toSender(request),
    });
    const { file, slot_id } = upload;
    const answer = await answerOfRun(execution, slot_id, { left: leftSignal(reply)() });
    if (!answer) throw gone();
    if (answer === 'running') return reply.send({ run_id: slot_id, status: 'running', file, output: {} });
    const { run_id, status, outputs, http_status } = answer;
    if (status === 'error') await runFailed();
    return reply.code(http_status ?? 200).send({ run_id, status, file, output: outputs });
  });

  binder.json(contracts.getUploadSlot, async (ctx, { params }) => {
    const slot = await slotOfRun(execution, params.slot_id);
    const { run_id, workflow_id } = slot.run.begin;
    await requireWorkflow(ctx, workflow_id, 'read').catch((error: unknown) => {
      throw error instanceof AppError && error.code === 'not_found' ? noSlot() : error;
    });
    const status = determineStatus(slot, ctx.now());
    const expires_at = new Date(slot.expires_at_ms).toISOString();
    if (status !== 'consumed') return { status, run_id, expires_at, run: null };
    const entry = await readEntry(ctx, services, { entry_id: run_id, workflow_id });
    const { outputs, node_results, execution_time_ms } = entry;
    const run = {
      status: entry.status,
      outputs,
      node_results,
      execution_time_ms,
      execution_history_id: run_id,
    };
    return { status, run_id, expires_at, run };
  });
}
