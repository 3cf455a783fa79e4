import { expect, it } from 'vitest';
import { framesOf } from './event-frames.ts';

function streamOf(bytes: Uint8Array, size: number): ReadableStream<Uint8Array> {
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
    for await (const frame of framesOf(streamOf(bytes, size))) frames.push(frame);
    expect(frames, `${size} bytes at a time`).toEqual([
      { type: 'execution_started', execution_id: 'a' },
      { type: 'execution_complete', outputs: { out: 'Grüße 🌊' } },
    ]);
  }
});

it('reads lines that end with a carriage return, and drops an unfinished last one', async () => {
  const bytes = new TextEncoder().encode('data: {"type":"a"}\r\n\r\ndata: {"type":"b"');
  const types = [];
  for await (const { type } of framesOf(streamOf(bytes, 5))) types.push(type);
  expect(types).toEqual(['a']);
});
