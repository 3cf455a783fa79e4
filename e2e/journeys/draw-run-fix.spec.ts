// Leads through: features/canvas-view, features/known-values, features/ran-node, editor/canvas, editor/panel
import { locateEditor } from './support/editor.ts';
import { expect, PASSWORD, test } from './support/journey.ts';

test('register, draw, run, watch, break, read the error, fix, call, and see it in Runs', async ({
  visitor,
}) => {
  const page = await visitor();
  const editor = locateEditor(page);

  await test.step('register', async () => {
    await page.goto('/register');
    await page.getByLabel('Name', { exact: true }).fill('Grace Hopper');
    await page.getByLabel('E-mail', { exact: true }).fill(`grace-${Date.now()}@example.com`);
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await page.getByRole('button', { name: 'Create account' }).click();
    await expect(page.getByRole('heading', { name: 'Workflows', level: 1 })).toBeVisible();
  });

  await test.step('draw by the palette', async () => {
    await page.getByRole('button', { name: 'New workflow' }).first().click();
    const dialog = page.getByRole('dialog', { name: 'New workflow' });
    await dialog.getByRole('textbox', { name: 'Name' }).fill('Price list');
    await dialog.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('region', { name: 'What starts this workflow?' }).getByText('Text Input').click();
    await editor.add('Wait');
    await editor.add('Set');
    await expect(editor.node('textInput')).toBeVisible();
    await expect(editor.node('wait')).toBeVisible();
    await expect(editor.node('set')).toBeVisible();
  });

  await test.step('fill in, and rename: every reference follows', async () => {
    await editor.choose('set');
    await editor.write('Name 1', 'line');
    await editor.write('Value 1', '$textInput.body.name');
    await editor.choose('textInput');
    await editor.write('Label', 'order');
    await page.keyboard.press('Enter');
    await expect(editor.node('order')).toBeVisible();
    await editor.choose('set');
    await expect(editor.panel.getByRole('textbox', { name: 'Value 1' })).toHaveText('$order.body.name');
    await editor.choose('wait');
    await editor.write('Milliseconds', '$order.body.pause');
  });

  await test.step('run and watch', async () => {
    await page.getByRole('tab', { name: 'Run' }).click();
    await editor.runPanel.getByRole('radio', { name: 'JSON' }).click();
    await editor.runPanel.getByRole('textbox', { name: 'Body' }).fill('{"name": "tea", "pause": 30}');
    await editor.runPanel.getByRole('button', { name: 'Run' }).click();
    await expect(editor.runPanel.getByText('Success', { exact: true })).toBeVisible();
    await expect(editor.runPanel.getByRole('region', { name: 'Outputs' })).toContainText('"tea"');
    await expect(page.getByRole('region', { name: 'Timeline' })).toContainText('wait');
  });

  await test.step('break it and read the error', async () => {
    await editor.choose('wait');
    await editor.write('Milliseconds', '$order.body.pauze');
    await editor.run();
    await expect(editor.runPanel.getByText('Error', { exact: true })).toBeVisible();
    await editor.runPanel.getByRole('button', { name: 'Why?' }).click();
    const failure = page.getByRole('region', { name: 'Why wait failed' });
    await expect(failure.getByText('$order.body.pauze', { exact: true }).first()).toBeVisible();
    await expect(failure.getByText('there was no “pauze”')).toBeVisible();
    await failure.getByRole('button', { name: 'Use pause' }).click();
  });

  await test.step('it runs again', async () => {
    await editor.run();
    await expect(editor.runPanel.getByText('Success', { exact: true })).toBeVisible();
  });

  await test.step('publish it and call it by HTTP', async () => {
    await editor.publish();
    await page
      .getByRole('region', { name: 'Workflow', exact: true })
      .getByRole('button', { name: 'Endpoint' })
      .click();
    const dialog = page.getByRole('dialog', { name: 'Endpoint' });
    await expect(dialog.getByText(/curl -X POST/)).toBeVisible();
    await dialog.getByRole('textbox', { name: 'Body' }).fill('{"name": "salt", "pause": 1}');
    await dialog.getByRole('button', { name: 'Send' }).click();
    await expect(dialog.getByText('Response 200')).toBeVisible();
    await expect(dialog.getByRole('region', { name: 'Response body' })).toContainText('salt');
    await page.keyboard.press('Escape');
  });

  await test.step('see it in Runs', async () => {
    await page.getByRole('link', { name: 'Runs' }).first().click();
    await expect(page.getByRole('heading', { name: 'Runs', level: 1 })).toBeVisible();
    await expect(page.getByText('Price list').first()).toBeVisible();
    await expect(page.getByText('API', { exact: true }).first()).toBeVisible();
  });
});
