import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import type { Duplex } from 'node:stream';

/** A refusal of the engine; `status` 0 when it was not reached or did not answer in time. */
export class EngineError extends Error {
  readonly status: number;
  constructor(status: number, message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'EngineError';
    this.status = status;
  }
}

/** It was reached, but did not answer in time. */
export class EngineSilence extends EngineError {
  constructor() {
    super(0, 'the engine does not answer');
  }
}

/** The oldest API version whose limits are all used here; engines from 20.10 have it. */
const API = 'v1.41';
const ANSWER_WITHIN_MS = 20_000;
const MAX_ANSWER_BYTES = 8_000_000;

/** The few calls of the Docker Engine API that a sandbox is made of. */
export interface Engine {
  /**
   * The parsed answer; undefined for one without a body.
   *
   * @param waiting how long the engine may be silent, for calls that wait for a container
   */
  call<T>(
    method: 'GET' | 'POST' | 'DELETE',
    path: string,
    body?: object,
    waiting?: { readonly within_ms: number },
  ): Promise<T>;
  /** The streams of a container that has not started yet, raw in both directions. */
  attach(container_id: string): Promise<Duplex>;
}

const USUAL_SOCKET = '/var/run/docker.sock';

/** Reads `DOCKER_HOST`; undefined for a scheme that is not supported. */
export function engineAddress(
  docker_host: string | undefined,
): { readonly socketPath: string } | { readonly host: string; readonly port: number } | undefined {
  if (docker_host === undefined) return { socketPath: USUAL_SOCKET };
  if (docker_host.startsWith('unix:///')) return { socketPath: docker_host.slice('unix://'.length) };
  const [, host = '', port = '2375'] =
    /^(?:tcp|http):\/\/([^:/]+|\[[^\]]+\])(?::(\d+))?\/?$/.exec(docker_host) ?? [];
  return host === '' ? undefined : { host: host.replace(/^\[|\]$/g, ''), port: Number(port) };
}

/** @param answer_within_ms for calls that do not wait for a container */
export function connectEngine(docker_host: string | undefined, answer_within_ms = ANSWER_WITHIN_MS): Engine {
  const address = engineAddress(docker_host);
  const open = (
    method: string,
    path: string,
    headers: Record<string, string | number>,
    timeout = answer_within_ms,
  ): ClientRequest => {
    if (!address) throw new EngineError(0, 'DOCKER_HOST must be unix:///path or tcp://host:port');
    return request({ ...address, method, path: `/${API}${path}`, headers, timeout });
  };
  return {
    async call<T>(
      method: string,
      path: string,
      body?: object,
      waiting?: { readonly within_ms: number },
    ): Promise<T> {
      const text = body === undefined ? '' : JSON.stringify(body);
      const headers = {
        'content-length': Buffer.byteLength(text),
        ...(text === '' ? {} : { 'content-type': 'application/json' }),
      };
      const sent = open(method, path, headers, waiting?.within_ms);
      const answer = await sendBody(sent, text);
      const received = await readText(answer);
      const status = answer.statusCode ?? 0;
      if (status >= 400) throw new EngineError(status, messageIn(received));
      return parsed<T>(received);
    },
    attach(container_id) {
      const path = `/containers/${container_id}/attach?stream=1&stdin=1&stdout=1&stderr=1`;
      const sent = open('POST', path, { connection: 'Upgrade', upgrade: 'tcp' });
      return new Promise((resolve, reject) => {
        sent.on('upgrade', (_answer, socket: Duplex, head: Buffer) => {
          if (head.length > 0) socket.unshift(head);
          resolve(socket);
        });
        sent.on('response', (answer) => {
          answer.resume();
          reject(new EngineError(answer.statusCode ?? 0, 'the engine does not attach to a container'));
        });
        failing(sent, reject);
        sent.end();
      });
    },
  };
}

function failing(sent: ClientRequest, reject: (error: EngineError) => void): void {
  sent.on('timeout', () => sent.destroy(new EngineSilence()));
  sent.on('error', (error) => {
    reject(error instanceof EngineError ? error : new EngineError(0, error.message, error));
  });
}

function sendBody(sent: ClientRequest, body: string): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    sent.on('response', resolve);
    failing(sent, reject);
    sent.end(body);
  });
}

async function readText(answer: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of answer as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > MAX_ANSWER_BYTES) throw new EngineError(0, 'the answer of the engine is too long');
      chunks.push(chunk);
    }
  } catch (error) {
    if (error instanceof EngineError) throw error;
    throw new EngineError(0, 'the engine broke off its answer', error);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** Guarantee: the engine answers in the shape of its API version, which callers name as `T`. */
function parsed<T>(text: string): T {
  try {
    return (text === '' ? undefined : JSON.parse(text)) as T;
  } catch (error) {
    throw new EngineError(0, 'what answers is not a container engine', error);
  }
}

function messageIn(text: string): string {
  try {
    const { message } = JSON.parse(text) as { message?: unknown };
    return typeof message === 'string' ? message : 'refused';
  } catch {
    return 'refused';
  }
}
