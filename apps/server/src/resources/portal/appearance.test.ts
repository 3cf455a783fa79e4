import { describe, expect, it } from 'vitest';
import { createPortal, graph, parseFrames, useTestApp } from '../../testing/index.ts';

const app = await useTestApp();
const owner = await app.user();

const CHAT = graph(
  [
    [
      'start',
      'textInput',
      {
        inputFields: [
          { key: 'text', required: true },
          { key: 'size', type: 'choice', options: ['S', 'M'], label: 'Size' },
          { key: 'photo', type: 'file' },
        ],
      },
    ],
    ['lookUp', 'set', { mappings: [{ key: 'internal', value: 'x' }] }],
    ['out', 'output', { message: '$start.body.text' }],
  ],
  ['start>lookUp', 'lookUp>out'],
);
const LOGO = 'data:image/png;base64,iVBORw0KGgo=';
const PNG = `data:image/png;base64,${'A'.repeat(200_000)}`;

const portal = (settings = {}, content = CHAT) => createPortal(owner, content, settings);

describe('the look of a chat', () => {
  it('is set by the owner and shown to visitors, without what they need not see', async () => {
    const at = await portal();
    const portal_appearance = {
      welcome_text: 'Hello **you**',
      suggestions: ['Where is my order?', ' Where is my order? '],
      accent_color: '#AA3300',
      logo: LOGO,
      progress: 'messages',
      progress_messages: { lookUp: 'Looking for your order' },
      reviews_in_chat: true,
    };
    const stored = { accent_color: '#aa3300', suggestions: ['Where is my order?'] };
    const put = await owner.call('PUT', at.owner_url, { portal_appearance });
    expect([put.statusCode, put.json()]).toMatchObject([
      200,
      { portal_appearance: { ...portal_appearance, ...stored } },
    ]);
    const { appearance } = (await app.call('GET', `${at.url}/info`)).json<{ appearance: object }>();
    const { progress_messages: _, ...shown } = portal_appearance;
    expect(appearance).toEqual({ ...shown, ...stored });
  });

  it.each([
    ['accent_color', 'red', /colour such as/],
    ['logo', 'https://example.com/logo.png', /data URL/],
    ['logo', 'data:image/svg+xml;base64,PHN2Zz4=', /data URL/],
    ['logo', `data:image/png;base64,${'A'.repeat(70_000)}`, /smaller picture/],
    ['progress', 'loud', /labels/],
    ['suggestions', Array.from({ length: 9 }, () => 'x'), /8/],
    ['progress_messages', { __proto__x: 'x', constructor: 'y' }, /not allowed as a key/],
  ])('refuses a wrong %s (422)', async (name, value, message) => {
    const at = await portal();
    const put = await owner.call('PUT', at.owner_url, { portal_appearance: { [name]: value } });
    expect(put.statusCode).toBe(422);
    expect(put.body).toMatch(message);
    expect(put.body).toContain(name);
  });

  it('can be changed by the owner alone', async () => {
    const at = await portal();
    const friend = await app.user();
    await owner.call('POST', `/api/workflows/${at.id}/shares`, { email: friend.email });
    const put = await friend.call('PUT', at.owner_url, { portal_appearance: { welcome_text: 'mine' } });
    expect(put.statusCode).toBe(403);
  });
});

describe('progress as visitors see it', () => {
  const steps = async (appearance: object) => {
    const at = await portal({ portal_appearance: appearance });
    const { body } = await app.call('POST', `${at.url}/execute/stream`, { inputs: { text: 'hi' } });
    const frames = parseFrames(body).map(({ data }) => data);
    expect(frames.at(-1)).toMatchObject({ type: 'execution_complete', status: 'success' });
    return { body, started: frames.filter(({ type }) => type === 'node_start') };
  };

  it('shows labels, or the message of the owner in place of one', async () => {
    const { started, body } = await steps({ progress_messages: { lookUp: 'One moment' } });
    expect(started.map(({ node_label }) => node_label)).toEqual(['start', 'One moment', 'out']);
    expect(started[1]).toMatchObject({ message: 'One moment', progress_path: ['start', 'One moment'] });
    expect(body).not.toContain('"node_label":"lookUp"');
  });

  it('shows nodes with a message alone', async () => {
    const { started, body } = await steps({
      progress: 'messages',
      progress_messages: { lookUp: 'One moment' },
    });
    expect(started.map(({ node_label }) => node_label)).toEqual(['One moment']);
    expect(body).not.toContain('"node_id":"start"');
  });

  it('has no label beside an early answer where labels are hidden', async () => {
    const early = graph(
      [
        ['start', 'textInput', { inputFields: [{ key: 'text' }] }],
        ['innerDesk', 'output', { message: '$start.body.text', allowDownstream: true }],
        ['then', 'set', { mappings: [{ key: 'internal', value: 'x' }] }],
      ],
      ['start>innerDesk', 'innerDesk>then'],
    );
    const told = async (portal_appearance: object) => {
      const at = await portal({ portal_appearance }, early);
      const { body } = await app.call('POST', `${at.url}/execute/stream`, { inputs: { text: 'hi' } });
      return parseFrames(body)
        .map(({ data }) => data)
        .filter(({ type }) => type === 'final_output');
    };
    const output = { result: 'hi' };
    expect(await told({})).toMatchObject([{ node_label: 'innerDesk', output }]);
    expect(await told({ progress: 'hidden' })).toMatchObject([{ node_label: '', output }]);
    expect(await told({ progress: 'messages' })).toMatchObject([{ node_label: '', output }]);
    const words = { progress_messages: { innerDesk: 'Here you are' } };
    expect(await told(words)).toMatchObject([{ node_label: 'Here you are', output }]);
  });

  it('shows nothing but the answer', async () => {
    const { body } = await steps({ progress: 'hidden' });
    expect(body).not.toContain('node_start');
    expect(body).not.toContain('lookUp');
  });
});

describe('typed input fields', () => {
  it('are named with their type in info (§4.4)', async () => {
    const at = await portal();
    const { input_fields } = (await app.call('GET', `${at.url}/info`)).json<{ input_fields: object[] }>();
    expect(input_fields).toEqual([
      { key: 'text', defaultValue: null, required: true },
      { key: 'size', defaultValue: null, type: 'choice', options: ['S', 'M'], label: 'Size' },
      { key: 'photo', defaultValue: null, type: 'file' },
    ]);
  });

  it.each([
    [{ text: '' }, 'text'],
    [{ text: 'x', size: 'XL' }, 'size'],
    [{ text: 'x', photo: 'data:application/zip;base64,AAAA' }, 'photo'],
  ])('refuse values that they do not take, by name (422): %j', async (inputs, key) => {
    const at = await portal({ portal_file_upload_enabled: true });
    for (const path of ['execute', 'execute/stream']) {
      const answer = await app.call('POST', `${at.url}/${path}`, { inputs });
      expect(answer.statusCode).toBe(422);
      expect(answer.json<{ detail: { loc: string[] }[] }>().detail[0]?.loc).toEqual(['body', 'inputs', key]);
    }
  });

  it('give the run a whole file, of which a conversation keeps the type', async () => {
    const at = await portal({ portal_file_upload_enabled: true });
    const begun = (await app.call('POST', `${at.url}/conversations`)).json<{
      id: string;
      visitor_token: string;
    }>();
    const headers = { 'x-visitor-token': begun.visitor_token };
    const inputs = { text: 'x', size: 'M', photo: PNG };
    const answer = await app.call(
      'POST',
      `${at.url}/execute`,
      { inputs, conversation_id: begun.id },
      headers,
    );
    expect(answer.statusCode, answer.body).toBe(200);
    const run = await owner.call(
      'GET',
      `/api/workflows/${at.id}/history/${String(answer.headers['x-execution-id'])}`,
    );
    expect(run.body).toContain(PNG);
    const kept = await app.call('GET', `${at.url}/conversations/${begun.id}`, undefined, headers);
    expect(kept.json()).toMatchObject({
      turns: [{ inputs: { text: 'x', photo: 'data:image/png;base64,' } }],
    });
  });
});

describe('the size of a message', () => {
  it('is bounded beside its files (422)', async () => {
    const at = await portal();
    for (const inputs of [{ text: 'x'.repeat(1_100_000) }, { text: 'x', other: ['x'.repeat(1_100_000)] }]) {
      const answer = await app.call('POST', `${at.url}/execute`, { inputs });
      expect(answer.statusCode).toBe(422);
      expect(answer.body).toContain('has more than 1 MB');
    }
  });

  it('is that of its beginning in a conversation, while the run has all of it', async () => {
    const at = await portal();
    const begun = (await app.call('POST', `${at.url}/conversations`)).json<{
      id: string;
      visitor_token: string;
    }>();
    const headers = { 'x-visitor-token': begun.visitor_token };
    const text = 'y'.repeat(300_000);
    const body = { inputs: { text, other: ['z'.repeat(300_000)] }, conversation_id: begun.id };
    const answer = await app.call('POST', `${at.url}/execute`, body, headers);
    expect(answer.json()).toMatchObject({ outputs: { out: { result: text } } });
    const kept = await app.call('GET', `${at.url}/conversations/${begun.id}`, undefined, headers);
    const [turn] = kept.json<{ turns: { inputs: object }[] }>().turns;
    expect(turn?.inputs).toMatchObject({ text: expect.stringMatching(/^y{50000,100000}…$/) as string });
    expect(JSON.stringify(turn?.inputs).length).toBeLessThan(100_100);
  });
});

it('the preview of a chat may be framed by pages of this server alone', async () => {
  const answer = await app.call('GET', '/chat/_preview', undefined, { accept: 'text/html' });
  expect(answer.statusCode).toBe(200);
  expect(String(answer.headers['content-security-policy'])).toMatch(/frame-ancestors 'self'$/);
});
