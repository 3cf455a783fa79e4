import { EditorView } from '@codemirror/view';
import { catalog } from '@millrace/nodes/catalog';
import { act, cleanup, fireEvent, waitFor } from '@testing-library/react';
import { afterEach, describe, expect, test } from 'vitest';
import { useDocument } from '../../features/document/context.ts';
import { showInEditor } from '../testing/show-in-editor.tsx';
import { Configure } from './configure.tsx';

/** States of a text that is typed: an empty field becomes invalid, and then valid. Every key is typed in `type-expressions.spec.ts`. */
const STATES = ['$order.body.items.filter("item.n', '$order.body.items.filter("item.n > 2")[0]'];
/** Forms load their parts; a busy machine takes a while. */
const PATIENCE = { timeout: 15_000 };
const FIELDS = 'input:not([type=color]):not([type=checkbox]), textarea, [contenteditable=true]';

function Shown({ id }: { id: string }) {
  const node = useDocument((state) => state.document.nodes.find((each) => each.id === id));
  return node ? <Configure node={node} definition={catalog.get(node.type)} /> : null;
}

const isEditable = (field: Element) =>
  !(field as HTMLInputElement).readOnly && !(field as HTMLInputElement).disabled;

function typeInto(field: HTMLElement, text: string): void {
  const view = EditorView.findFromDOM(field);
  if (view) view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text } });
  else fireEvent.change(field, { target: { value: text } });
}

const readBack = (field: HTMLElement): string =>
  EditorView.findFromDOM(field)?.state.doc.toString() ?? (field as HTMLInputElement).value;

afterEach(cleanup);

describe('every field of a node keeps focus and text while an expression is typed', () => {
  test.each(catalog.all.filter(({ family }) => family !== 'note').map(({ title, type }) => [title, type]))(
    '%s',
    async (_, type) => {
      const definition = catalog.get(type);
      const node = {
        id: 'n1',
        type,
        position: { x: 0, y: 0 },
        data: { label: 'n1', ...definition?.initial },
      };
      const { container } = await showInEditor({ nodes: [node], edges: [] }, <Shown id="n1" />);
      await waitFor(() => {
        expect(container.querySelector(FIELDS)).not.toBeNull();
        expect(container.querySelector('[data-skeleton]')).toBeNull();
      }, PATIENCE);
      for (const button of container.querySelectorAll('button')) {
        if (button.textContent?.trim() !== 'Add row') continue;
        const focused = document.activeElement;
        await act(async () => button.click());
        // A new row takes the focus a moment later.
        await waitFor(() => expect(document.activeElement).not.toBe(focused), PATIENCE);
      }
      const fields = [...container.querySelectorAll<HTMLElement>(FIELDS)].filter(isEditable);
      expect(fields.length).toBeGreaterThan(0);
      for (const field of fields) {
        const name = field.getAttribute('aria-label') ?? field.id;
        act(() => field.focus());
        for (const text of STATES) {
          act(() => typeInto(field, text));
          await waitFor(() => expect(readBack(field), `text of ${name}`).toBe(text));
          expect(document.activeElement, `focus of ${name}`).toBe(field);
        }
      }
    },
    120_000,
  );
});
