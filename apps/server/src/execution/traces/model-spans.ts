import type { Attributes, SpanKind, SpanStatusCode, Tracer } from '@opentelemetry/api';
import type { TraceRow } from './write-traces.ts';

// A start without tracing does not load the package, whose values these are.
const CLIENT: SpanKind.CLIENT = 2;
const ERROR: SpanStatusCode.ERROR = 2;

/** Names of https://opentelemetry.io/docs/specs/semconv/gen-ai/gen-ai-spans/, where it has one. */
const OPERATIONS: Readonly<Record<TraceRow['request_type'], string>> = {
  batch: 'chat',
  chat: 'chat',
  decision: 'chat',
  embedding: 'embeddings',
  image: 'generate_content',
  moderation: 'moderation',
};
const PROVIDERS: Readonly<Record<string, string>> = { google: 'gcp.gemini' };

/** Makes a span with the GenAI attributes of each call of a model; texts and names that people chose are not in it. */
export function traceModelCalls(tracer: Tracer): (row: TraceRow) => void {
  return (row) => {
    const operation = OPERATIONS[row.request_type];
    const startTime = Date.parse(row.created_at);
    const span = tracer.startSpan(`${operation} ${row.model}`, {
      kind: CLIENT,
      startTime,
      attributes: buildAttributes(row, operation),
    });
    if (row.error !== null) span.setStatus({ code: ERROR });
    span.end(startTime + row.elapsed_ms);
  };
}

function buildAttributes(row: TraceRow, operation: string): Attributes {
  const provider = row.provider ?? 'unknown';
  const all = {
    'gen_ai.operation.name': operation,
    'gen_ai.provider.name': PROVIDERS[provider] ?? provider,
    'gen_ai.request.model': row.model,
    'gen_ai.usage.input_tokens': row.prompt_tokens,
    'gen_ai.usage.output_tokens': row.completion_tokens,
    'gen_ai.usage.cache_read.input_tokens': row.cached_tokens,
    'error.type': row.error === null ? null : '_OTHER',
    'millrace.cost_usd': row.cost_usd,
    'millrace.source': row.source,
    'millrace.workflow_id': row.workflow_id,
    'millrace.run_id': row.run_id,
    'millrace.node_id': row.node_id,
  };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== null)) as Attributes;
}
