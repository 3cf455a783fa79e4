import { Duplex } from 'node:stream';
import { type JsonObject, NodeFailure } from '@millrace/engine';
import { describe, expect, test } from 'vitest';
import { catalog } from '../catalog.ts';
import { budgetStop } from '../kit/models/budgets/budget-stop.ts';
import type { ProgramJob, RunningProgram } from '../services.ts';
import { type Situation, traceNode } from '../testing/run-node.ts';

const HERE = { action: 'navigate', url: 'https://shop.test/$start.page' };

interface Sitting {
  readonly job: ProgramJob;
  /** The messages that the service has written. */
  readonly heard: JsonObject[];
  say(message: JsonObject | string): void;
}

/** Stands for the container of a browser: answers each step as the test says, and everything else with null. */
function scriptedBrowser(answer: (step: JsonObject, sitting: Sitting) => unknown = () => null) {
  const running = { count: 0 };
  const heard: JsonObject[] = [];
  const startProgram = (job: ProgramJob): Promise<RunningProgram> => {
    running.count += 1;
    const say = (message: JsonObject | string) =>
      job.onOutput(
        new TextEncoder().encode(`${typeof message === 'string' ? message : JSON.stringify(message)}\n`),
      );
    const sitting = { job, heard, say };
    return Promise.resolve({
      async write(text) {
        const message = JSON.parse(text) as JsonObject;
        heard.push(message);
        const { id = null } = message;
        if (message['type'] === 'start') queueMicrotask(() => say({ type: 'done', id, value: null }));
        if (message['type'] !== 'do') return;
        const value = answer(message['step'] as JsonObject, sitting);
        if (value !== undefined) queueMicrotask(() => say({ type: 'done', id, value: value as never }));
      },
      async close() {
        running.count -= 1;
      },
    });
  };
  return { running, heard, startProgram };
}

async function run(
  data: JsonObject,
  answer?: (step: JsonObject, sitting: Sitting) => unknown,
  more: Situation = {},
) {
  const browser = scriptedBrowser(answer);
  const done = await traceNode('playwright', data, {
    inputs: { start: { page: 'news' } },
    ...more,
    services: { startProgram: browser.startProgram, ...more.services },
  });
  expect(browser.running.count).toBe(0);
  return { ...done, heard: browser.heard };
}

const opened = { url: 'https://shop.test/news', status: 200 };

describe('playwright', () => {
  test('graph 3.7: texts of steps are templates, and limits are those of the step or of the node', async () => {
    const { result, heard } = await run(
      {
        playwrightTimeout: '7000',
        playwrightSteps: [
          HERE,
          { action: 'fill', selector: '#q', text: 'find $start.page', timeout: '50' },
          { action: 'wait' },
          { action: 'getText', selector: ' h1 ' },
        ],
      },
      ({ action }) => (action === 'getText' ? 'News' : action === 'navigate' ? opened : null),
    );
    expect(result).toEqual({ output: { status: 'ok', results: { step4: 'News' }, screenshot: null } });
    expect(heard.flatMap(({ step }) => (step ? [step] : []))).toMatchObject([
      { action: 'navigate', url: 'https://shop.test/news', timeout: 7_000 },
      { action: 'fill', selector: '#q', text: 'find news', timeout: 50 },
      { action: 'wait', selector: '', timeout: 1_000 },
      { action: 'getText', selector: 'h1', timeout: 7_000 },
    ]);
  });

  test.each<[string, JsonObject, string, RegExp]>([
    ['code', { playwrightMode: 'code', playwrightCode: 'x' }, 'playwrightMode', /use steps, or a Code node/],
    ['no steps', {}, 'playwrightSteps', /add a step/],
    [
      'a file',
      { playwrightSteps: [{ action: 'navigate', url: 'file:///etc/passwd' }] },
      'playwrightSteps.0.url',
      /http/,
    ],
    [
      'no element',
      { playwrightSteps: [HERE, { action: 'click' }] },
      'playwrightSteps.1.selector',
      /step 2, click/,
    ],
    [
      'no attribute',
      { playwrightSteps: [{ action: 'getAttribute', selector: 'a' }] },
      'playwrightSteps.0.attribute',
      /name/,
    ],
    [
      'a reserved name',
      { playwrightSteps: [{ ...HERE, outputKey: '__proto__' }] },
      'playwrightSteps.0.outputKey',
      /reserved/,
    ],
    [
      'no credential',
      { playwrightSteps: [{ action: 'aiStep', model: 'm', instructions: 'x' }] },
      'playwrightSteps.0.credentialId',
      /choose/,
    ],
    [
      'another credential',
      { playwrightSteps: [{ action: 'aiStep', credentialId: 'mail', model: 'm', instructions: 'x' }] },
      'playwrightSteps.0.credentialId',
      /of the type smtp/,
    ],
    [
      'no model',
      { playwrightSteps: [{ action: 'aiStep', credentialId: 'c', instructions: 'x' }] },
      'playwrightSteps.0.model',
      /choose/,
    ],
    [
      'no instructions',
      { playwrightSteps: [{ action: 'aiStep', credentialId: 'c', model: 'm' }] },
      'playwrightSteps.0.instructions',
      /say what/,
    ],
    [
      'broken saved steps',
      {
        playwrightSteps: [
          {
            action: 'aiStep',
            credentialId: 'c',
            model: 'm',
            instructions: 'x',
            savedSteps: '[{"action": "aiStep"}]',
          },
        ],
      },
      'playwrightSteps.0.savedSteps',
      /list of steps/,
    ],
    [
      'a saved step that opens a file',
      {
        playwrightSteps: [
          {
            action: 'aiStep',
            credentialId: 'c',
            model: 'm',
            instructions: 'x',
            savedSteps: [{ action: 'navigate', url: 'file:///etc/passwd' }],
          },
        ],
      },
      'playwrightSteps.0.url',
      /http/,
    ],
    [
      'a broken state',
      {
        playwrightSteps: [HERE],
        playwrightAuthEnabled: true,
        playwrightAuthStateExpression: '{"cookies": 1}',
      },
      'playwrightAuthStateExpression',
      /cookies/,
    ],
    [
      'no JSON as state',
      { playwrightSteps: [HERE], playwrightAuthEnabled: true, playwrightAuthStateExpression: '{' },
      'playwrightAuthStateExpression',
      /JSON/,
    ],
  ])('%s is refused before a browser is started', async (_what, data, field, message) => {
    const { result, heard } = await run(data, undefined, {
      credentials: { mail: { type: 'smtp', values: {} }, c: { type: 'openai', values: { api_key: 'k' } } },
    });
    expect(result).toMatchObject({
      failure: { kind: 'params', field, message: expect.stringMatching(message) },
    });
    expect(heard).toEqual([]);
  });

  test('a credential of a step is looked at first', async () => {
    const steps = [
      { action: 'navigate', url: 'nonsense' },
      { action: 'aiStep', credentialId: 'gone' },
    ];
    const { result } = await run({ playwrightSteps: steps });
    expect(result).toMatchObject({ failure: { kind: 'credential' } });
  });

  test.each<[string, JsonObject, string]>([
    ['opens and reads', { playwrightSteps: [HERE, { action: 'getText' }, { action: 'screenshot' }] }, 'read'],
    ['clicks', { playwrightSteps: [HERE, { action: 'click' }] }, 'unsafe'],
    ['asks a model', { playwrightSteps: [{ action: 'aiStep' }] }, 'unsafe'],
    [
      'signs in',
      {
        playwrightSteps: [HERE],
        playwrightAuthEnabled: true,
        playwrightAuthFallbackSteps: [{ action: 'fill' }],
      },
      'unsafe',
    ],
    [
      'does not sign in',
      { playwrightSteps: [HERE], playwrightAuthFallbackSteps: [{ action: 'fill' }] },
      'read',
    ],
    ['has steps from an expression', { playwrightSteps: '$start.steps' }, 'unsafe'],
  ])('a node that %s has an effect to match', (_what, data, effect) => {
    const declared = catalog.get('playwright')?.effect;
    expect(typeof declared === 'function' ? declared(data) : declared).toBe(effect);
  });

  test('what the container writes besides messages is dropped, and answers of another shape fail the node', async () => {
    const { result } = await run({ playwrightSteps: [HERE] }, (_step, { say }) => {
      for (const junk of [
        '',
        'hello',
        '{"type":"done"}',
        '{"type":"connect","id":1,"host":"x","port":0}',
        '[]',
      ])
        say(junk);
      return { url: 7 };
    });
    expect(result).toMatchObject({
      failure: { message: expect.stringMatching(/^Step 1 \(navigate .*something else/) },
    });
  });

  test('a container that ends fails the node in words of people', async () => {
    const { result } = await run({ playwrightSteps: [HERE] }, (_step, { job }) => {
      queueMicrotask(() =>
        job.onEnd(
          new NodeFailure({ kind: 'limit', message: 'The program "node" needs more than 1536 MB of memory' }),
        ),
      );
    });
    expect(result).toMatchObject({
      failure: { kind: 'limit', message: expect.stringContaining('The browser needs more than 1536 MB') },
    });
  });

  test('a container cannot open more connections than a browser needs', async () => {
    const { heard } = await run(
      { playwrightSteps: [HERE] },
      (_step, { say }) => {
        for (let id = 1; id <= 101; id++) say({ type: 'connect', id, host: 'shop.test', port: 80 });
        return opened;
      },
      { services: { http: { connect: () => new Promise(() => undefined) } as never } },
    );
    expect(heard.filter(({ type }) => type === 'close')).toEqual([
      { type: 'close', id: 101, error: 'more than 100 connections at once' },
    ]);
  });

  test('a container that does not wait for what it has sent loses its connection', async () => {
    const socket = new Duplex({ read: () => undefined, write: () => undefined });
    const { heard } = await run(
      { playwrightSteps: [HERE] },
      (_step, { say }) => {
        say({ type: 'connect', id: 1, host: 'shop.test', port: 80 });
        setImmediate(() => {
          const data = Buffer.alloc(200_000).toString('base64');
          for (let count = 0; count < 3; count++) say({ type: 'data', id: 1, data });
          setImmediate(() => say({ type: 'done', id: 2, value: opened }));
        });
      },
      { services: { http: { connect: () => Promise.resolve(socket) } as never } },
    );
    expect(heard.filter(({ id }) => id === 1).map(({ type }) => type)).toEqual(['start', 'opened', 'close']);
    expect(socket.destroyed).toBe(true);
  });

  test('a budget that is used up stops a step of a model before it is asked', async () => {
    const page = { url: 'https://shop.test/', title: '', elements: [] };
    const facts = { budget: 'workflow' };
    const { result, trace } = await run(
      { playwrightSteps: [{ action: 'aiStep', credentialId: 'c', model: 'm', instructions: 'Buy' }] },
      () => page,
      {
        credentials: { c: { type: 'openai', values: { api_key: 'k' } } },
        services: { requireBudget: () => Promise.reject(budgetStop('The budget is used up', facts)) },
      },
    );
    expect(result).toMatchObject({
      failure: {
        kind: 'limit',
        message: 'Step 1 (aiStep): The budget is used up',
        details: { budget_reached: facts, step: 1 },
      },
    });
    expect(trace.requests).toEqual([]);
  });
});
