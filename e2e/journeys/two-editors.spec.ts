// Leads through: features/document, editor/document, editor/session
import { locateEditor } from './support/editor.ts';
import { createWorkflow, expect, type Person, readWorkflow, test } from './support/journey.ts';

const GRAPH = {
  name: 'Edited by two',
  nodes: [
    { id: 'a', type: 'textInput', position: { x: 0, y: 0 }, data: { label: 'start', inputFields: [] } },
    {
      id: 'b',
      type: 'set',
      position: { x: 280, y: 0 },
      data: { label: 'left', mappings: [{ key: 'v', value: 'old' }] },
    },
    {
      id: 'c',
      type: 'set',
      position: { x: 560, y: 0 },
      data: { label: 'right', mappings: [{ key: 'v', value: 'old' }] },
    },
  ],
  edges: [
    { id: 'e1', source: 'a', target: 'b' },
    { id: 'e2', source: 'b', target: 'c' },
  ],
};

async function fetchValues(person: Person, id: string): Promise<Record<string, string>> {
  const { nodes } = await readWorkflow(person, id);
  const sets = (nodes as { type: string; data: { label: string; mappings: { value: string }[] } }[]).filter(
    (node) => node.type === 'set',
  );
  return Object.fromEntries(sets.map(({ data }) => [data.label, data.mappings[0]?.value ?? '']));
}

test('changes to different nodes merge, and changes to the same field are shown', async ({ person }) => {
  const workflow = await createWorkflow(person, GRAPH);
  const other = await person.context.newPage();
  const [mine, theirs] = [locateEditor(person.page), locateEditor(other)];
  await mine.open(workflow.id);
  await theirs.open(workflow.id);

  await test.step('different nodes', async () => {
    await theirs.choose('left');
    await theirs.write('Value 1', 'from the other browser');
    await theirs.save();
    await mine.choose('right');
    await mine.write('Value 1', 'from this browser');
    await mine.save();
    expect(await fetchValues(person, workflow.id)).toEqual({
      left: 'from the other browser',
      right: 'from this browser',
    });
  });

  await test.step('the same field', async () => {
    // Else the canvas may show what was saved there before it is changed here.
    await person.page.route('**/api/workflows/*?draft=true', (route) =>
      route.request().method() === 'GET' ? route.abort() : route.fallback(),
    );
    await theirs.choose('left');
    await theirs.write('Value 1', 'theirs');
    // The other browser has not seen the merge, so this save merges first.
    await theirs.save();
    await mine.choose('left');
    await mine.write('Value 1', 'mine');
    await person.page.keyboard.press('ControlOrMeta+s');
    const conflict = person.page.getByRole('dialog', {
      name: 'You saved this workflow somewhere else in the meantime',
    });
    await expect(conflict.getByRole('row', { name: /left\.mappings/ })).toContainText('theirs');
    await conflict.getByRole('button', { name: 'Take what was saved there' }).click();
    await mine.isSaved();
    expect(await fetchValues(person, workflow.id)).toEqual({ left: 'theirs', right: 'from this browser' });
  });
});
