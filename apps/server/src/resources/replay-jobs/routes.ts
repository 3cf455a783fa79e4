import * as contracts from '@millrace/contracts';
import type { Binder } from '../../http/bind.ts';
import * as jobs from './service.ts';

export function bindReplayJobs({ json }: Binder): void {
  json(contracts.createReplayJob, async (ctx, { body }, { request, reply }) => {
    const { job, repeated } = await jobs.createJob(ctx, body, request.headers['idempotency-key']);
    if (repeated) reply.header('Idempotent-Replayed', 'true');
    return job;
  });
  json(contracts.listReplayJobs, (ctx) => jobs.listJobs(ctx));
  json(contracts.readReplayJob, (ctx, { params }) => jobs.readJob(ctx, params.id));
  json(contracts.pauseReplayJob, (ctx, { params }) => jobs.moveJob(ctx, params.id, 'pause'));
  json(contracts.resumeReplayJob, (ctx, { params }) => jobs.moveJob(ctx, params.id, 'resume'));
  json(contracts.cancelReplayJob, (ctx, { params }) => jobs.moveJob(ctx, params.id, 'cancel'));
}
