import { EditorView } from '@codemirror/view';
import { catalog } from '@millrace/nodes/catalog';
import { act, cleanup, screen, waitFor } from '@testing-library/react';
import { afterEach, expect, test } from 'vitest';
import { showForm } from '../../testing/show-form.tsx';

afterEach(cleanup);

const show = (type: string, data = {}) =>
  showForm({
    nodes: [
      {
        id: 'n1',
        type,
        position: { x: 0, y: 0 },
        data: { ...catalog.get(type)?.initial, label: 'n1', ...data },
      },
    ],
    edges: [],
  });

/** Gives a field the focus; what is selected in it is read later, as the editor notices the focus a moment later. */
async function focus(name: string): Promise<() => string | undefined> {
  const field = await screen.findByRole('textbox', { name }, { timeout: 15_000 });
  await act(async () => field.focus());
  return () => {
    const state = EditorView.findFromDOM(field)?.state;
    return state?.sliceDoc(state.selection.main.from, state.selection.main.to);
  };
}

test.each([
  ['set', 'Value 1', '$input.text'],
  ['condition', 'Condition', '$input.text.length > 0'],
  ['http', 'Address', 'https://api.example.com'],
])(
  'the example in a new node %s is selected when its field gets the focus, so typing replaces it',
  async (type, field, text) => {
    await show(type);
    const selected = await focus(field);
    await waitFor(() => expect(selected()).toBe(text));
  },
);

test('a text of the person stays as it is, also when it contains an example', async () => {
  await show('set', { mappings: [{ key: 'a', value: '$input.text.upper()' }] });
  const selected = await focus('Value 1');
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(selected()).toBe('');
});
