// Leads through: pages/vector-stores, pages/resources, features/credential
import { expect, test } from './support/journey.ts';

test('a credential is made, tried, shown masked, used by a vector store and shared', async ({
  person,
  join,
}) => {
  const { page } = person;
  const colleague = await join('Grace Hopper');
  await page.goto('/credentials');

  await test.step('both empty fields are named at once', async () => {
    await page.getByRole('button', { name: 'New credential' }).first().click();
    const picker = page.getByRole('dialog', { name: 'New credential' });
    await picker.getByRole('textbox', { name: 'Find a service' }).fill('header');
    await picker.getByRole('button', { name: 'Header', exact: true }).click();
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    await expect(page.getByRole('dialog').getByText('Required')).toHaveCount(2);
  });

  await test.step('the test says what came of it', async () => {
    const form = page.getByRole('dialog', { name: 'Header' });
    await form.getByRole('textbox', { name: 'Name', exact: true }).fill('crm');
    await form.getByRole('textbox', { name: /^Header name/ }).fill('X-Api-Key');
    await form.getByLabel('Header value', { exact: true }).fill('sk-live-4711-0815');
    await form.getByRole('button', { name: 'Test connection' }).click();
    await expect(form.getByRole('status')).not.toBeEmpty();
    await form.getByRole('button', { name: 'Create', exact: true }).click();
    await expect(form).toBeHidden();
  });

  await test.step('the list and the form never show the secret again', async () => {
    await expect(page.getByText('X-Api-Key: sk-live**')).toBeVisible();
    await page.getByRole('button', { name: 'crm', exact: true }).click();
    const form = page.getByRole('dialog', { name: 'Edit “crm”' });
    await expect(form.getByLabel('Header value', { exact: true })).toHaveValue('');
    await form.getByRole('textbox', { name: 'Name', exact: true }).fill('crmKey');
    await form.getByRole('button', { name: 'Save' }).click();
    await expect(page.getByRole('button', { name: 'crmKey', exact: true })).toBeVisible();
    await expect(page.getByText('X-Api-Key: sk-live**')).toBeVisible();
    expect(await page.content()).not.toContain('4711-0815');
  });

  await test.step('a vector store needs a credential first', async () => {
    await page.goto('/vector-stores');
    await page.getByRole('button', { name: 'New vector store' }).first().click();
    await page.getByRole('link', { name: 'Go to credentials' }).click();
    await page.getByRole('button', { name: 'New credential' }).click();
    await page.getByRole('button', { name: 'Qdrant vector store' }).click();
    const form = page.getByRole('dialog', { name: 'Qdrant vector store' });
    await form.getByRole('textbox', { name: 'Name', exact: true }).fill('searchIndex');
    await form.getByRole('textbox', { name: 'Host' }).fill('vectors.example.com');
    await form.getByLabel('Embedding API key', { exact: true }).fill('sk-embedding-2026');
    await form.getByRole('button', { name: 'Create', exact: true }).click();
    await expect(form).toBeHidden();
  });

  await test.step('and is then made, shared, renamed and deleted', async () => {
    await page.goto('/vector-stores');
    await page.getByRole('button', { name: 'New vector store' }).first().click();
    const form = page.getByRole('dialog', { name: 'New vector store' });
    await form.getByRole('textbox', { name: 'Name', exact: true }).fill('Handbook');
    await form.getByRole('button', { name: 'Create', exact: true }).click();
    await expect(form.getByText('Choose a credential').last()).toBeVisible();
    await form.getByRole('combobox', { name: 'Credential' }).click();
    await page.getByRole('option', { name: /searchIndex/ }).click();
    await form.getByRole('button', { name: 'Create', exact: true }).click();
    await expect(form).toBeHidden();

    await page.getByRole('button', { name: 'Actions for Handbook' }).click();
    await page.getByRole('menuitem', { name: 'Share…' }).click();
    const share = page.getByRole('dialog', { name: 'Share “Handbook”' });
    await share.getByRole('textbox', { name: 'E-mail address' }).fill(colleague.email);
    await share.getByRole('button', { name: 'Share', exact: true }).click();
    await expect(share.getByText('Grace Hopper')).toBeVisible();
    await colleague.page.goto('/vector-stores');
    await expect(colleague.page.getByText('Handbook')).toBeVisible();
    await colleague.page.getByRole('button', { name: 'Actions for Handbook' }).click();
    await expect(colleague.page.getByRole('menuitem')).toHaveText(['Leave']);
    await page.keyboard.press('Escape');

    await page.getByRole('button', { name: 'Handbook', exact: true }).click();
    const edit = page.getByRole('dialog', { name: 'Edit “Handbook”' });
    await edit.getByRole('textbox', { name: 'Name', exact: true }).fill('Manual');
    await edit.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('button', { name: 'Actions for Manual' }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await expect(page.getByText('No vector stores yet')).toBeVisible();
  });
});
