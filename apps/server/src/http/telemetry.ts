import type { Span, Tracer } from '@opentelemetry/api';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Config } from '../config.ts';

export interface Telemetry {
  readonly tracer: Tracer;
  /** Sends what is left. */
  stop(): Promise<void>;
}

/**
 * Tracing, where an endpoint is configured. Its packages take most of a second to load, so a start without them does
 * not touch them. Exporter, sampler and batches read the standard `OTEL_*` variables themselves.
 */
export async function startTelemetry(config: Config): Promise<Telemetry | undefined> {
  if (!config.OTEL_EXPORTER_OTLP_ENDPOINT || config.OTEL_SDK_DISABLED) return undefined;
  const [
    { BatchSpanProcessor, NodeTracerProvider },
    { OTLPTraceExporter },
    { defaultResource, detectResources, envDetector, hostDetector, processDetector, resourceFromAttributes },
  ] = await Promise.all([
    import('@opentelemetry/sdk-trace-node'),
    import('@opentelemetry/exporter-trace-otlp-http'),
    import('@opentelemetry/resources'),
  ]);
  const resource = defaultResource()
    .merge(detectResources({ detectors: [envDetector, processDetector, hostDetector] }))
    .merge(resourceFromAttributes({ 'service.name': config.OTEL_SERVICE_NAME }));
  const provider = new NodeTracerProvider({
    resource,
    spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter())],
  });
  return { tracer: provider.getTracer('millrace'), stop: () => provider.shutdown() };
}

/** One span per request, named by the route and not by the address, so that ids do not become names. */
export function traceRequests(app: FastifyInstance, { tracer }: Telemetry): void {
  const spans = new WeakMap<FastifyRequest, Span>();
  app.addHook('onRequest', (request, _reply, done) => {
    const route = request.routeOptions.url ?? 'unknown';
    const attributes = {
      'http.request.method': request.method,
      'http.route': route,
      'millrace.request_id': request.id,
    };
    spans.set(request, tracer.startSpan(`${request.method} ${route}`, { attributes }));
    done();
  });
  app.addHook('onResponse', (request, reply, done) => {
    const span = spans.get(request);
    span?.setAttribute('http.response.status_code', reply.statusCode);
    span?.end();
    done();
  });
}
