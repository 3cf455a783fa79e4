import type { WorkflowDocument } from '@millrace/engine';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { move } from './arrange.ts';
import { setParameter, toggleActive } from './change.ts';
import { createDocumentStore, isUnsaved } from './store.ts';

const start: WorkflowDocument = {
  nodes: ['a', 'b', 'c'].map((id, index) => ({
    id,
    type: 'set',
    position: { x: index * 100, y: 0 },
    data: { label: id },
  })),
  edges: [{ id: 'e', source: 'a', target: 'b' }],
};

describe('the editor store', () => {
  it('undoes and redoes a step', () => {
    const store = createDocumentStore(start);
    store.getState().edit((document) => setParameter(document, 'a', { name: 'x', value: 1 }));
    expect(isUnsaved(store.getState())).toBe(true);
    store.getState().undo();
    expect(store.getState().document).toBe(start);
    store.getState().redo();
    expect(store.getState().document.nodes[0]?.data['x']).toBe(1);
  });

  it('merges typing into one step', () => {
    const store = createDocumentStore(start);
    for (const value of ['h', 'he', 'hey']) {
      store
        .getState()
        .edit((document) => setParameter(document, 'a', { name: 'x', value }), { merge: 'a.x' });
    }
    store.getState().undo();
    expect(store.getState().document).toBe(start);
  });

  it('says why an edit is refused and changes nothing', () => {
    const store = createDocumentStore(start);
    expect(store.getState().edit(() => ({ problem: { code: 'cycle' } }))).toBe(false);
    expect(store.getState()).toMatchObject({ refusal: { code: 'cycle' }, document: start, past: [] });
  });

  it('undoing every step of any sequence restores the start exactly', () => {
    const step = fc.oneof(
      fc.record({ kind: fc.constant('set' as const), id: fc.constantFrom('a', 'b'), value: fc.string() }),
      fc.record({ kind: fc.constant('toggle' as const), id: fc.constantFrom('a', 'c') }),
      fc.record({ kind: fc.constant('move' as const), id: fc.constantFrom('a', 'b'), x: fc.integer() }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
        const store = createDocumentStore(start);
        for (const item of steps) {
          store.getState().edit((document) => {
            if (item.kind === 'set') return setParameter(document, item.id, { name: 'x', value: item.value });
            if (item.kind === 'toggle') return toggleActive(document, new Set([item.id]));
            return move(document, new Map([[item.id, { x: item.x, y: 0 }]]));
          });
        }
        const end = store.getState().document;
        while (store.getState().past.length > 0) store.getState().undo();
        expect(store.getState().document).toBe(start);
        while (store.getState().future.length > 0) store.getState().redo();
        expect(store.getState().document).toBe(end);
      }),
    );
  });
});
