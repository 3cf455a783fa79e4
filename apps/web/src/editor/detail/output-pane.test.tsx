import { cleanup, screen } from '@testing-library/react';
import { afterEach, expect, test, vi } from 'vitest';
import { showInEditor } from '../testing/show-in-editor.tsx';
import { OutputPane } from './output-pane.tsx';

const NODE = { id: 'a', type: 'set', position: { x: 0, y: 0 }, data: { label: 'left' } };
const START = { id: 'start', type: 'textInput', position: { x: 0, y: 0 }, data: { label: 'in' } };

const show = (node: typeof NODE, statuses: readonly string[]) => {
  const items = statuses.map((status) => ({ id: status, status }));
  const answer = vi.fn(async (input: RequestInfo | URL) =>
    Response.json(String(input).includes('/history/all') ? { items } : []),
  );
  vi.stubGlobal('fetch', answer);
  return showInEditor({ nodes: [START, NODE], edges: [] }, <OutputPane node={node} />);
};

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

test.each(['success', 'error'])(
  'a node can run alone after an earlier run that ended with %s',
  async (status) => {
    await show(NODE, ['cancelled', status]);
    expect(await screen.findByRole('button', { name: 'Run only this node' })).toBeTruthy();
  },
);

test('a node runs with the whole workflow as long as no run has ended', async () => {
  await show(NODE, ['running', 'cancelled']);
  await vi.waitFor(() => expect(fetch).toHaveBeenCalled());
  expect(screen.queryByRole('button', { name: 'Run only this node' })).toBeNull();
});

test('a node that starts the workflow never runs alone', async () => {
  await show(START, ['success']);
  expect(await screen.findByRole('button', { name: 'Run the workflow' })).toBeTruthy();
  expect(fetch).not.toHaveBeenCalled();
});
