import { z } from 'zod';
import { MessageLines } from '../kit/message-lines.ts';

const id = z.int().min(1);

/** What concerns a connection of the browser; the other side has the same words. */
const tunnelMessage = [
  z.object({
    type: z.literal('connect'),
    id,
    host: z.string().min(1).max(255),
    port: z.int().min(1).max(65_535),
  }),
  z.object({ type: z.literal('data'), id, data: z.string() }),
  z.object({ type: z.literal('finish'), id }),
  z.object({ type: z.literal('close'), id }),
  z.object({ type: z.literal('ack'), id, size: z.int().min(0) }),
] as const;

const stepMessage = [
  z.object({ type: z.literal('done'), id, value: z.unknown() }),
  z.object({ type: z.literal('failed'), id, kind: z.enum(['timeout', 'upstream']), message: z.string() }),
] as const;

const said = z.discriminatedUnion('type', [...tunnelMessage, ...stepMessage]);

export type TunnelMessage = z.output<(typeof tunnelMessage)[number]>;
export type Said = z.output<typeof said>;

/** Messages in what the container of a browser writes. */
export class Messages extends MessageLines<Said> {
  constructor(hear: (message: Said) => void) {
    super(said, hear);
  }
}

export const isOfTunnel = (message: Said): message is TunnelMessage =>
  message.type !== 'done' && message.type !== 'failed';
