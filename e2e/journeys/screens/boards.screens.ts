import { createWorkflow, expect, type Person } from '../support/journey.ts';
import { BREAKS, call, SLOW } from '../support/seed.ts';
import { everyLook, speakGerman } from './looks.ts';

const ANSWER = `## Broken on arrival

The customer **has photos** and asks for a new lamp.

| Field | Value |
| --- | --- |
| Order | 2026-1187 |
| Paid | 149,00 € |

1. Check the stock
2. Offer a replacement or a refund`;

const CLASSIFY = {
  name: 'Classify request',
  description: 'Reads a request and says what it is about',
  nodes: [
    { id: 'request', type: 'textInput', position: { x: 0, y: 0 }, data: { label: 'request' } },
    {
      id: 'answer',
      type: 'jsonOutputMapper',
      position: { x: 300, y: 0 },
      data: {
        label: 'answer',
        mappings: [
          { key: 'topic', value: 'Broken on arrival' },
          { key: 'urgency', value: 'high' },
          { key: 'language', value: 'de' },
        ],
      },
    },
  ],
  edges: [{ id: 'e', source: 'request', target: 'answer' }],
};

const DRAFTS = {
  name: 'Draft an answer',
  nodes: [
    { id: 'request', type: 'textInput', position: { x: 0, y: 0 }, data: { label: 'request' } },
    {
      id: 'draft',
      type: 'output',
      position: { x: 300, y: 0 },
      data: { label: 'draft', message: 'Dear customer,\n\nwe are sorry that the lamp arrived broken.' },
    },
  ],
  edges: [{ id: 'e', source: 'request', target: 'draft' }],
};

const TITLES = [
  'Lamp arrived broken, order 2026-1187',
  'Where is my parcel?',
  'Invoice shows the wrong company name, and the accountant needs a corrected one before the end of the quarter',
  'Refund for the cancelled workshop',
  'Cannot sign in since Monday',
  'Donaudampfschifffahrtsgesellschaftskapitänsmützenbestellung',
  'Change of address',
  'Discount code does not work',
  'Missing screws in box 3',
  'Question about the warranty',
  'Two parcels instead of one',
  'Please delete my account',
];

interface Board {
  id: string;
  columns: { id: string }[];
}

/** A board of a support team: a dozen cards, what ran on them, and a long conversation. */
async function seedBoard(person: Person): Promise<string> {
  const [classify, drafts, breaks, slow] = await Promise.all(
    [CLASSIFY, DRAFTS, BREAKS, SLOW].map((workflow) => createWorkflow(person, workflow)),
  );
  const { id } = await call(person, 'POST', '/api/boards', {
    name: 'Customer requests',
    description: 'Everything that customers write to us, from the mailbox and the form on the site',
  });
  const path = `/api/boards/${id}`;
  const { columns } = await call<Board>(person, 'GET', path);
  const chains = [[], [classify, drafts], [breaks], [slow]];
  const names = ['New', 'Classify and answer', 'Invoice', 'Waiting for the export'];
  const colors = ['gray', 'blue', 'amber', 'purple'];
  for (const [at, column] of columns.entries()) {
    await call(person, 'PATCH', `${path}/columns/${column.id}`, {
      name: names[at],
      color: colors[at],
      workflow_ids: (chains[at] ?? []).map((workflow) => workflow?.id),
      ...(at === 1 ? { ai_instructions: 'Be short and polite.', auto_advance: false } : {}),
    });
  }
  const cards: { id: string }[] = [];
  for (const title of TITLES) {
    cards.push(await call(person, 'POST', `${path}/cards`, { title, content: `${title}.\n\nSent by mail.` }));
  }
  const move = (card: number, column: number) =>
    call(person, 'POST', `${path}/cards/${cards[card]?.id}/move`, { to_column_id: columns[column]?.id });
  const first = `${path}/cards/${cards[0]?.id}`;
  await call(person, 'PATCH', first, { content: ANSWER });
  await move(0, 1);
  await expect
    .poll(async () => (await call<{ run_status: string }>(person, 'GET', first)).run_status)
    .toBe('done');
  for (const content of [
    'Replacement is in stock.\n\n- [ ] ask for the address',
    'Called her; she prefers `a refund`.',
  ]) {
    await call(person, 'POST', `${first}/comments`, { content });
  }
  const name = 'photo of the broken lamp, taken by the customer on the day of delivery.jpg';
  for (const file of ['order-2026-1187.pdf', name]) {
    const answer = await person.context.request.post(`${first}/attachments`, {
      multipart: { file: { name: file, mimeType: 'application/pdf', buffer: Buffer.from('%PDF-1.4') } },
    });
    expect(answer.ok(), await answer.text()).toBe(true);
  }
  await move(1, 1);
  await move(2, 2);
  await move(4, 3);
  const { id: read } = cards[2] ?? { id: '' };
  await expect
    .poll(async () => (await call<{ run_status: string }>(person, 'GET', `${path}/cards/${read}`)).run_status)
    .toBe('failed');
  return id;
}

everyLook('boards', async ({ wide, join, take }) => {
  const person = await join();
  const { page } = person;
  await page.goto('/boards');
  await take(page, 'boards-empty');
  await page.getByRole('button', { name: 'New board' }).first().click();
  await take(page, 'board-new');
  await page.keyboard.press('Escape');
  const id = await seedBoard(person);
  const empty = await call(person, 'POST', '/api/boards', { name: 'Posters' });
  const bare = await call<Board>(person, 'GET', `/api/boards/${empty.id}`);
  await page.goto('/boards');
  await expect(page.getByRole('link', { name: 'Customer requests' })).toBeVisible();
  await take(page, 'boards');
  await page.goto(`/boards/${empty.id}`);
  await expect(page.getByRole('heading', { name: 'Posters' })).toBeVisible();
  await take(page, 'board-empty');
  for (const column of bare.columns) {
    await person.context.request.delete(`/api/boards/${empty.id}/columns/${column.id}`);
  }
  await page.reload();
  await expect(page.getByRole('heading', { name: 'No columns yet' })).toBeVisible();
  await take(page, 'board-no-columns');
  await page.goto(`/boards/${id}`);
  await expect(page.getByText('Failed', { exact: true })).toBeVisible();
  await take(page, 'board');
  await page.getByRole('button', { name: 'Add card to New' }).click();
  await take(page, 'board-add-card');
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Lamp arrived broken, order 2026-1187', exact: true }).click();
  await expect(page.getByRole('dialog').getByText('Called her')).toBeVisible();
  await take(page, 'board-card');
  await page.getByRole('dialog').getByRole('heading', { name: 'Activity' }).scrollIntoViewIfNeeded();
  await page.getByRole('dialog').getByText('added the card to').scrollIntoViewIfNeeded();
  await take(page, 'board-card-activity');
  await page.getByRole('dialog').getByRole('button', { name: 'Edit', exact: true }).click();
  await take(page, 'board-card-edit');
  await page.keyboard.press('Escape');
  await page.goto(`/boards/${id}`);
  await page.getByRole('button', { name: /^Invoice shows the wrong/ }).click();
  await expect(page.getByRole('dialog').getByText('has no e-mail address').first()).toBeVisible();
  await take(page, 'board-card-failed');
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Actions for Classify and answer' }).click();
  await page.getByRole('menuitem', { name: 'Edit column' }).click();
  await expect(page.getByRole('dialog').getByText('1. Classify request')).toBeVisible();
  await take(page, 'board-column');
  await page.keyboard.press('Escape');
  await page.locator('[data-search]').fill('nothing like this');
  await expect(page.getByText('Lamp arrived broken')).toBeHidden();
  await take(page, 'board-none-found');
  if (wide) {
    await page.goto(`/boards/${id}`);
    const grip = page.getByRole('button', { name: 'Move “Discount code does not work”' });
    const from = await grip.boundingBox();
    const to = await page.getByRole('region', { name: 'Invoice', exact: true }).boundingBox();
    if (!from || !to) throw new Error('the card or the column is not on the page');
    await page.mouse.move(from.x + 5, from.y + 5);
    await page.mouse.down();
    await page.mouse.move(to.x + 60, to.y + 80, { steps: 6 });
    await take(page, 'board-drag');
    await page.keyboard.press('Escape');
    await page.mouse.up();
  }
  await page.goto('/boards/00000000-0000-4000-8000-000000000000');
  await expect(page.getByRole('alert')).toBeVisible();
  await take(page, 'board-unknown');
  await speakGerman(page.context());
  await page.goto('/boards');
  await take(page, 'boards-german');
  await page.goto(`/boards/${id}`);
  await page.getByRole('button', { name: 'Lamp arrived broken, order 2026-1187', exact: true }).click();
  await expect(page.getByRole('dialog').getByText('Called her')).toBeVisible();
  await take(page, 'board-card-german');
  await page.keyboard.press('Escape');
  await take(page, 'board-german');
});
