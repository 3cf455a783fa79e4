import type { NodeDefinition } from '@millrace/engine';
import type { Locator, Page } from '@playwright/test';
import { editorOf } from './editor.ts';
import { createWorkflow, expect, openBrowser, register, test } from './journey.ts';

/** Valid and invalid many times on its way; its letters are shortcuts of the canvas (`n`, `d`, `p`, `?`). */
const TEXT = '$order.body.items.filter("item.n > 2").map("item.name")[0] ?? "nd"';
/** The form with most fields takes a minute where nothing else runs. */
const MOST_MS = 300_000;

const readBack = (field: Locator): Promise<string> =>
  field.evaluate((element) =>
    element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement
      ? element.value
      : [...element.querySelectorAll('.cm-line')].map((line) => line.textContent).join('\n'),
  );

/** Presses one key after the other, as a person does, and looks at what the field holds then. */
async function typeInto(page: Page, field: Locator, name: string): Promise<void> {
  await field.click();
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.press('Delete');
  // Without a pause: each key still waits until the page has taken the one before.
  await page.keyboard.type(TEXT);
  await expect.poll(() => readBack(field), `field ${name}`).toBe(TEXT);
  // Closes completions, which would cover the next field.
  if ((await field.getAttribute('contenteditable')) === 'true') await page.keyboard.press('Escape');
}

/**
 * A test for each node type: an expression typed into each field of its form. They share one editor, in which nodes are
 * added and removed; after a failure the next test gets a new one.
 */
export function typeIntoEveryField(types: readonly NodeDefinition[]): void {
  let page: Page;

  test.beforeAll(async ({ browser, product, contextOptions }) => {
    const context = await openBrowser(browser, product, contextOptions);
    page = await context.newPage();
    const { id } = await createWorkflow(await register(page, product), { name: 'Every node type' });
    await editorOf(page).open(id);
  });

  test.afterAll(() => page.context().close());

  for (const { title, summary } of types) {
    test(`every field of ${title} keeps the focus while an expression is typed`, async () => {
      test.setTimeout(MOST_MS);
      const { palette, canvas, panel } = editorOf(page);
      const nodes = canvas.getByRole('group');
      await palette.getByRole('button', { name: `${title} ${summary}` }).click();
      await expect(nodes).toHaveCount(1);
      // Forms are loaded with the panel; `all` does not wait for them.
      await panel.getByRole('textbox').first().waitFor();
      await expect(panel.locator('[data-skeleton]')).toHaveCount(0);
      for (const button of await panel.getByRole('button', { name: 'Add', exact: false }).all()) {
        if ((await button.innerText()).trim() === 'Add row') await button.click();
      }
      let typed = 0;
      for (const field of await panel.getByRole('textbox').all()) {
        if ((await field.getAttribute('type')) === 'color' || !(await field.isEditable())) continue;
        const name = (await field.getAttribute('aria-label')) ?? String(await field.getAttribute('id'));
        await test.step(`field ${name}`, async () => {
          await typeInto(page, field, name);
          await expect(field, `field ${name}`).toBeFocused();
        });
        typed += 1;
      }
      expect(typed).toBeGreaterThan(0);
      await expect(nodes).toHaveCount(1);
      await nodes.click();
      await page.keyboard.press('Delete');
      await expect(nodes).toHaveCount(0);
    });
  }
}
