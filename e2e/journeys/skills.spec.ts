// Leads through: features/skill
import { expect, test } from './support/journey.ts';
import { call } from './support/seed.ts';

test('a skill is written, saved again, restored, added to an agent and deleted', async ({ person }) => {
  const { page } = person;
  await page.goto('/skills');
  await expect(page.getByText('No skills yet')).toBeVisible();

  await test.step('write one', async () => {
    await page.getByRole('button', { name: 'New skill' }).first().click();
    const dialog = page.getByRole('dialog', { name: 'New skill' });
    await dialog.getByRole('textbox', { name: 'Name', exact: true }).fill('Prices');
    await dialog
      .getByRole('textbox', { name: 'SKILL.md' })
      .fill('---\ndescription: Looks up prices\n---\n# One');
    await dialog.getByRole('button', { name: 'Create' }).click();
    await expect(page.getByText('Looks up prices')).toBeVisible();
  });

  await test.step('save it again, and restore the first version', async () => {
    await page.getByRole('button', { name: 'Prices', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'Edit “Prices”' });
    await dialog.getByRole('textbox', { name: 'SKILL.md' }).fill('# Two');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await expect(page.getByText('“Prices” saved as version 2')).toBeVisible();
    await page.getByRole('button', { name: 'Actions for Prices' }).click();
    await page.getByRole('menuitem', { name: 'Versions…' }).click();
    const versions = page.getByRole('dialog', { name: 'Versions of “Prices”' });
    await versions.getByRole('button', { name: /^Version 1/ }).click();
    await expect(versions.getByRole('region', { name: 'Changes in SKILL.md' })).toContainText('# Two');
    await versions.getByRole('button', { name: 'Restore version 1' }).click();
    await expect(page.getByText('Version 1 restored')).toBeVisible();
  });

  await test.step('an agent uses it, which a deletion says', async () => {
    const { items } = await call<{ items: { id: string }[] }>(person, 'GET', '/api/skills');
    const skills = [{ name: 'Prices', librarySkillId: items[0]?.id }];
    const data = { label: 'lead', skills };
    await call(person, 'POST', '/api/workflows', {
      name: 'Quotes',
      nodes: [{ id: 'lead', type: 'agent', position: { x: 0, y: 0 }, data }],
      edges: [],
    });
    await page.getByRole('button', { name: 'Actions for Prices' }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await expect(page.getByText('Agents in “Quotes” use it')).toBeVisible();
    await page.getByRole('button', { name: 'Delete anyway' }).click();
    await expect(page.getByText('No skills yet')).toBeVisible();
  });
});

test('a colleague reads a skill that is shared with them, and its versions', async ({ person, join }) => {
  const colleague = await join('Grace Hopper');
  const { page } = colleague;
  const files = [
    { path: 'main.py', content: 'print("prices")' },
    { path: 'logo.png', content: 'AP8=', encoding: 'base64' },
  ];
  const { id } = await call(person, 'POST', '/api/skills', { name: 'Prices', content: '# One', files });
  await call(person, 'PATCH', `/api/skills/${id}`, { content: '# Two' });
  await call(person, 'POST', `/api/skills/${id}/shares`, { email: colleague.email });
  await page.goto('/skills');

  await test.step('with the keyboard', async () => {
    await page.getByRole('button', { name: 'Prices', exact: true }).focus();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Prices' });
    await expect(dialog.getByText(`Owned by ${person.email}.`)).toBeVisible();
    await expect(dialog.getByRole('region', { name: 'Text of SKILL.md' })).toHaveText('# Two');
    await expect(dialog.getByText('Binary file, 2 B')).toBeVisible();
    await dialog.getByRole('button', { name: /^main\.py/ }).focus();
    await page.keyboard.press('Enter');
    await expect(dialog.getByRole('region', { name: 'Text of main.py' })).toHaveText('print("prices")');
    await expect(dialog.getByRole('button', { name: /Save|Delete|Share/ })).toHaveCount(0);
    const download = page.waitForEvent('download');
    await dialog.getByRole('button', { name: 'Download ZIP' }).click();
    expect((await download).suggestedFilename()).toBe('Prices.zip');
    await page.keyboard.press('Escape');
    await expect(dialog).toBeHidden();
  });

  await test.step('an old version, without a way to restore it', async () => {
    await page.getByRole('button', { name: 'Actions for Prices' }).click();
    await page.getByRole('menuitem', { name: 'Versions…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Versions of “Prices”' });
    await dialog.getByRole('button', { name: /^Version 1/ }).click();
    await expect(dialog.getByRole('region', { name: 'Changes in SKILL.md' })).toContainText('# One');
    await dialog.getByRole('tab', { name: 'Content' }).click();
    await expect(dialog.getByRole('region', { name: 'Text of SKILL.md' })).toHaveText('# One');
    await expect(dialog.getByRole('button', { name: /^Restore/ })).toHaveCount(0);
  });
});
