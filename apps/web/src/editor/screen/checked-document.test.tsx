import type { WorkflowDocument, WorkflowNode } from '@millrace/engine';
import { act, cleanup } from '@testing-library/react';
import { afterEach, expect, test, vi } from 'vitest';
import { move } from '../../features/document/arrange.ts';
import { setParameter } from '../../features/document/change.ts';
import { type ProblemMap, useProblems } from '../../features/document/context.ts';
import { type Editor, useEditor } from '../state/context.tsx';
import { showInEditor } from '../testing/show-in-editor.tsx';
import { CheckedDocument } from './checked-document.tsx';

const NODE: WorkflowNode = {
  id: 'a',
  type: 'httpRequest',
  position: { x: 0, y: 0 },
  data: { label: 'call' },
};

afterEach(cleanup);

test('problems stay the same map when a change leaves them as they are, so that nothing is drawn again', async () => {
  const maps: ProblemMap[] = [];
  let editor: Editor | undefined;
  function Probe() {
    editor = useEditor();
    maps.push(useProblems());
    return null;
  }
  const edit = (change: (document: WorkflowDocument) => WorkflowDocument) =>
    act(async () => void editor?.store.getState().edit(change));
  await showInEditor(
    { nodes: [NODE], edges: [] },
    <CheckedDocument>
      <Probe />
    </CheckedDocument>,
  );
  await vi.waitFor(() => expect(maps.at(-1)?.get('a')).toBeTruthy());
  const [before, drawn] = [maps.at(-1), maps.length];
  await edit((document) => move(document, new Map([['a', { x: 40, y: 40 }]])));
  expect(editor?.store.getState().document.nodes[0]?.position).toEqual({ x: 40, y: 40 });
  expect(maps).toHaveLength(drawn);
  await edit((document) => setParameter(document, 'a', { name: 'label', value: 'two words' }));
  expect(maps.at(-1)).not.toBe(before);
});
