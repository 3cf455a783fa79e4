import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { json } from 'node:stream/consumers';
import type { JsonObject } from '@millrace/engine';
import { LABEL } from '../adapters/sandbox/containers/hardening.ts';

/** The body that `POST /containers/create` was given. */
interface ContainerBody {
  readonly Env: readonly string[];
  readonly User: string;
  readonly Labels: Readonly<Record<string, string>>;
  readonly HostConfig: JsonObject;
}

export interface FakeContainer extends ContainerBody {
  /** Epoch milliseconds. */
  readonly created_at: number;
  /** The input that its program was given; absent until then. */
  input?: JsonObject;
}

export interface FakeContainerEngine {
  readonly docker_host: string;
  /** In the order of their creation. */
  readonly created: readonly FakeContainer[];
  /** Places of those that were removed in that order. */
  readonly removed: readonly number[];
  stop(): void;
}

interface FakeEngineOptions {
  /** Of `GET /info`, in place of what an engine has that is fit. */
  readonly info?: JsonObject;
  /** Refuses everything with status 400 and these words. */
  readonly refusal?: string;
  /** Refuses every new container with status 500 and these words. */
  readonly full?: string;
  /** The name of an image that it does not have. */
  readonly missing_image?: string;
  /** Installations of packages never end. */
  readonly is_slow?: boolean;
  /** Requests that it takes and does not answer, such as `POST /containers/0/start`; `RUN 0` for what a program would say. */
  readonly isSilentOn?: (asked: string) => boolean;
  /** Epoch milliseconds, by the clock of the engine. */
  readonly now?: () => number;
}

const FIT: JsonObject = {
  ServerVersion: '25.0.0',
  OSType: 'linux',
  SecurityOptions: ['name=seccomp,profile=builtin'],
  MemoryLimit: true,
  PidsLimit: true,
  CpuCfsQuota: true,
};

const isInstalling = ({ Labels }: FakeContainer): boolean => Labels[LABEL] === 'install';

/** A container engine over real HTTP that runs nothing: it notes what it is asked for, and answers as the programs would. */
export async function startFakeContainerEngine({
  info = {},
  refusal,
  full,
  missing_image,
  is_slow = false,
  isSilentOn = () => false,
  now = Date.now,
}: FakeEngineOptions = {}): Promise<FakeContainerEngine> {
  const created: FakeContainer[] = [];
  const removed: number[] = [];
  const streams = new Set<Duplex>();
  const answerRequest = async (request: IncomingMessage): Promise<object> => {
    const { pathname } = new URL(request.url ?? '/', 'http://engine');
    if (isSilentOn(getRoute(request)) && request.method === 'DELETE') return {};
    if (request.method === 'DELETE') removed.push(Number(pathname.split('/').at(-1)));
    if (pathname.endsWith('/info')) return { ...FIT, SystemTime: new Date(now()).toISOString(), ...info };
    if (pathname.endsWith('/volumes')) return { Volumes: null };
    if (pathname.endsWith('/containers/json')) {
      const kept = created
        .map((container, at) => ({ ...container, at }))
        .filter(({ at }) => !removed.includes(at));
      return kept.map(({ at, created_at, Labels }) => ({
        Id: String(at),
        Created: created_at / 1_000,
        Labels,
      }));
    }
    if (pathname.endsWith('/wait')) return { StatusCode: 0 };
    if (!pathname.endsWith('/containers/create')) return { State: { OOMKilled: false, Status: 'running' } };
    created.push({ ...((await json(request)) as ContainerBody), created_at: now() });
    return { Id: String(created.length - 1) };
  };
  const server = createServer((request: IncomingMessage, response: ServerResponse) => {
    if (refusal !== undefined) {
      response.writeHead(400).end(JSON.stringify({ message: refusal }));
      return;
    }
    if (missing_image !== undefined && request.url?.includes(`/images/${missing_image}/`)) {
      response.writeHead(404).end(JSON.stringify({ message: `No such image: ${missing_image}` }));
      return;
    }
    if (full !== undefined && request.url?.includes('/containers/create')) {
      response.writeHead(500).end(JSON.stringify({ message: full }));
      return;
    }
    void answerRequest(request).then((answer) => {
      if (!isSilentOn(getRoute(request))) response.end(JSON.stringify(answer));
    });
  });
  server.on('upgrade', (request: IncomingMessage, stream: Duplex) => {
    const container = created[Number(/containers\/(\d+)\//.exec(request.url ?? '')?.[1])];
    streams.add(stream);
    stream.on('error', () => undefined);
    if (isSilentOn(getRoute(request))) return;
    stream.write('HTTP/1.1 101 UPGRADED\r\nConnection: Upgrade\r\nUpgrade: tcp\r\n\r\n');
    void firstLine(stream).then((line) => {
      if (!container) return;
      container.input = JSON.parse(line) as JsonObject;
      if (is_slow && isInstalling(container)) return;
      if (isSilentOn(`RUN ${created.indexOf(container)}`)) return;
      const has_packages = created.some((other) => other.input && isInstalling(other));
      const answer = JSON.stringify(programAnswer(container, container.input, has_packages));
      const marked = `${String(container.input['marker'])}${answer}`;
      // A program that is spoken to has begun, and runs on.
      if (answer === '{}') stream.write(framed(`${marked}\n`));
      else stream.end(framed(marked));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    docker_host: `tcp://127.0.0.1:${(server.address() as AddressInfo).port}`,
    created,
    removed,
    stop() {
      for (const stream of streams) stream.destroy();
      server.closeAllConnections();
      server.close();
    },
  };
}

/** Without the version of the interface and the query. */
const getRoute = ({ method, url = '' }: IncomingMessage): string =>
  `${method} ${url.replace(/^\/v[\d.]+/, '').replace(/\?.*/, '')}`;

function programAnswer(container: FakeContainer, input: JsonObject, has_packages: boolean): object {
  if (isInstalling(container)) return { ok: true, tool: 'pip', log: '' };
  if (input['has_packages'] === true && !has_packages) return { problem: 'no_packages' };
  if (input['command'] !== undefined) return {};
  return input['script'] === undefined ? { result: 1 } : { exit_code: 0, printed: '1\n', files: [] };
}

async function firstLine(stream: Duplex): Promise<string> {
  let text = '';
  return new Promise((resolve) => {
    stream.on('data', (chunk: Buffer) => {
      text += chunk.toString();
      if (text.includes('\n')) resolve(text.slice(0, text.indexOf('\n')));
    });
  });
}

/** Standard output in a frame of the Docker Engine API. */
function framed(text: string): Buffer {
  const data = Buffer.from(text);
  const header = Buffer.from([1, 0, 0, 0, 0, 0, 0, 0]);
  header.writeUInt32BE(data.length, 4);
  return Buffer.concat([header, data]);
}
