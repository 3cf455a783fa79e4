import { expect, it } from 'vitest';
import { readFrames } from './event-frames.ts';

interface Event {
  readonly type: string;
}

function createStream(bytes: Uint8Array, size: number): ReadableStream<Uint8Array> {
  let at = 0;
  return new ReadableStream({
    pull(controller) {
      if (at >= bytes.length) return controller.close();
      controller.enqueue(bytes.slice(at, at + size));
      at += size;
    },
  });
}

const TEXT = [
  'data: {"type":"execution_started","execution_id":"a"}',
  '',
  ': ping',
  '',
  'data: {"type":"execution_complete","outputs":{"out":"Grüße 🌊"}}',
  '',
  '',
].join('\n');

it('§6.1 reads every frame, wherever the network cuts lines and characters', async () => {
  const bytes = new TextEncoder().encode(TEXT);
  for (const size of [1, 3, 7, 64, bytes.length]) {
    const frames = [];
    for await (const { event } of readFrames<Event>(createStream(bytes, size))) frames.push(event);
    expect(frames, `${size} bytes at a time`).toEqual([
      { type: 'execution_started', execution_id: 'a' },
      { type: 'execution_complete', outputs: { out: 'Grüße 🌊' } },
    ]);
  }
});

it('reads lines that end with a carriage return, and drops an unfinished last one', async () => {
  const bytes = new TextEncoder().encode('data: {"type":"a"}\r\n\r\ndata: {"type":"b"');
  const types = [];
  for await (const { event } of readFrames<Event>(createStream(bytes, 5))) types.push(event.type);
  expect(types).toEqual(['a']);
});

it('reads the ids of numbered frames, and data in several lines', async () => {
  const bytes = new TextEncoder().encode('id: 7\ndata: {"type":\ndata: "a"}\n\ndata: {"type":"b"}\n\n');
  const frames = [];
  for await (const frame of readFrames<Event>(createStream(bytes, 4))) frames.push(frame);
  expect(frames).toEqual([
    { event: { type: 'a' }, id: '7' },
    { event: { type: 'b' }, id: undefined },
  ]);
});
