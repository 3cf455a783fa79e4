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
 * not touch them. The exporter reads the standard `OTEL_*` variables itself.
 */
export async function startTelemetry(config: Config): Promise<Telemetry | undefined> {
  if (!config.OTEL_EXPORTER_OTLP_ENDPOINT) return undefined;
  const [{ NodeSDK }, { OTLPTraceExporter }, { trace }] = await Promise.all([
    import('@opentelemetry/sdk-node'),
    import('@opentelemetry/exporter-trace-otlp-http'),
    import('@opentelemetry/api'),
  ]);
  const sdk = new NodeSDK({
    serviceName: config.OTEL_SERVICE_NAME,
    traceExporter: new OTLPTraceExporter(),
    instrumentations: [],
  });
  sdk.start();
  return { tracer: trace.getTracer('millrace'), stop: () => sdk.shutdown() };
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
