import type { WorkflowDocument } from '@millrace/engine';
import { describe, expect, it } from 'vitest';
import { createPortal, graph, parseFrames, until, useTestApp } from '../../testing/index.ts';

const app = await useTestApp();
const owner = await app.user();

const portal = (content: WorkflowDocument, settings = {}) =>
  createPortal(owner, content, { auth_type: 'jwt', ...settings });

describe('§3.4 portal run', () => {
  const asking = graph(
    [
      ['start', 'textInput'],
      ['ask', 'humanReview', { draft: '$start.body.text' }],
      ['out', 'output', { message: '$ask.text' }],
    ],
    ['start>ask', 'ask:accepted>out', 'ask:edited>out'],
  );

  it('§3.4 becomes pending at a review and shows its URL, in the answer and in the stream', async () => {
    const { url } = await portal(asking);
    const answer = await app.call('POST', `${url}/execute`, { inputs: { text: 'draft' } });
    const pending = {
      status: 'pending',
      outputs: { ask: { reviewUrl: expect.stringContaining('/review/') } },
    };
    expect(answer.json()).toMatchObject(pending);
    const { body } = await app.call('POST', `${url}/execute/stream`, { inputs: { text: 'draft' } });
    expect(parseFrames(body).at(-1)?.data).toMatchObject({ type: 'execution_complete', ...pending });
  });

  it.each([
    ['a review', ['ask', 'humanReview', { draft: 'text' }]],
    ['a callback', ['ask', 'callback', {}]],
    ['a timer', ['ask', 'wait', { duration: 3_600_000 }]],
  ] as const)(
    '§3.4 a stream that pauses at %s ends with execution_complete and status pending',
    async (_what, node) => {
      for (const progress of ['labels', 'none']) {
        const content = graph(
          [['start', 'textInput'], [...node], ['out', 'output', { message: 'done' }]],
          ['start>ask', 'ask>out'],
        );
        const { id, url } = await portal(content);
        await owner.call('PUT', `/api/workflows/${id}/portal`, { portal_appearance: { progress } });
        const { body } = await app.call('POST', `${url}/execute/stream`, { inputs: { text: 'draft' } });
        expect(parseFrames(body).at(-1)?.data).toMatchObject({
          type: 'execution_complete',
          status: 'pending',
        });
        const run_id = String(parseFrames(body)[0]?.data['execution_id']);
        const again = await app.call('GET', `${url}/executions/${run_id}/stream`);
        expect(parseFrames(again.body).at(-1)?.data).toMatchObject({
          type: 'execution_complete',
          status: 'pending',
        });
      }
    },
  );

  it('§3.4 continues behind the decision that its reviewer makes without a login', async () => {
    const { id, url } = await portal(asking);
    const answer = await app.call('POST', `${url}/execute`, { inputs: { text: 'draft' } });
    const { reviewUrl } = answer.json<{ outputs: { ask: { reviewUrl: string } } }>().outputs.ask;
    const token = new URL(reviewUrl).pathname.split('/').at(-1);
    const seen = await app.call('GET', `/api/hitl/${token}`);
    expect(seen.json()).toMatchObject({ original_draft_text: 'draft', status: 'pending' });
    const decision = { action: 'edit', edited_text: 'better' };
    expect((await app.call('POST', `/api/hitl/${token}/decision`, decision)).statusCode).toBe(202);
    const run_id = String(answer.headers['x-execution-id']);
    const read = async () =>
      (await owner.call('GET', `/api/workflows/${id}/history/${run_id}`)).json<{ status: string }>();
    await until(async () => (await read()).status !== 'pending' && (await read()).status !== 'running');
    expect(await read()).toMatchObject({
      status: 'success',
      trigger_source: 'portal',
      outputs: { out: { result: 'better' } },
    });
  });

  it('§3.4 Stop cancels the run in flight on the server, and reaches no run of another origin', async () => {
    const waiting = graph(
      [
        ['start', 'textInput'],
        ['pause', 'wait', { duration: 50_000 }],
      ],
      ['start>pause'],
    );
    const one = await portal(waiting, { auth_type: 'anonymous' });
    const other = await portal(waiting);
    const answer = app.call('POST', `${one.url}/execute`, {});
    const active = () => owner.call('GET', `/api/workflows/executions/active?workflow_id=${one.id}`);
    const run = await until(async () => (await active()).json<{ execution_id: string }[]>()[0]);
    const stop = (url: string, id: string) => app.call('POST', `${url}/executions/${id}/cancel`);
    expect((await stop(other.url, run.execution_id)).statusCode).toBe(404);
    expect((await stop(one.url, crypto.randomUUID())).statusCode).toBe(404);
    expect((await stop(one.url, run.execution_id)).json()).toEqual({ status: 'cancel_requested' });
    expect((await answer).statusCode).toBe(409);
    expect((await stop(one.url, run.execution_id)).statusCode).toBe(404);
    const entry = await owner.call('GET', `/api/workflows/${one.id}/history/${run.execution_id}`);
    expect(entry.json()).toMatchObject({ status: 'cancelled' });

    const called = app.call('POST', `/api/workflows/${one.id}/execute`, {});
    const foreign = await until(async () => (await active()).json<{ execution_id: string }[]>()[0]);
    expect((await stop(one.url, foreign.execution_id)).statusCode).toBe(404);
    await owner.call('POST', `/api/workflows/${one.id}/executions/${foreign.execution_id}/cancel`);
    expect((await called).statusCode).toBe(409);
  });
});
