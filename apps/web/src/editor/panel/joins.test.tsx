import type { JsonObject } from '@millrace/engine';
import { catalog } from '@millrace/nodes/catalog';
import { cleanup, fireEvent, screen } from '@testing-library/react';
import { afterEach, expect, test } from 'vitest';
import { useDocument } from '../../features/document/context.ts';
import { showInEditor } from '../testing/show-in-editor.tsx';
import { Configure } from './configure.tsx';

afterEach(cleanup);

function Shown() {
  const node = useDocument((state) => state.document.nodes[0]);
  return node ? <Configure node={node} definition={catalog.get(node.type)} /> : null;
}

const show = (type: string, data: JsonObject) => {
  const node = {
    id: 'n1',
    type,
    position: { x: 0, y: 0 },
    data: { label: 'n1', ...catalog.get(type)?.initial, ...data },
  };
  return showInEditor({ nodes: [node], edges: [] }, <Shown />);
};
const NAME = /^Skip nodes that other branches lead to/;

test.each<[string, JsonObject]>([
  ['humanReview', {}],
  ['set', { onErrorEnabled: true }],
  ['loop', { onErrorEnabled: true }],
  ['condition', {}],
])('%s with %j shows that it skips joins, and can leave them open', async (type, data) => {
  await show(type, { ...data, closesJoins: false });
  const [field, ...others] = await screen.findAllByRole('switch', { name: NAME });
  expect(others).toEqual([]);
  expect(field?.getAttribute('aria-checked')).toBe('false');
  if (field) fireEvent.click(field);
  expect(field?.getAttribute('aria-checked')).toBe('true');
});

test.each(['set', 'loop'])('%s has one way, and nothing to leave open', async (type) => {
  await show(type, {});
  await screen.findByRole('switch', { name: /^Continue on error/ });
  expect(screen.queryByRole('switch', { name: NAME })).toBeNull();
});
