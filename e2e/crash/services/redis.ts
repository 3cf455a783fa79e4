import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from 'redis';
import { atExit } from './cleanup.ts';
import { freePort } from './ports.ts';

/** A Redis of the harness' own. */
export interface RedisServer {
  readonly url: string;
  /** Ends without a word, is away for so long, and comes back with nothing in it. */
  crash(away_ms: number): Promise<void>;
  /** Answers nothing for so long, as one whose disk or network hangs. */
  freeze(ms: number): Promise<void>;
  /** Forgets everything and throws every client out. */
  flush(): Promise<void>;
  close(): Promise<void>;
}

/** Starts one; undefined where there is no program for it. */
export async function startRedis(): Promise<RedisServer | undefined> {
  if (spawnSync('redis-server', ['--version']).status !== 0) return undefined;
  const port = await freePort();
  const url = `redis://127.0.0.1:${port}`;
  let child: ChildProcess | undefined;

  async function isUp(): Promise<boolean> {
    const client = createClient({ url, socket: { reconnectStrategy: false, connectTimeout: 500 } });
    client.on('error', () => undefined);
    try {
      await client.connect();
      await client.ping();
      return true;
    } catch {
      return false;
    } finally {
      if (client.isOpen) client.destroy();
    }
  }

  async function start(): Promise<void> {
    const args = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'];
    child = spawn('redis-server', args, { stdio: 'ignore' });
    while (!(await isUp())) await sleep(50);
  }

  async function stop(): Promise<void> {
    const ended = new Promise((resolve) => child?.once('exit', resolve));
    child?.kill('SIGKILL');
    await ended;
  }

  await start();
  const forget = atExit(() => child?.kill('SIGKILL'));
  return {
    url,
    async crash(away_ms) {
      await stop();
      await sleep(away_ms);
      await start();
    },
    async freeze(ms) {
      child?.kill('SIGSTOP');
      await sleep(ms);
      child?.kill('SIGCONT');
    },
    async flush() {
      const client = createClient({ url });
      client.on('error', () => undefined);
      await client.connect();
      await client.flushAll();
      for (const type of ['normal', 'pubsub']) await client.sendCommand(['CLIENT', 'KILL', 'TYPE', type]);
      client.destroy();
    },
    async close() {
      await stop();
      forget();
    },
  };
}
