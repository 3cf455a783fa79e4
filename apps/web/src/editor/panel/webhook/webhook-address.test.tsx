import type { JsonObject, WorkflowNode } from '@millrace/engine';
import { receivingKind } from '@millrace/engine';
import { catalog } from '@millrace/nodes/catalog';
import { cleanup, screen, within } from '@testing-library/react';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { showInEditor } from '../../testing/show-in-editor.tsx';
import { Configure } from '../configure.tsx';
import { buildDelivery, determineVerification, type Verification, webhookAddress } from './webhook-call.ts';

const createNode = (type: string, data: JsonObject = {}): WorkflowNode => ({
  id: 'n-1',
  type,
  position: { x: 0, y: 0 },
  data: { label: 'hook', ...catalog.get(type)?.initial, ...data },
});

const LIVE = { published: true, unpublished_changes: false, active: true, version_number: 7 };

async function show(node: WorkflowNode, workflow: object) {
  vi.stubGlobal('fetch', async (input: RequestInfo | URL) =>
    Response.json(String(input).includes('/api/workflows/') ? { nodes: [], edges: [], ...workflow } : []),
  );
  await showInEditor(
    { nodes: [node], edges: [] },
    <Configure node={node} definition={catalog.get(node.type)} />,
  );
  return within(await screen.findByRole('region', { name: 'Production address' }, { timeout: 15_000 }));
}

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

test('every node that receives webhooks has an address', () => {
  const receiving = catalog.all.filter(
    (definition) => receivingKind(definition, definition.initial) === 'webhook',
  );
  expect(receiving.length).toBeGreaterThan(0);
  expect(receiving.filter(({ type }) => webhookAddress({ id: 'x', type }) === undefined)).toEqual([]);
});

describe('the panel of a webhook node', () => {
  test('shows its address, that it is live, and a call that reaches it', async () => {
    const panel = await show(createNode('webhookTrigger', { methods: ['PUT'] }), LIVE);
    const url = `${window.location.origin}/api/webhooks/n-1`;
    expect(panel.getByText(url)).toBeTruthy();
    expect(panel.getByRole('button', { name: /Copy/ })).toBeTruthy();
    expect(await panel.findByText('Live: requests run version 7.')).toBeTruthy();
    expect(panel.getByText(/are not verified/)).toBeTruthy();
    const example = within(await screen.findByRole('region', { name: 'Example request' }));
    expect(example.getByText(/^curl -X PUT/).textContent).toContain(`'${url}'`);
  });

  test('shows its address before its fields', async () => {
    await show(createNode('webhookTrigger'), LIVE);
    const address = screen.getByRole('region', { name: 'Production address' });
    const [name] = screen.getAllByRole('textbox');
    if (!name) throw new Error('The panel has no fields.');
    expect(address.compareDocumentPosition(name) & Node.DOCUMENT_POSITION_FOLLOWING).toBeTruthy();
  });

  test.each([
    ['was never published', { ...LIVE, published: false }, /Publish the workflow/],
    ['has changes', { ...LIVE, unpublished_changes: true }, /added this node after/],
    ['is switched off', { ...LIVE, active: false }, /switched off/],
  ])('says so when the workflow %s', async (_name, workflow, text) => {
    const panel = await show(createNode('webhookTrigger'), workflow);
    expect(await panel.findByText(text)).toBeTruthy();
  });
});

test.each<[JsonObject, object]>([
  [{ authentication: 'header', credentialId: 'c' }, { 'X-Key': '<VALUE>' }],
  [
    { authentication: 'hmac', credentialId: 'c' },
    { 'X-Hub-Signature-256': 'sha256=<SIGNATURE OF THE BODY>' },
  ],
])('a call to a node with %j has its proof', (data, proof) => {
  const call = buildDelivery(createNode('webhookTrigger', data), {
    origin: 'https://x.example',
    header: 'X-Key',
  });
  expect(call?.headers).toMatchObject(proof);
});

test.each<[string, JsonObject, Verification]>([
  ['webhookTrigger', {}, 'open'],
  ['webhookTrigger', { authentication: 'hmac' }, 'closed'],
  ['webhookTrigger', { credentialId: 'c' }, 'closed'],
  ['webhookTrigger', { authentication: 'header', credentialId: 'c' }, 'header'],
  ['webhookTrigger', { authentication: 'basic', credentialId: 'c' }, 'basic'],
  ['webhookTrigger', { authentication: 'hmac', credentialId: 'c' }, 'signature'],
  ['slackTrigger', {}, 'closed'],
  ['slackTrigger', { credentialId: 'c' }, 'signature'],
  ['discordTrigger', { credentialId: 'c' }, 'signature'],
  ['telegramTrigger', {}, 'open'],
  ['telegramTrigger', { credentialId: 'c' }, 'secret'],
])('deliveries to %s with %j: %s', (type, data, expected) => {
  expect(determineVerification(createNode(type, data))).toBe(expected);
});
