import { Duplex } from 'node:stream';
import type { Engine } from './engine.ts';

const TERMINATE = 'X'.charCodeAt(0);

/** Simple query message of the PostgreSQL protocol, version 3. */
function simpleQuery(text: string): Buffer {
  const body = Buffer.from(`${text}\0`);
  const message = Buffer.alloc(5 + body.length);
  message.write('Q');
  message.writeInt32BE(4 + body.length, 1);
  body.copy(message, 5);
  return message;
}

/**
 * A connection of the PostgreSQL driver that leads into the engine instead of a socket. So both kinds of database share
 * one driver, with its types, errors and prepared statements.
 */
class EngineWire extends Duplex {
  readonly #engine: Engine;
  readonly #fresh: boolean;

  constructor(engine: Engine, fresh: boolean) {
    super();
    this.#engine = engine;
    this.#fresh = fresh;
  }

  connect(): this {
    // The engine has one session for ever; what a former connection left in it goes first.
    const clean = this.#fresh ? Promise.resolve() : this.#reset();
    clean.then(() => this.emit('connect')).catch((error: Error) => this.destroy(error));
    return this;
  }

  async #reset(): Promise<void> {
    for (const text of ['ROLLBACK', 'DISCARD ALL']) await this.#engine.exchange(simpleQuery(text));
  }

  // Calls that the driver makes on a socket and that mean nothing here.
  setNoDelay(): this {
    return this;
  }
  setKeepAlive(): this {
    return this;
  }
  ref(): this {
    return this;
  }
  unref(): this {
    return this;
  }

  override _read(): void {}

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    this.#send(chunk, done);
  }

  override _writev(chunks: { chunk: Buffer }[], done: (error?: Error | null) => void): void {
    this.#send(Buffer.concat(chunks.map(({ chunk }) => chunk)), done);
  }

  override _final(done: (error?: Error | null) => void): void {
    this.push(null);
    done();
  }

  #send(message: Buffer, done: (error?: Error | null) => void): void {
    done();
    if (message[0] === TERMINATE) return;
    this.#engine.exchange(message).then(
      (answer) => {
        // Copied: in the same thread the answer is a view of memory that the engine reuses.
        if (!this.destroyed) this.push(Buffer.from(answer));
      },
      (error: Error) => this.destroy(error),
    );
  }
}

/** Makes connections to one engine; each call takes the place of the former. */
export function createWires(engine: Engine): () => Duplex {
  let fresh = true;
  return () => {
    const wire = new EngineWire(engine, fresh);
    fresh = false;
    return wire;
  };
}
