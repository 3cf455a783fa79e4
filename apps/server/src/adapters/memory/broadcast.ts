import { EventEmitter } from 'node:events';
import type { Broadcast } from '../../ports/coordination/broadcast.ts';

/** Broadcast within one process. */
export function createMemoryBroadcast(): Broadcast {
  const emitter = new EventEmitter();
  emitter.setMaxListeners(0);
  return {
    publish: (channel, payload) => void emitter.emit(channel, payload),
    subscribe(channel, receive) {
      emitter.on(channel, receive);
      return () => void emitter.off(channel, receive);
    },
    close: () => {
      emitter.removeAllListeners();
      return Promise.resolve();
    },
  };
}
