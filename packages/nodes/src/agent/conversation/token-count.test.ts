import type { JsonObject } from '@millrace/engine';
import { chatStream, type FakeReply, refuse } from '@millrace/models/testing';
import { describe, expect, test } from 'vitest';
import type { AgentMemory } from '../../services.ts';
import { type Asked, asksFor, says, toolCall, work } from '../../testing/run-agent.ts';

/** Each call of the fake model takes 12 tokens in and 5 out. */
const ofCalls = (count: number) => ({
  prompt_tokens: 12 * count,
  completion_tokens: 5 * count,
  total_tokens: 17 * count,
});
const asksScout = asksFor(toolCall('call_sub_agent', { sub_agent_label: 'scout', prompt: 'go' }));
const orchestrator = { isOrchestrator: true, subAgentLabels: ['scout'] };
const scout = (data: JsonObject = {}): Asked => ({
  nodes: { scout: { type: 'agent', credentialId: 'c', model: 'sub', userMessage: '$input.text', ...data } },
});
/** Answers of the agent and, by the model `sub`, of the agent that it asks. */
const scripts = (own: FakeReply[], ofScout: FakeReply[]) => {
  const left = { m1: [...own], sub: [...ofScout] };
  return ({ body }: { body?: unknown }) =>
    left[(body as { model: 'm1' | 'sub' }).model].shift() ?? refuse(400, { error: { message: 'over' } });
};
const collectMetadata = ({ events }: Awaited<ReturnType<typeof work>>['run'], id = 'boss') =>
  events.flatMap((event) => (event.type === 'node_finished' && event.node_id === id ? [event.metadata] : []));
const notJson: FakeReply = { chunks: chatStream(['not JSON']) };
const memory = (): Asked => {
  const own: AgentMemory = {
    place: { workflow_id: 'w', canvas_node_id: 'boss' },
    name: 'boss',
    permission: 'write',
    nodes: [],
    edges: [],
  };
  const memories = {
    isShared: () => Promise.resolve(false),
    read: () => Promise.resolve([own]),
    merge: () => Promise.resolve(0),
  };
  return { services: { memories } };
};
const noFacts = says('{"nodes": [], "edges": []}');

describe('the usage of an agent counts', () => {
  test('the calls of an agent that it asks', async () => {
    const replies = scripts([asksScout, says('Done')], [says('Found')]);
    const { output } = await work(orchestrator, replies, scout());
    expect(output['usage']).toEqual(ofCalls(3));
  });

  test('the calls of an agent that answers it as JSON, with the repair of that', async () => {
    const replies = scripts([asksScout, says('Done')], [notJson, says('{"usage": 1}')]);
    const { output } = await work(orchestrator, replies, scout({ jsonOutputEnabled: true }));
    expect(output['usage']).toEqual(ofCalls(4));
  });

  test('the calls of an agent that has failed', async () => {
    const failing = scripts([asksScout, says('Done')], [asksFor(toolCall('none', {}))]);
    const { output } = await work(orchestrator, failing, scout());
    expect(output['tool_calls']).toMatchObject([{ result: { error: expect.stringContaining('over') } }]);
    expect(output['usage']).toEqual(ofCalls(3));
  });

  test('the call that learns for its memory', async () => {
    const { output } = await work({ persistentMemoryEnabled: true }, [says('Done'), noFacts], memory());
    expect(output['usage']).toEqual(ofCalls(2));
  });

  test('the call that repairs its JSON; it is in the metadata, for the output is what the model said', async () => {
    const { output, run } = await work({ jsonOutputEnabled: true }, [notJson, says('{"usage": "mine"}')]);
    expect(output).toEqual({ usage: 'mine', model: 'm1' });
    expect(collectMetadata(run)).toEqual([{ usage: ofCalls(2) }]);
  });

  test('what was spent before it failed', async () => {
    const { run } = await work({}, [asksFor(toolCall('none', {}))]);
    expect(run.finished.failure?.details).toMatchObject({ usage: ofCalls(1) });
  });
});

describe('the limit of tokens holds for', () => {
  test('agents that it asks: what they took ends it', async () => {
    const replies = scripts([asksScout, says('Done')], [says('Found')]);
    const { output } = await work({ ...orchestrator, maxTotalTokens: 34 }, replies, scout());
    expect(output).toMatchObject({ limit_reached: 'maxTotalTokens', usage: ofCalls(2) });
  });

  test.each([
    [17, 1],
    [18, 2],
  ])('its memory: with %i tokens, the model is asked %i times', async (maxTotalTokens, calls) => {
    const data = { persistentMemoryEnabled: true, maxTotalTokens };
    const { output, bodies } = await work(data, [says('Done'), noFacts], memory());
    expect(bodies).toHaveLength(calls);
    expect(output).toMatchObject({ text: 'Done', usage: ofCalls(calls) });
  });

  test('the repair of its JSON, and the error says why there was none', async () => {
    const data = { jsonOutputEnabled: true, maxTotalTokens: 17 };
    const { run, bodies } = await work(data, [notJson, says('{}')]);
    expect(bodies).toHaveLength(1);
    expect(run.finished.failure?.message).toMatch(/JSON parse error: .*; the limit of tokens is reached/);
  });
});
