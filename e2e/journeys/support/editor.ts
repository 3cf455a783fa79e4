import { expect, type Locator, type Page } from '@playwright/test';

/** The editor as a person sees it: by roles and names only. */
export function locateEditor(page: Page) {
  const palette = page.getByRole('complementary', { name: 'Node types' });
  const canvas = page.getByRole('application', { name: 'Canvas' });
  const panel = page.getByRole('region', { name: 'Node', exact: true });
  const runPanel = page.getByRole('region', { name: 'Run', exact: true });

  return {
    palette,
    canvas,
    panel,
    runPanel,
    node: (label: string): Locator => canvas.getByRole('group', { name: new RegExp(`^${label}, `) }),
    async open(id: string): Promise<void> {
      await page.goto(`/workflows/${id}`);
      await expect(canvas).toBeVisible();
    },
    async add(title: string): Promise<void> {
      await palette.getByRole('button', { name: new RegExp(`^${title}`) }).click();
    },
    async choose(label: string): Promise<void> {
      await this.node(label).click();
      // The panel may still show the node that was chosen before.
      await expect(panel.getByRole('textbox', { name: 'Label', exact: true })).toHaveValue(label);
      await panel.getByRole('tab', { name: 'Configure' }).click();
    },
    /** Replaces the text of a field in the panel, whether it is an input or an expression. */
    async write(field: string, text: string): Promise<void> {
      const input = panel.getByRole('textbox', { name: field, exact: true });
      await input.click();
      await page.keyboard.press('ControlOrMeta+a');
      await page.keyboard.press('Delete');
      await page.keyboard.insertText(text);
      if ((await input.getAttribute('contenteditable')) !== 'true') {
        await expect(input).toHaveValue(text);
        return;
      }
      await expect(input).toHaveText(text);
      // Completions of an expression would lie over what comes next.
      await page.keyboard.press('Escape');
    },
    async save(): Promise<void> {
      await page.keyboard.press('ControlOrMeta+s');
      await this.isSaved();
    },
    async isSaved(): Promise<void> {
      await expect(
        page.getByRole('region', { name: 'Workflow', exact: true }).getByRole('status'),
      ).toHaveText('Saved');
    },
    /** Opens the dialog from the header and publishes without a note. */
    async publish(): Promise<void> {
      const header = page.getByRole('region', { name: 'Workflow', exact: true });
      await header.getByRole('button', { name: 'Publish' }).click();
      const dialog = page.getByRole('dialog', { name: 'Publish' });
      await dialog.getByRole('button', { name: /^Publish/ }).click();
      await expect(dialog).toBeHidden();
    },
    async run(): Promise<void> {
      await page
        .getByRole('region', { name: 'Workflow', exact: true })
        .getByRole('button', { name: 'Run', exact: true })
        .click();
    },
  };
}
