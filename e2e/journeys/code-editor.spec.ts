// Leads through: editor/fields/code
import { violations } from './support/axe.ts';
import { locateEditor } from './support/editor.ts';
import { createWorkflow, expect, readWorkflow, test } from './support/journey.ts';
import { overflow } from './support/overflow.ts';

const node = (id: string, type: string, x: number, data: object) => ({
  id,
  type,
  position: { x, y: 0 },
  data: { label: id, ...data },
});
const CODE = 'def main(params):\n    return params.name\n';

test('code is highlighted, completed, checked and indented, and the keyboard leaves it again', async ({
  person,
}) => {
  const { page } = person;
  const { id } = await createWorkflow(person, {
    name: 'Greeter',
    nodes: [
      node('start', 'textInput', 0, {}),
      node('code', 'code', 300, {
        codeSource: CODE,
        codeParameters: '{"name": "$start.body.text", "number": 2}',
      }),
    ],
    edges: [{ id: 'e', source: 'start', target: 'code' }],
  });
  const editor = locateEditor(page);
  await editor.open(id);
  await editor.choose('code');
  const code = editor.panel.getByRole('textbox', { name: 'Code', exact: true });
  await expect(code).toContainText('def main(params):');
  // The grammar has been loaded: a keyword has a colour of its own.
  const readColour = (text: string) =>
    code
      .locator('span', { hasText: new RegExp(`^${text}$`) })
      .first()
      .evaluate((span) => getComputedStyle(span).color);
  const plain = await code.evaluate((content) => getComputedStyle(content).color);
  await expect.poll(() => readColour('def')).not.toBe(plain);

  await code.click();
  await page.keyboard.press('ControlOrMeta+End');
  await page.keyboard.type('x = params.nu');
  const completions = page.getByRole('listbox', { name: 'Completions' });
  await expect(completions.getByRole('option', { name: 'number' })).toBeVisible();
  // The editor takes no key for a completion that has only just appeared.
  await page.waitForTimeout(200);
  await page.keyboard.press('Enter');
  await expect(code).toContainText('x = params.number');

  await page.keyboard.press('Enter');
  await page.keyboard.type('if x');
  await expect(editor.panel.locator('.cm-lint-marker').first()).toBeVisible();
  await page.keyboard.type(':');
  await page.keyboard.press('Enter');
  await page.keyboard.type('pass');
  await expect(editor.panel.locator('.cm-lint-marker')).toHaveCount(0);
  await page.keyboard.press('Home');
  await page.keyboard.press('Tab');
  await editor.save();
  const stored = await readWorkflow(person, id);
  expect(JSON.stringify(stored)).toContain(
    JSON.stringify(`${CODE}x = params.number\nif x:\n        pass`).slice(1, -1),
  );

  await page.keyboard.press('Escape');
  await page.keyboard.press('Tab');
  await expect(code).not.toBeFocused();
  expect(await violations(page, { within: '[aria-label="Node"]' })).toEqual([]);
  await page.emulateMedia({ colorScheme: 'dark' });
  expect(await violations(page, { within: '[aria-label="Node"]' })).toEqual([]);
});

test('another language reads the same text anew, and Escape stays in the wide view of the node', async ({
  person,
}) => {
  const { page } = person;
  const { id } = await createWorkflow(person, {
    name: 'Typed',
    nodes: [
      node('code', 'code', 0, {
        codeLanguage: 'javascript',
        codeSource: 'function main(n: number) {\n  return n;\n}',
      }),
    ],
    edges: [],
  });
  const editor = locateEditor(page);
  await editor.open(id);
  await editor.choose('code');
  await editor.panel.getByRole('combobox', { name: 'Language' }).click();
  await page.getByRole('option', { name: 'TypeScript' }).click();
  await expect(editor.panel.getByRole('textbox', { name: 'Code', exact: true })).toContainText('n: number');
  await expect(editor.panel.locator('.cm-lint-marker')).toHaveCount(0);
  await editor.node('code').dblclick();
  const dialog = page.getByRole('dialog', { name: /code/ });
  const wide = dialog.getByRole('textbox', { name: 'Code', exact: true });
  await wide.click();
  await page.keyboard.press('Escape');
  await expect(wide).toBeVisible();
  await page.setViewportSize({ width: 390, height: 844 });
  await expect.poll(() => overflow(page)).toBe(0);
  expect(await violations(page, { within: '[role=dialog]' })).toEqual([]);
});
