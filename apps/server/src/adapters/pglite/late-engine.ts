import type { Engine } from './engine.ts';

/** An engine that can be used while it is still being opened: what is asked of it waits. */
export function createLateEngine(opening: Promise<Engine>): Engine {
  let opened: Engine | undefined;
  opening.then(
    (engine) => {
      opened = engine;
    },
    // Reported to those who wait for it.
    () => undefined,
  );
  return {
    exchange: (message) => opened?.exchange(message) ?? opening.then((engine) => engine.exchange(message)),
    dump: async () => (await opening).dump(),
    close: async () => (await opening).close(),
  };
}
