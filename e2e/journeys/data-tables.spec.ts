import { readFileSync } from 'node:fs';
import { violations } from './support/axe.ts';
import { expect, test } from './support/journey.ts';

test('a table is made, filled from a CSV file, edited by keyboard, filtered, emptied and exported', async ({
  person,
}) => {
  const { page } = person;
  await page.goto('/data-tables');
  const cell = (row: number, column: number) => page.locator(`[data-cell="${row}-${column}"]`);

  await test.step('make a table', async () => {
    await page.getByRole('button', { name: 'New data table' }).first().click();
    const dialog = page.getByRole('dialog', { name: 'New data table' });
    await dialog.getByRole('textbox', { name: 'Name', exact: true }).fill('Cities');
    await dialog.getByRole('textbox', { name: 'Name of column 1' }).fill('City');
    await dialog.getByRole('checkbox', { name: 'Unique' }).click();
    await dialog.getByRole('button', { name: 'Add column' }).click();
    await dialog.getByRole('textbox', { name: 'Name of column 2' }).fill('People');
    await dialog.getByRole('combobox', { name: 'Type of column 2' }).click();
    await page.getByRole('option', { name: 'Number' }).click();
    await dialog.getByRole('button', { name: 'Create' }).click();
    await expect(page.getByRole('heading', { name: 'Cities' })).toBeVisible();
  });

  await test.step('import with a header of another name', async () => {
    await page.getByRole('button', { name: 'Import CSV' }).last().click();
    const chooser = page.waitForEvent('filechooser');
    await page.getByRole('button', { name: 'Choose file' }).click();
    const lines = ['city,Inhabitants', 'Kiel,247000', 'Ulm,126000', 'Kiel,1', 'Bonn,336000'];
    await (await chooser).setFiles({
      name: 'c.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from(lines.join('\n')),
    });
    const dialog = page.getByRole('dialog', { name: 'Import into “Cities”' });
    await dialog.getByRole('combobox', { name: 'Column for Inhabitants' }).click();
    await page.getByRole('option', { name: 'People' }).click();
    await dialog.getByRole('button', { name: 'Import CSV' }).click();
    await expect(dialog.getByText('3 rows imported')).toBeVisible();
    await expect(dialog.getByText('Row 3: Duplicate value for unique column "City"')).toBeVisible();
    await dialog.getByRole('button', { name: 'Close' }).last().click();
    await expect(cell(0, 0)).toHaveText('Bonn');
  });

  await test.step('edit by keyboard', async () => {
    await cell(0, 0).click();
    await page.keyboard.press('ArrowDown');
    await expect(cell(1, 0)).toBeFocused();
    await page.keyboard.press('Enter');
    await page.keyboard.type(' upon Danube');
    await page.keyboard.press('Tab');
    await expect(cell(1, 1)).toBeFocused();
    await page.keyboard.type('5');
    await page.keyboard.press('Escape');
    await expect(cell(1, 1)).toHaveText('126000');
    await page.keyboard.type('130000');
    const stored = page.waitForResponse((response) => response.request().method() === 'PUT');
    await page.keyboard.press('Enter');
    await expect(cell(2, 1)).toBeFocused();
    // A reload would cut off a request that is still on its way.
    await stored;
    await page.reload();
    await expect(cell(1, 0)).toHaveText('Ulm upon Danube');
    await expect(cell(1, 1)).toHaveText('130000');
  });

  await test.step('a refused value comes back', async () => {
    await cell(0, 0).dblclick();
    await page.keyboard.press('ControlOrMeta+a');
    await page.keyboard.type('Kiel');
    await page.keyboard.press('Enter');
    await expect(page.getByText('Duplicate value for unique column "City"')).toBeVisible();
    await expect(cell(0, 0)).toHaveText('Bonn');
  });

  await test.step('sort, filter, delete and undo', async () => {
    await page.getByRole('columnheader', { name: 'People' }).getByRole('button').click();
    await expect(cell(0, 0)).toHaveText('Ulm upon Danube');
    await page.getByRole('combobox', { name: 'Column to filter by' }).click();
    await page.getByRole('option', { name: 'City' }).click();
    await page.getByRole('textbox', { name: 'Value' }).fill('danube');
    await expect(page.getByRole('row')).toHaveCount(2);
    await page.getByRole('checkbox', { name: 'Select row 1' }).click();
    await page.getByRole('button', { name: 'Delete row' }).click();
    await expect(page.getByText('No row matches the filter')).toBeVisible();
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect(cell(0, 0)).toHaveText('Ulm upon Danube');
  });

  await test.step('nothing in the way of assistive technology', async () => {
    expect(await violations(page)).toEqual([]);
  });

  await test.step('export', async () => {
    const saved = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Export CSV' }).click();
    const text = readFileSync(await (await saved).path(), 'utf8');
    expect(text).toBe('City,People\r\nKiel,247000\r\nUlm upon Danube,130000\r\nBonn,336000\r\n');
  });
});
