import type { JsonObject } from '@millrace/engine';
import { catalog } from '@millrace/nodes/catalog';
import { cleanup, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { useEffect } from 'react';
import { afterEach, expect, test, vi } from 'vitest';
import { useDocument } from '../../features/document/context.ts';
import { selectedNode } from '../../features/document/store.ts';
import { Configure } from '../panel/configure.tsx';
import { useEditor } from '../state/context.tsx';
import { showInEditor } from '../testing/show-in-editor.tsx';

function Form() {
  const { store } = useEditor();
  useEffect(() => store.getState().select({ nodes: ['n'] }), [store]);
  const node = useDocument(selectedNode);
  return node ? <Configure node={node} definition={catalog.get(node.type)} /> : null;
}

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

const able = { vision: true, tools: true, structured_output: true, context_window_tokens: 128_000 };

/** Shows the form of a Language Model node, whose service answers lists of choices with one model. Returns what it was asked. */
async function show(data: JsonObject, capabilities: object): Promise<JsonObject[]> {
  const asked: JsonObject[] = [];
  vi.stubGlobal('fetch', async (input: RequestInfo | URL, init?: RequestInit) => {
    const url = String(input instanceof Request ? input.url : input);
    if (url.includes('/model-facts')) return Response.json({ price: { input: 1, output: 1 }, capabilities });
    if (!url.includes('/choices')) return Response.json([]);
    asked.push(JSON.parse(String(init?.body)) as JsonObject);
    return Response.json({ items: [{ value: 'm1', label: 'Model 1', capabilities }], next_cursor: null });
  });
  const initial = { ...catalog.get('llm')?.initial, label: 'llm', credentialId: 'c1', model: 'm1' };
  const node = { id: 'n', type: 'llm', position: { x: 0, y: 0 }, data: { ...initial, ...data } };
  await showInEditor({ nodes: [node], edges: [] }, <Form />);
  return asked;
}

test('a model that is known to take no images is pointed out where the node sends one', async () => {
  await show({ imageInputEnabled: true }, { ...able, vision: false });
  expect(await screen.findByText(/This model cannot read images/, {}, { timeout: 15_000 })).toBeTruthy();
});

test('the list of models shows what they can do, is one for what the node wants, and can be asked for again', async () => {
  const asked = await show({ outputType: 'image' }, able);
  const [open] = await screen.findAllByRole('button', { name: 'Choose' }, { timeout: 15_000 });
  if (open) fireEvent.click(open);
  const list = within(await screen.findByRole('dialog', { name: 'Model' }, { timeout: 15_000 }));
  expect(await list.findByText('128K context · image input · tools · JSON Schema')).toBeTruthy();
  expect(asked[0]).toMatchObject({ params: { outputType: 'image' }, refresh: false });
  fireEvent.click(list.getByRole('button', { name: 'Refresh list' }));
  await waitFor(() => expect(asked.at(-1)).toMatchObject({ refresh: true }));
});
