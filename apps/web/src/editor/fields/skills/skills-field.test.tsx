import { type Json, problems, type WorkflowNode } from '@millrace/engine';
import { catalog } from '@millrace/nodes/catalog';
import { act, cleanup, fireEvent, screen, waitFor } from '@testing-library/react';
import { useEffect } from 'react';
import { afterEach, describe, expect, test } from 'vitest';
import { ProblemContext, useDocument } from '../../../features/document/context.ts';
import { Configure } from '../../panel/configure.tsx';
import { showInEditor } from '../../testing/show-in-editor.tsx';

afterEach(cleanup);

let shown: Json | undefined;

/** The form of the agent; what it has stored of its skills is in `shown`. */
function Form() {
  const node = useDocument((state) => state.document.nodes[0]);
  useEffect(() => {
    shown = node?.data['skills'];
  }, [node]);
  if (!node) return null;
  const found = problems({ nodes: [node], edges: [] }, catalog);
  return (
    <ProblemContext value={new Map([[node.id, found]])}>
      <Configure node={node} definition={catalog.get(node.type)} />
    </ProblemContext>
  );
}

const ID = '4b0b8f0e-6a3e-4c6e-9a5d-1f2e3d4c5b6a';

async function showInEditorWith(skills: Json) {
  const node: WorkflowNode = {
    id: 'n1',
    type: 'agent',
    position: { x: 0, y: 0 },
    data: { ...catalog.get('agent')?.initial, label: 'n1', skills },
  };
  await showInEditor({ nodes: [node], edges: [] }, <Form />);
}

async function showSkills(skills: Json) {
  await showInEditorWith(skills);
  await screen.findByLabelText('Name of skill 1', {}, { timeout: 15_000 });
}

const type = (label: string, text: string): void =>
  act(() => void fireEvent.change(screen.getByLabelText(label), { target: { value: text } }));
const press = (name: string): void => act(() => screen.getByRole('button', { name }).click());
const dropped = (files: File[]): void => {
  const list = screen.getByRole('list', { name: 'Files of skill 1' });
  act(() => void fireEvent.drop(list, { dataTransfer: { types: ['Files'], files } }));
};

describe('skills in the form of an agent', () => {
  test('show name, text and files of an import, which can be changed without losing the rest', async () => {
    const file = { path: 'main.py', content: 'print(1)', encoding: 'text', mimeType: 'text/x-python' };
    await showSkills([{ id: 's1', name: 'prices', content: '# Prices', files: [file], timeoutSeconds: 30 }]);
    type('Name of skill 1', 'costs');
    type('Text of skill 1', '# Costs');
    type('Path of file 1 of skill 1', 'run.py');
    type('Text of file 1 of skill 1', 'print(2)');
    type('Script timeout of skill 1 (seconds)', '90');
    expect(shown).toEqual([
      {
        id: 's1',
        name: 'costs',
        content: '# Costs',
        files: [{ ...file, path: 'run.py', content: 'print(2)' }],
        timeoutSeconds: 90,
      },
    ]);
    type('Script timeout of skill 1 (seconds)', '');
    expect(shown).not.toMatchObject([{ timeoutSeconds: 90 }]);
  });

  test('get a script to begin with, one more file, and lose them again', async () => {
    await showSkills([{ name: 'prices', content: '' }]);
    expect(screen.queryByLabelText('Script timeout of skill 1 (seconds)')).toBeNull();
    press('Add script');
    expect(shown).toMatchObject([
      { files: [{ path: 'main.py', content: expect.stringContaining('_OUTPUT_DIR') }] },
    ]);
    expect(screen.queryByRole('button', { name: 'Add script' })).toBeNull();
    press('Add file');
    type('Path of file 2 of skill 1', 'notes.txt');
    press('Remove file 1 of skill 1');
    expect(shown).toMatchObject([{ files: [{ path: 'notes.txt', content: '' }] }]);
  });

  test('take dropped files: texts to be edited, others as they are, and in place of one of that name', async () => {
    await showSkills([{ name: 'x', content: '', files: [{ path: 'a.txt', content: 'old' }] }]);
    dropped([
      new File(['Grüße'], 'a.txt', { type: 'text/plain' }),
      new File([new Uint8Array([0, 255])], 'b.bin'),
    ]);
    await waitFor(() =>
      expect(shown).toMatchObject([
        {
          files: [
            { path: 'a.txt', content: 'Grüße', encoding: 'text', mimeType: 'text/plain' },
            { path: 'b.bin', content: 'AP8=', encoding: 'base64' },
          ],
        },
      ]),
    );
    expect(screen.getByText('Binary file, 2 B')).toBeTruthy();
    dropped([new File([new Uint8Array(2_000_001)], 'large.bin')]);
    dropped([new File(['b'], 'c.txt')]);
    await waitFor(() => expect(shown).toMatchObject([{ files: [{}, {}, { path: 'c.txt' }] }]));
  });

  test('say what is wrong with the path of a file', async () => {
    await showSkills([{ name: 'x', content: '', files: [{ path: '../a.py', content: '' }] }]);
    expect(await screen.findByText(/must be a path inside the skill/)).toBeTruthy();
  });

  test('of the library show their name and version in place of a text', async () => {
    await showInEditorWith([{ name: 'prices', librarySkillId: ID, libraryVersion: 2, content: '' }]);
    expect(await screen.findByText('prices', {}, { timeout: 15_000 })).toBeTruthy();
    expect(screen.getByLabelText('Version of skill 1: Version 2')).toBeTruthy();
    expect(screen.queryByLabelText('Text of skill 1')).toBeNull();
  });

  test('cannot be saved to the library without a name', async () => {
    await showSkills([{ name: '', content: '# Text' }]);
    const save = () => screen.getByRole('button', { name: 'Save to library' });
    expect(save().hasAttribute('disabled')).toBe(true);
    type('Name of skill 1', 'prices');
    expect(save().hasAttribute('disabled')).toBe(false);
  });
});
