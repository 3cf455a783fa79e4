import { z } from 'zod';
import { type TunnelMessage, tunnelMessage } from '../kit/network/tunnels.ts';
import { MessageLines } from '../kit/text/message-lines.ts';

const id = z.int().min(1);

const stepMessage = [
  z.object({ type: z.literal('done'), id, value: z.unknown() }),
  z.object({ type: z.literal('failed'), id, kind: z.enum(['timeout', 'upstream']), message: z.string() }),
] as const;

const said = z.discriminatedUnion('type', [tunnelMessage, ...stepMessage]);

export type Said = z.output<typeof said>;

/** Messages in what the container of a browser writes. */
export class Messages extends MessageLines<Said> {
  constructor(hear: (message: Said) => void) {
    super(said, hear);
  }
}

export const isOfTunnel = (message: Said): message is TunnelMessage =>
  message.type !== 'done' && message.type !== 'failed';
