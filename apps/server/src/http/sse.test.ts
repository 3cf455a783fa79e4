import { EventEmitter, once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import Fastify, { type FastifyReply } from 'fastify';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { openEventStream, type SseOptions } from './sse.ts';

/** A socket that takes what the test lets it take. */
class SlowResponse extends EventEmitter {
  readonly chunks: string[] = [];
  takes = true;
  destroyed = false;
  ended = false;
  writeHead(): void {}
  flushHeaders(): void {}
  cork(): void {}
  uncork(): void {}
  write(text: string): boolean {
    this.chunks.push(text);
    return this.takes;
  }
  get written(): string {
    return this.chunks.join('');
  }
  end(): void {
    this.ended = true;
    this.emit('close');
  }
  destroy(): void {
    this.destroyed = true;
  }
  drain(): void {
    this.takes = true;
    this.emit('drain');
  }
}

function open(options: SseOptions = {}, response = new SlowResponse()) {
  const answer = { headers: () => undefined, getHeaders: () => ({}), hijack: () => undefined, raw: response };
  const reply = answer as unknown as FastifyReply;
  return { response, writer: openEventStream(reply, {}, options) };
}

/** Lets the writer do what it does at the end of a turn. */
const written = () => new Promise<void>((resolve) => process.nextTick(resolve));

const frame = (id: number, droppable = false) => ({ id: String(id), data: `{"n":${id}}`, droppable });

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe('an event stream', () => {
  test('§4.1: ends the connection of a client that asked for that, as proxies do', async () => {
    vi.useRealTimers();
    const server = Fastify();
    server.get('/', (_request, reply) => openEventStream(reply).end());
    await server.listen({ host: '127.0.0.1', port: 0 });
    const { port } = server.server.address() as AddressInfo;
    const read = async (head: string) => {
      const socket = connect(port, '127.0.0.1').end(`${head}\r\n\r\n`);
      let answer = '';
      socket.on('data', (bytes) => {
        answer += bytes.toString().toLowerCase();
      });
      await once(socket, 'end');
      return answer;
    };
    expect(await read('GET / HTTP/1.1\r\nHost: x\r\nConnection: close')).toContain(
      '\r\nconnection: close\r\n',
    );
    expect(await read('GET / HTTP/1.0')).not.toContain('keep-alive');
    await server.close();
  });

  test('§8.1: sends a header once that its answer has already, however its name is written', async () => {
    vi.useRealTimers();
    const server = Fastify();
    server.get('/', (_request, reply) => {
      reply.headers({ 'X-RateLimit-Limit': '3', 'Cache-Control': 'no-store' });
      openEventStream(reply, { 'X-RateLimit-Limit': '3' }).end();
    });
    const { headers } = await fetch(await server.listen({ port: 0 }));
    await server.close();
    expect(headers.get('x-ratelimit-limit')).toBe('3');
    expect(headers.get('cache-control')).toBe('no-cache, no-transform');
  });

  test('writes id and data in one block, and what comes together in one piece', async () => {
    const { response, writer } = open();
    writer.send(frame(1));
    writer.send({ data: '{}' });
    await written();
    expect(response.chunks).toHaveLength(1);
    expect(response.written).toBe('id: 1\ndata: {"n":1}\n\ndata: {}\n\n');
  });

  test('that opens after its reader left is closed from the start', () => {
    const timers = vi.getTimerCount();
    const response = new SlowResponse();
    response.destroy();
    const { writer } = open({}, response);
    const told = vi.fn();
    writer.onClose(told);
    expect(told).toHaveBeenCalledOnce();
    expect(writer.is_open).toBe(false);
    expect(vi.getTimerCount()).toBe(timers);
  });

  test('holds frames back while the reader takes nothing, and writes them in order when it does', async () => {
    const { response, writer } = open();
    response.takes = false;
    writer.send(frame(1));
    await written();
    writer.send(frame(2));
    writer.send(frame(3));
    await written();
    expect(response.written).not.toContain('"n":2');
    response.drain();
    expect(response.written.match(/"n":\d/g)).toEqual(['"n":1', '"n":2', '"n":3']);
  });

  test('sheds progress and keeps results when the reader stays behind', async () => {
    const { response, writer } = open({ max_frames: 4 });
    response.takes = false;
    writer.send(frame(0));
    await written();
    for (let at = 1; at <= 6; at++) writer.send(frame(at, at % 2 === 1));
    response.drain();
    const seen = response.written.match(/"n":\d/g) ?? [];
    expect(seen).toEqual(expect.arrayContaining(['"n":2', '"n":4', '"n":6']));
    expect(seen).not.toContain('"n":1');
  });

  test('sheds tokens before any progress', async () => {
    const { response, writer } = open({ max_frames: 4 });
    response.takes = false;
    writer.send(frame(0));
    await written();
    for (let at = 1; at <= 3; at++) writer.send(frame(at, true));
    for (let at = 0; at < 1_000; at++) writer.send({ data: 'token', droppable: 'first' });
    writer.send(frame(4));
    response.drain();
    expect(response.written.match(/"n":\d/g)).toEqual(['"n":0', '"n":1', '"n":2', '"n":3', '"n":4']);
    expect(response.written.match(/token/g)?.length ?? 0).toBeLessThan(5);
  });

  test('keeps every result for a reader who is far behind, and makes text of it only when there is room', async () => {
    const { response, writer } = open({ max_frames: 2 });
    response.takes = false;
    let made = 0;
    const send = () => writer.send({ data: () => String(++made) });
    send();
    await written();
    for (let at = 1; at < 1_000; at++) send();
    await written();
    expect(made).toBe(1);
    response.drain();
    expect(made).toBe(1_000);
    expect(response.written.match(/data: \d+/g)).toHaveLength(1_000);
    expect(response.destroyed).toBe(false);
  });

  test('writes a long frame in pieces, whole, and keeps a reader who takes them slowly', async () => {
    const { response, writer } = open();
    const data = `"${'😀'.repeat(1_000_000)}"`;
    response.takes = false;
    writer.send({ data });
    await written();
    for (let pieces = 1; pieces < Math.ceil(2_000_010 / (256 * 1024)); pieces++) {
      vi.advanceTimersByTime(9_000);
      response.emit('drain');
    }
    expect(response.destroyed).toBe(false);
    expect(response.chunks.some((chunk) => /\p{Surrogate}/u.test(chunk))).toBe(false);
    expect(response.written).toBe(`data: ${data}\n\n`);
  });

  test('lets a reader go who takes nothing for ten seconds', async () => {
    const { response, writer } = open();
    response.takes = false;
    writer.send(frame(0));
    await written();
    vi.advanceTimersByTime(9_999);
    expect(response.destroyed).toBe(false);
    vi.advanceTimersByTime(1);
    expect(response.destroyed).toBe(true);
  });

  test('says something every fifteen seconds', () => {
    const { response } = open();
    vi.advanceTimersByTime(30_000);
    expect(response.written).toBe(': ping\n\n: ping\n\n');
  });

  test('progress of one turn is not shed: the reader had no chance to take it', async () => {
    const { response, writer } = open({ max_frames: 2 });
    for (let at = 1; at <= 6; at++) writer.send(frame(at, true));
    await written();
    expect(response.written.match(/"n":\d/g)).toHaveLength(6);
  });

  test('ends after what was sent before', async () => {
    const { response, writer } = open();
    response.takes = false;
    writer.send(frame(1));
    await written();
    writer.send(frame(2));
    writer.end();
    writer.send(frame(3));
    expect(response.ended).toBe(false);
    response.drain();
    expect(response.written.match(/"n":\d/g)).toEqual(['"n":1', '"n":2']);
    expect(response.ended).toBe(true);
  });

  test('that ends before its time tells the reader to come back, behind what was sent before', async () => {
    const { response, writer } = open();
    response.takes = false;
    writer.send(frame(1));
    await written();
    writer.send(frame(2));
    writer.leave();
    writer.send(frame(3));
    response.drain();
    expect(response.written).toMatch(/"n":1[^]*"n":2[^]*\nretry: 1000\n\n$/);
    expect(response.written).not.toContain('"n":3');
    expect(response.ended).toBe(true);
  });
});
