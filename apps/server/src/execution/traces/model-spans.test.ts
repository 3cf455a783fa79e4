import type { ModelCallNote } from '@millrace/models';
import { InMemorySpanExporter, NodeTracerProvider, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-node';
import { pino } from 'pino';
import { beforeEach, expect, test } from 'vitest';
import { NO_SECRETS } from '../../ports/run/run-secrets.ts';
import { traceModelCalls } from './model-spans.ts';
import { createTraceWriter } from './trace-writer.ts';

const exporter = new InMemorySpanExporter();
const provider = new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
const traces = createTraceWriter({
  sql: { query: async () => ({ rows: [], row_count: 0 }) },
  run_secrets: { getSecrets: () => NO_SECRETS },
  log: pino({ level: 'silent' }),
  prices: {},
  onTrace: traceModelCalls(provider.getTracer('test')),
});
beforeEach(() => exporter.reset());

const call: ModelCallNote = {
  request_type: 'chat',
  provider: 'openai',
  model: 'gpt-4o',
  request: { system: 'the prompt' },
  response: { text: 'the answer' },
  error: null,
  usage: { prompt_tokens: 1_000_000, completion_tokens: 20, total_tokens: 1_000_020, cached_tokens: 5 },
  started_at_ms: 1_700_000_000_000,
  elapsed_ms: 1_500,
};
const run = { workflow: { id: 'w-1', name: 'Orders' }, run_id: 'r-1', node: { id: 'n-1', label: 'Ask' } };

async function recordSpans(note: Partial<ModelCallNote>, more: object = run) {
  traces.note({ ...call, ...note }, { user_id: 'u-1', source: 'workflow', credential: null, ...more });
  await traces.flush();
  return exporter.getFinishedSpans();
}

test('a call of a model is a span with the GenAI attributes, its time and its run, and without texts', async () => {
  const [span] = await recordSpans({});
  expect(span).toMatchObject({
    name: 'chat gpt-4o',
    kind: 2,
    startTime: [1_700_000_000, 0],
    endTime: [1_700_000_001, 500_000_000],
    status: { code: 0 },
  });
  expect(span?.attributes).toMatchObject({
    'gen_ai.operation.name': 'chat',
    'gen_ai.provider.name': 'openai',
    'gen_ai.request.model': 'gpt-4o',
    'gen_ai.usage.input_tokens': 1_000_000,
    'gen_ai.usage.output_tokens': 20,
    'gen_ai.usage.cache_read.input_tokens': 5,
    'millrace.cost_usd': expect.closeTo(2.5, 2) as unknown,
    'millrace.run_id': 'r-1',
    'millrace.workflow_id': 'w-1',
    'millrace.node_id': 'n-1',
  });
  expect(JSON.stringify(span?.attributes)).not.toMatch(/the prompt|the answer|Orders|Ask/);
});

test('a call that failed, of an assistant, has an error and only what is known', async () => {
  const [span] = await recordSpans(
    {
      request_type: 'embedding',
      provider: 'google',
      model: 'm',
      usage: null,
      response: null,
      error: 'refused',
    },
    { source: 'assistant' },
  );
  expect(span).toMatchObject({ name: 'embeddings m', status: { code: 2 } });
  expect(span?.attributes).toEqual({
    'gen_ai.operation.name': 'embeddings',
    'gen_ai.provider.name': 'gcp.gemini',
    'gen_ai.request.model': 'm',
    'error.type': '_OTHER',
    'millrace.source': 'assistant',
  });
});
