import { createWorkflow, expect } from '../support/journey.ts';
import { BREAKS, SLOW, seed } from '../support/seed.ts';
import { everyLook, speakGerman } from './looks.ts';

const at = (id: string, type: string, x: number, data: object) => ({
  id,
  type,
  position: { x, y: 0 },
  data: { label: id, ...data },
});

const QUOTE = {
  name: 'Write a quote',
  description: 'Prices the lines and writes the letter',
  nodes: [
    at('order', 'textInput', 0, {
      inputFields: [
        { key: 'customer', defaultValue: 'Lovelace & Sons' },
        { key: 'amount', defaultValue: '40' },
        { key: 'delivery_address_of_the_customer', defaultValue: '12 St James’s Square, London' },
      ],
    }),
    at('quote', 'output', 280, {
      message:
        '# Quote for $order.body.customer\n\nThank you for your request.\n\n| Line | Price |\n| --- | --- |\n| Lamp | 149 € |\n| Delivery | 12 € |\n\n```json\n{ "total": 161 }\n```',
    }),
  ],
  edges: [{ id: 'e', source: 'order', target: 'quote' }],
};

everyLook('the quick drawer', async ({ join, take }) => {
  const person = await join();
  const { page } = person;
  const drawer = page.getByRole('dialog');
  const open = async () => {
    await page.goto('/runs');
    await page.getByRole('heading', { name: /^(Runs|Läufe)$/, level: 1 }).waitFor();
    await page.keyboard.press('q');
    await drawer.waitFor();
  };
  const choose = async (name: string) => {
    await drawer.getByRole('option', { name: new RegExp(`^${name}`) }).click();
    await expect(drawer.getByRole('button', { name: /^(Run|Starten)/ })).toBeVisible();
  };
  const other = () => drawer.getByRole('button', { name: 'Another workflow' }).click();
  await open();
  await take(page, 'quick-drawer-empty');
  await seed(person, await join('Grace Hopper'));
  const quote = await createWorkflow(person, QUOTE);
  await createWorkflow(person, { ...BREAKS, name: 'Only a draft' }, { draft: true });
  await page.request.put(`/api/workflows/${quote.id}/pin`);
  await open();
  await expect(drawer.getByRole('group', { name: 'Pinned' })).toBeVisible();
  await take(page, 'quick-drawer');
  await drawer.getByRole('combobox').fill('nothing like this');
  await take(page, 'quick-drawer-none-found');
  await drawer.getByRole('combobox').fill('');
  await choose('Write a quote');
  await take(page, 'quick-drawer-form');
  await page.keyboard.press('Control+Enter');
  await expect(drawer.getByRole('heading', { name: /^Quote for/ })).toBeVisible();
  await take(page, 'quick-drawer-ran');
  await other();
  await choose(BREAKS.name);
  await page.keyboard.press('Control+Enter');
  await expect(drawer.getByText('has no e-mail address').first()).toBeVisible();
  await take(page, 'quick-drawer-failed');
  await other();
  await choose(SLOW.name);
  await page.keyboard.press('Control+Enter');
  await expect(drawer.getByRole('list', { name: 'Progress' })).toContainText('collect');
  await take(page, 'quick-drawer-running');
  await drawer.getByRole('button', { name: 'Stop' }).click();
  await other();
  await drawer.getByRole('option', { name: /^Only a draft/ }).click();
  await expect(drawer.getByText('This workflow is not published')).toBeVisible();
  await take(page, 'quick-drawer-draft');
  await other();
  await speakGerman(page.context());
  await open();
  await take(page, 'quick-drawer-german');
  await choose('Write a quote');
  await take(page, 'quick-drawer-form-german');
});
