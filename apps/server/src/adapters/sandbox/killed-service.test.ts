import { type ChildProcess, fork } from 'node:child_process';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { pythonJob } from '../../ports/sandbox.conformance.ts';
import { startFakeContainerEngine } from '../../testing/fake-container-engine.ts';
import { pythonWheel } from '../../testing/sandbox/python-wheel.ts';
import type { KilledWork } from '../../testing/sandbox/sandbox-process.ts';
import { hasSandboxEngine, sandboxEngine, sandboxOptions } from '../../testing/sandbox-engine.ts';
import { createContainerSandbox } from './containers/container-sandbox.ts';
import { Containers } from './containers/containers.ts';
import { connectEngine, type Engine } from './containers/engine.ts';
import { INSTALLATION } from './containers/hardening.ts';

const INSTALLATION_ID = 'killed-service';
/** A version that no earlier run has installed. */
const VERSION = `1.0.${Date.now()}`;

const children: ChildProcess[] = [];
afterAll(() => {
  for (const child of children) child.kill('SIGKILL');
});

function startService(work: KilledWork): ChildProcess {
  const file = fileURLToPath(new URL('../../testing/sandbox/sandbox-process.ts', import.meta.url));
  const child = fork(file, [JSON.stringify(work)], { execArgv: ['--import', 'tsx'], stdio: 'inherit' });
  children.push(child);
  return child;
}

async function kill(child: ChildProcess): Promise<void> {
  const over = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGKILL');
  await over;
}

/** The same engine at a time when everything that was started has expired. */
const later = (engine: Engine): Engine => ({
  attach: (id) => engine.attach(id),
  async call<T>(...[method, path, ...more]: Parameters<Engine['call']>): Promise<T> {
    const answer = await engine.call<T>(method, path, ...more);
    if (path !== '/info') return answer;
    return { ...answer, SystemTime: new Date(Date.now() + 3_600_000).toISOString() };
  },
});

/** A sandbox of another process of the same installation. */
function otherSandbox(docker_host: string | undefined, registry: string) {
  return createContainerSandbox({
    ...sandboxOptions,
    docker_host,
    installation: INSTALLATION_ID,
    // The engine of the tests has no bridge.
    network: 'host',
    forwarded: { locale: [], network: [`PIP_INDEX_URL=${registry}`], authorities: undefined },
  });
}

describe.skipIf(!hasSandboxEngine)('§8.4: a service that is killed while it installs packages', () => {
  let registry: Server;
  let address: string;
  let isReady = false;
  let asked = 0;
  beforeAll(async () => {
    const file = await pythonWheel('probe_killed', VERSION, '');
    const name = `probe_killed-${VERSION}-py3-none-any.whl`;
    registry = createServer((request, response) => {
      asked += 1;
      if (!isReady) return;
      if (request.url === `/${name}`) return response.end(file);
      return response.setHeader('content-type', 'text/html').end(`<a href="/${name}">${name}</a>`);
    });
    await new Promise<void>((resolve) => registry.listen(0, '127.0.0.1', resolve));
    address = `http://127.0.0.1:${(registry.address() as AddressInfo).port}`;
  });
  afterAll(async () => {
    registry.closeAllConnections();
    registry.close();
    const { Volumes } = await sandboxEngine.call<{ Volumes: { Name: string }[] | null }>('GET', '/volumes');
    const own = (Volumes ?? []).filter(({ Name }) => Name.startsWith('millrace-packages-'));
    await Promise.all(
      own.map(({ Name }) => sandboxEngine.call('DELETE', `/volumes/${Name}`).catch(() => undefined)),
    );
  });

  interface Listed {
    readonly State: string;
  }
  const left = () => {
    const filters = encodeURIComponent(JSON.stringify({ label: [`${INSTALLATION}=${INSTALLATION_ID}`] }));
    return sandboxEngine.call<Listed[]>('GET', `/containers/json?all=1&filters=${filters}`);
  };

  test('ends the installation with it; the next run installs them, and a sweep leaves nothing', async () => {
    const requirements = [`probe-killed==${VERSION}`];
    const docker_host = process.env['DOCKER_HOST'];
    const child = startService({
      docker_host,
      installation: INSTALLATION_ID,
      registry: address,
      requirements,
    });
    await expect.poll(() => asked, { timeout: 30_000 }).toBeGreaterThan(0);
    await kill(child);
    await expect.poll(async () => (await left()).map(({ State }) => State)).toEqual(['exited']);
    isReady = true;
    const sandbox = otherSandbox(docker_host, address);
    const source = 'import probe_killed\ndef main(p): return probe_killed.VERSION';
    expect((await sandbox.run(pythonJob(source, { requirements }))).result).toBe(VERSION);
    await sandbox.close();
    await new Containers(later(sandboxEngine), INSTALLATION_ID).sweep();
    expect(await left()).toEqual([]);
  }, 60_000);
});

test('§8.4: a service that is killed while it removes a container leaves it to the sweep of another, and the next run works', async () => {
  let isSilent = true;
  let removals = 0;
  const engine = await startFakeContainerEngine({
    isSilentOn: (asked) => isSilent && asked.startsWith('DELETE') && (removals += 1) > 0,
  });
  const child = startService({
    docker_host: engine.docker_host,
    installation: INSTALLATION_ID,
    registry: '',
    requirements: [],
  });
  await expect.poll(() => removals, { timeout: 30_000 }).toBeGreaterThan(0);
  await kill(child);
  isSilent = false;
  const sandbox = otherSandbox(engine.docker_host, '');
  expect((await sandbox.run(pythonJob('def main(p): return 1'))).result).toBe(1);
  await sandbox.close();
  expect([engine.created.length, engine.removed.length]).toEqual([2, 1]);
  await new Containers(later(connectEngine(engine.docker_host)), INSTALLATION_ID).sweep();
  expect(engine.removed).toEqual([1, 0]);
  engine.stop();
}, 60_000);
