import { AsyncLocalStorage } from 'node:async_hooks';
import { type ClientBase, Pool, type PoolClient } from 'pg';
import type { Db } from '../../database/database.ts';
import { noteLosses } from '../postgres/note-losses.ts';
import { KEYED_PLANS } from '../postgres/open.ts';
import { dbOver } from '../postgres/pool-database.ts';
import type { Engine } from './engine.ts';
import { createWires } from './wire.ts';

/** A transaction waits for work that itself waits for the transaction's connection. */
export class NestedUse extends Error {
  constructor() {
    super(
      'the database was used inside of a transaction without going through it; pass the transaction on and use that',
    );
    this.name = 'NestedUse';
  }
}

interface OpenTransaction {
  readonly ended: Promise<void>;
}

/** Work that a transaction merely started gets its turn well within this; what it waits for never would. */
const PATIENCE_MS = 1_000;

export interface ExclusivePool {
  readonly pool: Pool;
  readonly db: Db;
}

/**
 * The single connection of the embedded database as a pool. One transaction or statement has it at a time and the others
 * queue; a transaction that would wait for itself fails with `NestedUse` instead of hanging.
 */
export function createExclusivePool(engine: Engine): ExclusivePool {
  const inside = new AsyncLocalStorage<OpenTransaction>();
  const wires = createWires(engine);
  // `max: 1` of the pool is what makes transactions exclusive.
  const pool = new Pool({
    max: 1,
    idleTimeoutMillis: 0,
    stream: wires,
    user: 'postgres',
    database: 'postgres',
    // The only session there is, so all callers get the plans that the journal needs.
    onConnect: async (client: ClientBase) => {
      for (const setting of KEYED_PLANS) await client.query(`SET ${setting} = off`);
    },
  });
  pool.on('error', () => undefined);
  noteLosses(pool);

  const connect = pool.connect.bind(pool) as () => Promise<PoolClient>;
  const connectInTurn = async (): Promise<PoolClient> => {
    const transaction = inside.getStore();
    if (transaction) await waitForEnd(transaction);
    return connect();
  };
  pool.connect = connectInTurn as typeof pool.connect;
  pool.query = (async (...args: Parameters<PoolClient['query']>) => {
    const client = await connectInTurn();
    try {
      return await (client.query(...args) as unknown as Promise<unknown>);
    } finally {
      client.release();
    }
  }) as unknown as typeof pool.query;
  return { pool, db: markTransactions(dbOver(pool), inside) };
}

function markTransactions(db: Db, inside: AsyncLocalStorage<OpenTransaction>): Db {
  const transaction = db.transaction.bind(db);
  let open = 0;
  const leave = () => {
    open -= 1;
    if (open === 0) inside.disable();
  };
  db.transaction = (work, config) =>
    transaction((tx) => {
      let end = () => {};
      open += 1;
      const ended = new Promise<void>((resolve) => {
        end = resolve;
      });
      // A turn later the driver has committed.
      return inside
        .run({ ended }, () => work(tx))
        .finally(() => {
          setImmediate(end);
          leave();
        });
    }, config);
  return db;
}

/** Resolves when the transaction has ended; fails when it does not, because it waits for the caller. */
async function waitForEnd({ ended }: OpenTransaction): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const impatience = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new NestedUse()), PATIENCE_MS);
  });
  try {
    await Promise.race([ended, impatience]);
  } finally {
    clearTimeout(timer);
  }
}
