/** Why a command was not sent: too many before it have failed. */
export class BreakerOpen extends Error {
  constructor() {
    super('Redis is left alone for a moment, because it did not answer');
    this.name = 'BreakerOpen';
  }
}

const COMMAND_MS = 50;
const FAILURES_TO_OPEN = 5;
const OPEN_MS = 1_000;

export interface Breaker {
  /** Runs one command with its time limit, or fails at once while the breaker is open. */
  run<T>(command: () => Promise<T>): Promise<T>;
}

/**
 * Keeps a slow or dead Redis from slowing every request: five failures in a row, and for a second commands are not even
 * tried; then one is let through to find out.
 */
export function createBreaker(now: () => number = performance.now.bind(performance)): Breaker {
  let failures = 0;
  let openUntil = 0;

  function fail(): void {
    failures += 1;
    if (failures >= FAILURES_TO_OPEN) openUntil = now() + OPEN_MS;
  }

  return {
    async run(command) {
      if (now() < openUntil) throw new BreakerOpen();
      // While it is open, the one that comes through keeps the others out until it knows more.
      if (failures >= FAILURES_TO_OPEN) openUntil = now() + COMMAND_MS;
      try {
        const result = await withTimeLimit(command());
        failures = 0;
        openUntil = 0;
        return result;
      } catch (error) {
        fail();
        throw error;
      }
    },
  };
}

async function withTimeLimit<T>(command: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`Redis did not answer within ${COMMAND_MS} ms`)), COMMAND_MS);
  });
  command.catch(() => undefined);
  try {
    return await Promise.race([command, limit]);
  } finally {
    clearTimeout(timer);
  }
}
