import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { JsonObject } from '@millrace/engine';
import { chatStream, type FakeProvider, startFakeProvider } from '@millrace/models/testing';
import type { Egress, NodeFiles } from '@millrace/nodes/runtime';
import { emptyDrive, type Situation, traceNode } from '@millrace/nodes/testing';
import { realEgress } from '@millrace/nodes/testing/real-egress';
import { startWebsocketServer } from '@millrace/nodes/testing/websocket-server';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ProgramSandbox, Sandbox } from '../../ports/sandbox.ts';
import { getServerUrl, serveRegistry } from '../../testing/npm-registry.ts';
import {
  browserImage,
  hasBrowserImage,
  hasSandboxEngine,
  sandboxEngine,
  sandboxOptions,
} from '../../testing/sandbox-engine.ts';
import { egressToName } from '../egress/testing/servers.ts';
import { createContainerSandbox } from './containers/container-sandbox.ts';

/** The page in a new tab answers when the step after the click has begun. */
const SLOW_MS = 1500;
/** Of no other test. */
const installation = `browser-${Date.now()}`;
const KEY = 'sk-canary-of-the-model';

const PAGES: Readonly<Record<string, string>> = {
  '/': `<title>Shop</title><h1>Welcome</h1>
    <label>Name <input id="name"></label>
    <select id="colour"><option value="r">Red</option><option value="b">Blue</option></select>
    <button id="go" onclick="document.querySelector('h1').textContent = document.querySelector('#name').value + ' likes ' + document.querySelector('#colour').value; fetch('/bought', { method: 'POST', body: 'x' })">Buy</button>
    <a id="new" href="/tall" target="_blank" title="more">More</a>
    <p id="hovered" onmouseenter="this.textContent = 'seen'">look</p>`,
  '/tall':
    '<h1>Tall</h1><div style="height: 5000px"></div><output></output><script>addEventListener("scroll", () => { document.querySelector("output").textContent = String(Math.round(scrollY)); });</script>',
  '/login':
    "<h1>Sign in</h1><input id=\"user\"><button onclick=\"document.cookie = 'user=' + document.querySelector('#user').value; localStorage.setItem('theme', 'dark'); sessionStorage.setItem('tab', '1'); location.href = '/account'\">Sign in</button>",
  '/agent':
    '<p></p><script>document.querySelector("p").textContent = navigator.webdriver + " " + /Headless/.test(navigator.userAgent);</script>',
  '/sockets': `<p></p><script>
    const said = [];
    const tell = (text) => { said.push(text); if (said.length === 2) document.querySelector('p').textContent = said.sort().join(' '); };
    fetch('/echo', { method: 'POST', body: 'y'.repeat(3000000) }).then((answer) => answer.text()).then(tell);
    const socket = new WebSocket('ws://' + location.hostname + ':' + location.search.slice(1));
    socket.onopen = () => socket.send('x'.repeat(1000000));
    socket.onmessage = ({ data }) => tell(String(data.length));
  </script>`,
  '/big': `<h1>Big</h1><img src="/picture"><pre>${'x'.repeat(600_000)}</pre>`,
};

function answerPage(request: IncomingMessage, response: ServerResponse): void {
  const path = (request.url ?? '').split('?')[0] ?? '';
  response.setHeader('content-type', 'text/html');
  if (path === '/account') {
    const user = /user=(\w+)/.exec(request.headers.cookie ?? '')?.[1];
    response.end(
      user
        ? `<h1 id="account">Hello ${user}</h1><p></p><script>document.querySelector('p').textContent = localStorage.getItem('theme') + sessionStorage.getItem('tab')</script>`
        : '<h1>Signed out</h1>',
    );
  } else if (path === '/echo') {
    request.setEncoding('utf8');
    let size = 0;
    request.on('data', (piece: string) => (size += piece.length));
    request.on('end', () => response.end(String(size)));
  } else if (path === '/tall') setTimeout(() => response.end(PAGES[path]), SLOW_MS);
  else response.writeHead(PAGES[path] === undefined ? 404 : 200).end(PAGES[path] ?? '<h1>Not here</h1>');
}

// The first one installs Playwright.
describe.skipIf(!hasSandboxEngine || !hasBrowserImage)(
  '§8.4: browsers in containers',
  { timeout: 90_000 },
  () => {
    let registry: Server;
    let pages: Server;
    let sandbox: Sandbox & ProgramSandbox;
    let shop = '';
    const providers: FakeProvider[] = [];

    beforeAll(async () => {
      registry = await serveRegistry();
      pages = createServer(answerPage);
      await new Promise<void>((resolve) => pages.listen(0, '127.0.0.1', resolve));
      shop = getServerUrl(pages).replace('127.0.0.1', 'shop.test');
      sandbox = openSandbox(browserImage);
    });
    afterAll(async () => {
      await sandbox.close();
      for (const server of [registry, pages]) {
        server.closeAllConnections();
        server.close();
      }
      for (const provider of providers) provider.stop();
    });

    const openSandbox = (browser: string) =>
      createContainerSandbox({
        ...sandboxOptions,
        images: { ...sandboxOptions.images, browser },
        installation,
        // The engine of the tests has no bridge; the service refuses this network in its settings.
        network: 'host',
        forwarded: {
          locale: [],
          network: [`NPM_CONFIG_REGISTRY=${getServerUrl(registry)}`],
          authorities: undefined,
        },
      });

    /** The guard of the product, which only lets the shop through; models are asked without it. */
    function guarded(): Egress {
      const { connect, resolveAddresses } = egressToName('shop.test');
      return { ...realEgress(), connect, resolveAddresses };
    }

    async function run(
      steps: JsonObject[],
      {
        data = {},
        inputs = {},
        signal,
        started = sandbox,
        credentials = {},
      }: {
        data?: JsonObject;
        inputs?: NonNullable<Situation['inputs']>;
        signal?: AbortSignal;
        started?: ProgramSandbox;
        credentials?: NonNullable<Situation['credentials']>;
      } = {},
    ) {
      const stored: { name: string; bytes: Buffer }[] = [];
      const files: NodeFiles = {
        ...emptyDrive(),
        store: async ({ filename, body }) => {
          const pieces: Uint8Array[] = [];
          for await (const piece of body) pieces.push(piece);
          const bytes = Buffer.concat(pieces);
          const name = typeof filename === 'function' ? filename() : filename;
          stored.push({ name, bytes });
          const facts = { filename: name, mime_type: 'image/png', size_bytes: bytes.length };
          return { id: `file-${stored.length}`, ...facts, download_url: `https://test/${name}` };
        },
      };
      const { result, trace } = await traceNode(
        'playwright',
        { playwrightTimeout: 5_000, playwrightSteps: steps, ...data },
        {
          inputs,
          credentials,
          services: {
            startProgram: (job) => started.startProgram(job),
            http: guarded(),
            files,
            now: Date.now,
          },
          ...(signal ? { signal } : {}),
        },
      );
      return { result, trace, stored };
    }

    const requireOutput = ({ result }: Awaited<ReturnType<typeof run>>): JsonObject => {
      if (!('output' in result)) throw new Error(JSON.stringify(result));
      return result.output as JsonObject;
    };

    test('graph 3.7: steps fill in, choose, click and read, and a screenshot is a file', async () => {
      const done = await run(
        [
          { action: 'navigate', url: '$start.shop', outputKey: 'opened' },
          { action: 'fill', selector: '#name', value: 'Ada' },
          { action: 'type', selector: '#name', text: ' L' },
          { action: 'selectOption', selector: '#colour', value: 'Blue' },
          { action: 'click', selector: 'text=Buy' },
          { action: 'getText', selector: 'h1', outputKey: 'title' },
          { action: 'hover', selector: '#hovered' },
          { action: 'getText', selector: '#hovered' },
          { action: 'getAttribute', selector: '#new', attribute: 'title', outputKey: 'hint' },
          { action: 'getHTML', selector: '#hovered', outputKey: 'html' },
          { action: 'getHTML', outputKey: 'page' },
          { action: 'getVisibleTextOnPage', outputKey: 'text' },
          { action: 'screenshot', outputKey: 'picture' },
          { action: 'screenshot', selector: '#go' },
        ],
        { inputs: { start: { shop } }, data: { playwrightCaptureNetwork: true } },
      );
      const picture = expect.objectContaining({
        id: 'file-1',
        filename: 'screenshot-1.png',
        mime_type: 'image/png',
      });
      expect(requireOutput(done)).toEqual({
        status: 'ok',
        results: {
          opened: { url: `${shop}/`, status: 200 },
          title: 'Ada L likes b',
          step8: 'seen',
          hint: 'more',
          html: expect.stringMatching(/^<p id="hovered".*>seen<\/p>$/),
          page: expect.stringContaining('<title>Shop</title>'),
          text: expect.stringContaining('Ada L likes b'),
          picture,
        },
        screenshot: expect.objectContaining({ id: 'file-2', filename: 'screenshot-2.png' }),
        networkRequests: expect.arrayContaining([
          { url: `${shop}/`, method: 'GET', status: 200, type: 'document' },
          { url: `${shop}/bought`, method: 'POST', status: 404, type: 'fetch' },
        ]),
      });
      expect(done.stored.map(({ bytes }) => bytes.subarray(1, 4).toString())).toEqual(['PNG', 'PNG']);
      expect(await containersLeft()).toBe(0);
    });

    test('a page that a click opens in a new tab is the one that further steps see, and it scrolls', async () => {
      const done = await run([
        { action: 'navigate', url: shop },
        { action: 'click', selector: '#new' },
        { action: 'scrollDown', amount: 700 },
        { action: 'wait', selector: 'output:text-is("700")', timeout: 10_000 },
        { action: 'getText', selector: 'output', outputKey: 'down' },
        { action: 'scrollUp', amount: '200' },
        { action: 'wait', selector: 'output:text-is("500")', timeout: 10_000 },
        { action: 'getText', selector: 'output', outputKey: 'up' },
      ]);
      expect(requireOutput(done)['results']).toEqual({ down: '700', up: '500' });
    });

    test('what is large comes and goes in pieces', async () => {
      const done = await run([
        { action: 'navigate', url: `${shop}/big` },
        { action: 'getHTML', outputKey: 'html' },
      ]);
      expect(String((requireOutput(done)['results'] as JsonObject)['html']).length).toBeGreaterThan(600_000);
    });

    test.each([
      [{}, 'true true'],
      [{ playwrightStealth: true, playwrightHeadless: false }, 'false false'],
    ])('pages see with %j whether a program steers the browser: %s', async (data, seen) => {
      const steps = [
        { action: 'navigate', url: `${shop}/agent` },
        { action: 'getText', selector: 'p', outputKey: 'seen' },
      ];
      expect(requireOutput(await run(steps, { data }))['results']).toEqual({ seen });
    });

    test('requests and web sockets of a page pass, larger than what may be under way at once', async () => {
      const echo = await startWebsocketServer({
        onConnection: (socket) => socket.on('message', (data: Buffer) => socket.send(data.toString())),
      });
      const done = await run([
        { action: 'navigate', url: `${shop}/sockets?${new URL(echo.url).port}` },
        { action: 'wait', selector: 'text=1000000 3000000' },
      ]);
      expect(requireOutput(done)['status']).toBe('ok');
      await echo.stop();
    });

    test.each<[string, JsonObject[], object]>([
      [
        'an element that is missing',
        [
          { action: 'navigate', url: 'SHOP' },
          { action: 'click', selector: '#nope', timeout: 500 },
        ],
        { kind: 'timeout', message: expect.stringMatching(/^Step 2 \(click "#nope"\): .*500ms/) },
      ],
      [
        'an address of this machine',
        [{ action: 'navigate', url: 'http://127.0.0.1:8081/' }],
        {
          kind: 'upstream',
          message: expect.stringMatching(/^Step 1 \(navigate "http:\/\/127\.0\.0\.1:8081\/"\): .*private/),
        },
      ],
      [
        'an address of the network, over TLS',
        [{ action: 'navigate', url: 'https://10.0.0.1/' }],
        { message: expect.stringMatching(/^Step 1 .*private/) },
      ],
      [
        'the name of this machine',
        [{ action: 'navigate', url: 'http://localhost:8081/' }],
        { message: expect.stringMatching(/^Step 1 .*private/) },
      ],
      [
        'the end of the time of an element that never comes',
        [
          { action: 'navigate', url: 'SHOP' },
          { action: 'wait', selector: '#later', timeout: 300 },
        ],
        { kind: 'timeout', message: expect.stringMatching(/^Step 2 \(wait "#later"\)/) },
      ],
    ])(
      '%s fails the node with the number of the step, and no container is left',
      async (_what, steps, failure) => {
        const { result } = await run(
          steps.map((step) => (step['url'] === 'SHOP' ? { ...step, url: shop } : step)),
        );
        expect(result).toMatchObject({ failure });
        expect(await containersLeft()).toBe(0);
      },
    );

    test('a browser reaches only the hosts that the node allows', async () => {
      const steps = [
        { action: 'navigate', url: shop },
        { action: 'getText', selector: 'body' },
      ];
      const only = (playwrightAllowedHosts: string) => run(steps, { data: { playwrightAllowedHosts } });
      expect(requireOutput(await only('other.test, shop.test'))).toMatchObject({ status: 'ok' });
      const { result } = await only('cdn.shop.test');
      expect(result).toMatchObject({
        failure: { message: expect.stringContaining('shop.test is not among the allowed hosts of the node') },
      });
    });

    test('a sign-in is kept: steps sign in once, and a later run begins with the state', async () => {
      const data = {
        playwrightAuthEnabled: true,
        playwrightAuthStateExpression: '$start.state',
        playwrightAuthCheckSelector: '#account',
        playwrightAuthCheckTimeout: 5000,
        playwrightAuthFallbackSteps: [
          { action: 'navigate', url: `${shop}/login` },
          { action: 'fill', selector: '#user', value: 'ada' },
          { action: 'click', selector: 'button' },
          { action: 'wait', selector: '#account' },
        ],
      };
      const steps = [
        { action: 'navigate', url: `${shop}/account` },
        { action: 'getVisibleTextOnPage', outputKey: 'text' },
      ];
      const first = requireOutput(await run(steps, { data, inputs: { start: { state: {} } } }));
      expect(first).toMatchObject({
        results: { text: expect.stringMatching(/^Hello ada\s+dark1$/) },
        cookies: [expect.objectContaining({ name: 'user', value: 'ada', domain: 'shop.test' })],
        localStorage: { [shop]: { theme: 'dark' } },
        sessionStorage: { [shop]: { tab: '1' } },
      });
      const { cookies = null, localStorage = null, sessionStorage = null } = first;
      const state = { cookies, localStorage, sessionStorage };
      const again = await run(steps, {
        data: { ...data, playwrightAuthFallbackSteps: [] },
        inputs: { start: { state } },
      });
      expect(requireOutput(again)).toMatchObject({
        results: { text: expect.stringMatching(/^Hello ada\s+dark1$/) },
      });
      const without = await run(steps, {
        data: { ...data, playwrightAuthFallbackSteps: [], playwrightAuthCheckTimeout: 300 },
        inputs: { start: { state: '' } },
      });
      expect(without.result).toMatchObject({
        failure: {
          field: 'playwrightAuthFallbackSteps',
          message: expect.stringContaining('no sign-in steps'),
        },
      });
    });

    describe('a step of a model', () => {
      async function provider(answer: (message: string, count: number) => object): Promise<FakeProvider> {
        const server = await startFakeProvider(({ body }, count) => {
          const messages = body?.['messages'] as { content: string | { text?: string }[] }[];
          const content = messages.at(-1)?.content ?? '';
          const text =
            typeof content === 'string' ? content : content.map((part) => part.text ?? '').join('\n');
          return { chunks: chatStream([JSON.stringify(answer(text, count))]) };
        });
        providers.push(server);
        return server;
      }

      /** The number that the model is shown for an element. */
      const findRef = (message: string, part: string): number => {
        const line = message.split('\n').find((one) => one.startsWith('{') && one.includes(part));
        return Number(/"ref":(\d+)/.exec(line ?? '')?.[1]);
      };
      const aiStep = { action: 'aiStep', credentialId: 'm', model: 'small', instructions: 'Buy as Ada' };
      const withModel = (server: FakeProvider) => ({
        credentials: { m: { type: 'custom', values: { api_key: KEY, base_url: server.url } } },
      });

      test('sees the elements, acts by their numbers, and its steps can be saved and replayed', async () => {
        const server = await provider((message, count) => {
          if (count === 0) {
            return {
              actions: [
                { action: 'fill', ref: findRef(message, 'Name'), text: 'Ada' },
                { action: 'click', ref: findRef(message, 'Buy') },
                { action: 'getText', ref: findRef(message, 'Welcome') },
              ],
            };
          }
          return { actions: [], done: true, result: 'bought' };
        });
        const steps = [
          { action: 'navigate', url: shop },
          { ...aiStep, saveStepsForFuture: true, outputKey: 'said' },
        ];
        const title = { action: 'getText', selector: 'h1', outputKey: 'title' };
        const done = await run([...steps, title], withModel(server));
        const taken = [
          { action: 'fill', selector: '#name', value: 'Ada' },
          { action: 'click', selector: '#go' },
          { action: 'getText', selector: 'h1' },
        ];
        expect(requireOutput(done)).toMatchObject({
          results: { said: 'bought', title: 'Ada likes r' },
          saveSteps: [{ field: 'playwrightSteps', step: 2, steps: taken }],
        });
        expect(done.trace.model_calls).toHaveLength(2);
        const asked = JSON.stringify(server.seen.map(({ body }) => body));
        expect(asked).toContain('<data tool=');
        expect(asked).toContain('Ada likes r');

        const silent = await provider(() => ({ actions: [], done: true }));
        const replayed = await run(
          [{ action: 'navigate', url: shop }, { ...aiStep, savedSteps: taken }, title],
          withModel(silent),
        );
        expect(requireOutput(replayed)).toMatchObject({ results: { title: 'Ada likes r' } });
        expect(silent.seen).toEqual([]);
      });

      test('saved steps that fail are healed by the model, or fail the node', async () => {
        const saved = [{ action: 'click', selector: '#gone', timeout: 300 }];
        const server = await provider((message, count) =>
          count === 0
            ? { actions: [{ action: 'click', ref: findRef(message, 'Buy') }], done: true }
            : { actions: [], done: true },
        );
        const steps = (more: JsonObject) => [
          { action: 'navigate', url: shop },
          { ...aiStep, savedSteps: saved, ...more },
          { action: 'getText', selector: 'h1', outputKey: 'title' },
        ];
        const failed = await run(steps({}), withModel(server));
        expect(failed.result).toMatchObject({
          failure: {
            kind: 'timeout',
            message: expect.stringMatching(/^Step 2 \(aiStep\): saved step 1 \(click "#gone"\)/),
          },
        });
        const healed = await run(steps({ autoHealMode: true, sendScreenshot: true }), withModel(server));
        expect(requireOutput(healed)).toMatchObject({ results: { title: 'likes r' } });
        expect(JSON.stringify(server.seen[0]?.body)).toContain('data:image/png;base64,');
      });

      test('a model that answers nonsense, or never ends, fails the node', async () => {
        const server = await provider(() => ({
          actions: [{ action: 'navigate', url: 'https://evil.test' }],
        }));
        const { result } = await run([{ action: 'navigate', url: shop }, aiStep], withModel(server));
        expect(result).toMatchObject({
          failure: { kind: 'limit', message: expect.stringContaining('not done after 12 answers') },
        });
        expect(JSON.stringify(server.seen[1]?.body)).toContain('cannot be used');
      });
    });

    test('a cancelled run ends the browser at once', async () => {
      const stop = new AbortController();
      const running = run(
        [
          { action: 'navigate', url: shop },
          { action: 'wait', timeout: 60_000 },
        ],
        { signal: stop.signal },
      );
      await expect.poll(containersLeft, { timeout: 20_000 }).toBe(1);
      stop.abort();
      const { result } = await running;
      expect(result).toMatchObject({ failure: { kind: 'cancelled' } });
      await expect.poll(containersLeft, { timeout: 10_000 }).toBe(0);
    });

    test('§7: a missing image fails only this node, and says how to get it', async () => {
      const other = openSandbox('missing/browser:1');
      const { result } = await run([{ action: 'navigate', url: shop }], { started: other });
      expect(result).toMatchObject({
        failure: {
          kind: 'sandbox',
          message: expect.stringMatching(/docker pull missing\/browser:1.*SANDBOX_BROWSER_IMAGE/),
        },
      });
      expect(await other.state()).toMatchObject({ status: 'ready' });
      await other.close();
    });
  },
);

async function containersLeft(): Promise<number> {
  const label = ['millrace.sandbox=program', `millrace.sandbox.installation=${installation}`];
  const filters = encodeURIComponent(JSON.stringify({ label }));
  return (await sandboxEngine.call<unknown[]>('GET', `/containers/json?all=true&filters=${filters}`)).length;
}
