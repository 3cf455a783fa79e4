// Leads through: features/workflow, editor/publish
import { violations } from './support/axe.ts';
import { locateEditor } from './support/editor.ts';
import { createWorkflow, expect, test } from './support/journey.ts';
import { call } from './support/seed.ts';

const saying = (message: string) => ({
  name: 'Greeter',
  nodes: [
    {
      id: 'in',
      type: 'textInput',
      position: { x: 0, y: 0 },
      data: { label: 'start', inputFields: [{ key: 'text' }] },
    },
    { id: 'out', type: 'output', position: { x: 300, y: 0 }, data: { label: 'reply', message } },
  ],
  edges: [{ id: 'e', source: 'in', target: 'out' }],
});

test('a draft is published once its evals pass, or with a reason of its owner', async ({ person }) => {
  test.slow();
  const { page } = person;
  const editor = locateEditor(page);
  const suite = await call(person, 'POST', '/api/evals/suites', { name: 'Greetings' });
  const expected = { input: 'Ann', expected_output: 'Hello Ann' };
  await call(person, 'POST', `/api/evals/suites/${suite.id}/test-cases`, expected);
  const { id } = await createWorkflow(person, saying('Bye $start.body.text'), { draft: true });
  const header = page.getByRole('region', { name: 'Workflow', exact: true });
  const dialog = page.getByRole('dialog', { name: 'Publish', exact: true });
  const open = () => header.getByRole('button', { name: 'Publish', exact: true }).click();
  await editor.open(id);

  await test.step('the owner chooses the suite in the settings', async () => {
    await header.getByRole('button', { name: 'More' }).click();
    await page.getByRole('menuitem', { name: 'Settings…' }).click();
    const settings = page.getByRole('dialog', { name: 'Workflow settings' });
    await settings.getByRole('combobox', { name: 'Add a suite' }).click();
    await page.getByRole('option', { name: 'Greetings' }).click();
    await expect(settings.getByRole('spinbutton', { name: 'Percent for Greetings' })).toHaveValue('100');
    expect(await violations(page)).toEqual([]);
    await settings.getByRole('button', { name: 'Save' }).click();
    await expect(settings).toBeHidden();
  });

  await test.step('what does not pass is not published, and the dialog says why', async () => {
    await open();
    await expect(dialog.getByText('100% of the test cases have to pass on this draft')).toBeVisible();
    await dialog.getByRole('button', { name: /Run evals and publish/ }).click();
    await expect(dialog.getByText('0% of the test cases passed (0 of 1), 100% needed')).toBeVisible();
    await expect(dialog.getByRole('alert')).toHaveText(/have not passed, so nothing was published/);
    expect(await violations(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await expect(header.getByText('Not published')).toBeVisible();
  });

  await test.step('a draft that passes is published automatically', async () => {
    await call(person, 'PUT', `/api/workflows/${id}?draft=true`, saying('Hello $start.body.text'));
    await editor.open(id);
    await open();
    await dialog.getByRole('button', { name: /Run evals and publish/ }).click();
    await expect(header.getByText('Version 1 is live')).toBeVisible();
  });

  await test.step('the owner gives a reason, which the list of versions shows', async () => {
    await call(person, 'PUT', `/api/workflows/${id}?draft=true`, saying('Hi $start.body.text'));
    await editor.open(id);
    await open();
    await dialog.getByRole('button', { name: 'Publish anyway' }).click();
    const reason = dialog.getByRole('textbox', { name: /Reason for publishing anyway/ });
    await reason.fill('The suite is out of date');
    await dialog.getByRole('button', { name: /Publish without passing evals/ }).click();
    await expect(header.getByText('Version 2 is live')).toBeVisible();
    const versions = await call<{ override_reason: string }[]>(
      person,
      'GET',
      `/api/workflows/${id}/versions?current=true`,
    );
    expect(versions[0]?.override_reason).toBe('The suite is out of date');
  });
});
