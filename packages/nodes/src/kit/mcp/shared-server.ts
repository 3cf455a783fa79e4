import { NodeFailure } from '@millrace/engine';
import { HOUR_MS } from '@millrace/engine/units';
import { isRefusedCall } from './failures.ts';
import type { ProgramServer } from './program.ts';
import { type McpCaller, type McpSession, openMcpSession } from './session.ts';

/** Longest life of a server that is started once for many calls. */
const LASTS_MS = HOUR_MS;

/** A started server, and how many calls it answers now. */
interface Life {
  readonly session: McpSession;
  readonly ends_at_ms: number;
  busy: number;
}

/**
 * A server that is a program, started by the first call and kept for further ones until `close`. If it does not answer or has
 * ended, the next call replaces it. While idle it gives up its place to a program that waits for one: otherwise agents that
 * hold places and wait for more could wait for each other.
 */
export class SharedServer {
  readonly #caller: McpCaller;
  readonly #server: ProgramServer;
  readonly #over = new AbortController();
  readonly #lives = new Set<Life>();
  /** The one that takes calls. Each other one ends with the last call under way. */
  #current: Life | undefined;

  constructor(caller: McpCaller, server: ProgramServer) {
    this.#caller = { ...caller, signal: AbortSignal.any([caller.signal, this.#over.signal]) };
    this.#server = server;
  }

  async use<T>(work: (session: McpSession) => Promise<T>): Promise<T> {
    const life = this.#life();
    life.busy += 1;
    try {
      return await work(life.session);
    } catch (error) {
      // A refused call was answered. After any other failure the server may be stuck.
      if (!(error instanceof NodeFailure && isRefusedCall(error))) this.#retire(life);
      throw error;
    } finally {
      life.busy -= 1;
      await this.#endIfDone(life);
    }
  }

  /** Ends the server; calls under way fail. */
  async close(): Promise<void> {
    const lives = [...this.#lives];
    for (const life of lives) this.#retire(life);
    if (lives.some(({ busy }) => busy > 0)) this.#over.abort();
    await Promise.all(lives.map(({ session }) => session.close()));
    this.#lives.clear();
  }

  #life(): Life {
    const { timeout_ms, now } = this.#caller;
    const current = this.#current;
    if (current && !current.session.is_over && current.ends_at_ms - now() > timeout_ms) return current;
    if (current) {
      this.#retire(current);
      void this.#endIfDone(current);
    }
    return this.#begin();
  }

  #begin(): Life {
    const life: Life = {
      session: openMcpSession(
        { ...this.#caller, lasting: { ms: LASTS_MS, onCrowded: () => this.#makeRoom(life) } },
        this.#server,
        this.#server.field,
      ),
      ends_at_ms: this.#caller.now() + LASTS_MS,
      busy: 0,
    };
    this.#lives.add(life);
    this.#current = life;
    return life;
  }

  /** Whether the place becomes free now. A busy server is asked again later. */
  #makeRoom(life: Life): boolean {
    if (life.busy > 0) return false;
    this.#retire(life);
    void this.#endIfDone(life);
    return true;
  }

  #retire(life: Life): void {
    if (this.#current === life) this.#current = undefined;
  }

  async #endIfDone(life: Life): Promise<void> {
    if (life === this.#current || life.busy > 0) return;
    await life.session.close();
    this.#lives.delete(life);
  }
}
