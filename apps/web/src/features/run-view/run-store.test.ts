import { describe, expect, it, vi } from 'vitest';
import { createRunStore } from './run-store.ts';

describe('the run on the canvas', () => {
  it('follows the frames of a stream (§6.1)', () => {
    const run = createRunStore(() => 1_000);
    run.getState().begin();
    expect(run.getState().phase).toBe('starting');
    run.getState().receive({ type: 'execution_started', execution_id: 'x', server_now_ms: 1_500 }, '1');
    run.getState().receive({ type: 'node_start', node_id: 'a', node_label: 'a', started_at_ms: 1_501 }, '2');
    expect(run.getState().nodes.get('a')).toMatchObject({ status: 'running', started_at_ms: 1_501 });
    run.getState().receive({ type: 'node_retry', node_id: 'a', attempt: 2, max_attempts: 3 });
    expect(run.getState().nodes.get('a')).toMatchObject({ status: 'retrying', attempt: 2, max_attempts: 3 });
    run.getState().receive({
      type: 'node_complete',
      node_id: 'a',
      status: 'success',
      output: { b: 1 },
      execution_time_ms: 4,
    });
    run.getState().receive({ type: 'something_newer', node_id: 'a' });
    run
      .getState()
      .receive(
        { type: 'execution_complete', status: 'success', outputs: { a: { b: 1 } }, execution_time_ms: 5 },
        '5',
      );
    expect(run.getState()).toMatchObject({
      phase: 'ended',
      status: 'success',
      clock_skew_ms: 500,
      last_event_id: '5',
    });
    expect(run.getState().nodes.get('a')?.records).toHaveLength(1);
  });

  it('shows a node that waits with its reason, until its result takes that place', () => {
    const run = createRunStore();
    const metadata = { waits_for: 'callback', due_at_ms: 9_000 };
    const node = { node_id: 'a', output: {}, execution_time_ms: 0 };
    run.getState().receive({ type: 'node_pending', ...node, status: 'pending', metadata });
    expect(run.getState().nodes.get('a')).toMatchObject({ status: 'pending', records: [{ metadata }] });
    run.getState().receive({ type: 'node_complete', ...node, status: 'success' });
    const { status, records } = run.getState().nodes.get('a') ?? {};
    expect([status, records?.map((record) => record.status)]).toEqual(['success', ['success']]);
  });

  it('shows what a node says about its work, until it is done', () => {
    const run = createRunStore();
    run.getState().receive({ type: 'node_start', node_id: 'a' });
    run.getState().receive({ type: 'node_progress', node_id: 'a', message: '3 of 9' });
    run.getState().receive({ type: 'node_progress', node_id: 'a', step: { key: 'send' } });
    expect(run.getState().nodes.get('a')?.progress).toBe('3 of 9');
    run.getState().receive({ type: 'node_complete', node_id: 'a', status: 'success' });
    expect(run.getState().nodes.get('a')?.progress).toBeUndefined();
  });

  it('shows what the models of a node write, until its step or the node is done', () => {
    const run = createRunStore();
    const texts = () => run.getState().texts.map(({ text }) => text);
    const token = (text: string, offset: number, node_id = 'a') =>
      run.getState().receive({ type: 'node_token', node_id, step: 'model-1', text, offset });
    run.getState().receive({ type: 'node_start', node_id: 'a' }, '7');
    token('Good', 0);
    token(' day', 4);
    expect(texts()).toEqual(['Good day']);
    expect(run.getState().last_event_id).toBe('7');
    run.getState().receive({ type: 'node_progress', node_id: 'a', step: { key: 'model-1' } });
    expect(texts()).toEqual([]);
    token('More', 0);
    token('Other', 0, 'b');
    run.getState().receive({ type: 'node_complete', node_id: 'a', status: 'success' });
    expect(texts()).toEqual(['Other']);
    // Stopped: the other node never completes.
    run.getState().receive({ type: 'execution_complete', status: 'cancelled' });
    expect(texts()).toEqual([]);
  });

  it('leaves the nodes as they are while a model writes, so that nothing that reads them is drawn again', () => {
    const run = createRunStore();
    run.getState().receive({ type: 'node_start', node_id: 'a' });
    const { nodes } = run.getState();
    run.getState().receive({ type: 'node_token', node_id: 'a', step: 'model-1', text: 'Good', offset: 0 });
    expect(run.getState().nodes).toBe(nodes);
    expect(run.getState().texts).toHaveLength(1);
  });

  it('shows a node that was stopped with its run as cancelled, live and from history', () => {
    const stopped = {
      node_id: 'ask',
      status: 'error',
      output: null,
      error: 'The run ended',
      execution_time_ms: 0,
    };
    const metadata = { cancelled: true };
    const run = createRunStore();
    const status = () => run.getState().nodes.get('ask')?.status;
    run.getState().receive({ type: 'node_complete', ...stopped, metadata });
    expect(status()).toBe('cancelled');
    const stored = { execution_id: 'r', status: 'cancelled', outputs: null, inputs: null, started_at: '' };
    run.getState().show({ ...stored, execution_time_ms: 1, node_results: [{ ...stopped, metadata }] });
    expect(status()).toBe('cancelled');
    run.getState().show({ ...stored, execution_time_ms: 1, node_results: [stopped] });
    expect(status()).toBe('error');
    run.getState().begin();
    run.getState().receive({ type: 'node_start', node_id: 'ask' });
    run.getState().receive({ type: 'node_progress', node_id: 'ask', step: { key: 'a' } });
    run.getState().receive({ type: 'execution_complete', status: 'cancelled' });
    expect(status()).toBe('cancelled');
  });

  it('shows a node that waits as cancelled when its run ends, and as waiting while its run pauses', () => {
    const run = createRunStore();
    const status = () => run.getState().nodes.get('ask')?.status;
    run.getState().receive({ type: 'node_pending', node_id: 'ask', status: 'pending' });
    run.getState().receive({ type: 'execution_complete', status: 'pending' });
    expect(status()).toBe('pending');
    run.getState().receive({ type: 'execution_complete', status: 'cancelled' });
    expect(status()).toBe('cancelled');
    expect(
      run
        .getState()
        .nodes.get('ask')
        ?.records.map((record) => record.status),
    ).toEqual(['cancelled']);
  });

  it('keeps one result per loop round', () => {
    const run = createRunStore();
    for (const index of [0, 1, 2]) {
      run.getState().receive({
        type: 'node_complete',
        node_id: 'body',
        status: 'success',
        output: { index },
        execution_time_ms: 1,
      });
    }
    expect(
      run
        .getState()
        .nodes.get('body')
        ?.records.map((record) => record.output),
    ).toEqual([{ index: 0 }, { index: 1 }, { index: 2 }]);
  });

  it('leaves no node running when the run ends', () => {
    const run = createRunStore(() => 1_000);
    for (const event of [
      { type: 'node_start', node_id: 'each' },
      { type: 'node_complete', node_id: 'each', status: 'success', output: { index: 0 } },
      { type: 'node_start', node_id: 'each' },
      { type: 'node_start', node_id: 'stopped' },
      { type: 'execution_complete', status: 'success', outputs: {} },
    ])
      run.getState().receive(event);
    const { nodes, phase } = run.getState();
    expect(phase).toBe('ended');
    expect([...nodes].map(([id, { status }]) => [id, status])).toEqual([['each', 'success']]);
  });

  it('shows a stored run', () => {
    const run = createRunStore();
    run.getState().show({
      execution_id: 'x',
      status: 'error',
      outputs: { error: 'no' },
      inputs: {},
      started_at: '2026-01-01T00:00:00.000Z',
      execution_time_ms: 3,
      node_results: [
        { node_id: 'a', status: 'error', output: { error: 'no' }, error: 'no', execution_time_ms: 1 },
      ],
    });
    expect(run.getState()).toMatchObject({ phase: 'ended', status: 'error' });
    expect(run.getState().nodes.get('a')).toMatchObject({ status: 'error' });
  });

  it('takes several events as one change, in their order', () => {
    const run = createRunStore(() => 1_000);
    const changes = vi.fn();
    run.subscribe(changes);
    run.getState().receiveAll([
      { event: { type: 'execution_started', execution_id: 'x' }, id: '1' },
      { event: { type: 'node_start', node_id: 'a', started_at_ms: 1 }, id: '2' },
      { event: { type: 'node_complete', node_id: 'a', status: 'success' }, id: undefined },
    ]);
    expect(changes).toHaveBeenCalledOnce();
    expect(run.getState()).toMatchObject({ execution_id: 'x', phase: 'running', last_event_id: '2' });
    expect(run.getState().nodes.get('a')).toMatchObject({ status: 'success', started_at_ms: 1 });
  });
});
