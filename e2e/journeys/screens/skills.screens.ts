import { expect } from '../support/journey.ts';
import { call } from '../support/seed.ts';
import { everyLook, speakGerman } from './looks.ts';

const TEXT = `---
name: prices
description: Looks up the price of an article, with the discount of the customer
---
# Prices

1. Ask for the article when the request does not name one.
2. Run the script with its number.
3. Give the price in euros, and always include the date of the price list.
`;
const SCRIPT = 'import sys\n\nprint(f"The price of {sys.stdin.read()} is 12.50")\n';
const FILES = [
  { path: 'main.py', content: SCRIPT },
  { path: 'requirements.txt', content: 'requests==2.32.5\nopenpyxl>=3.1' },
  { path: 'data/prices-of-the-north-and-of-the-south-with-every-discount.csv', content: 'article,price\n' },
  { path: 'data/logo.png', content: 'AP8=', encoding: 'base64' },
];

everyLook('skills of the library', async ({ join, take }) => {
  const person = await join();
  const colleague = await join('Grace Hopper');
  const { page } = person;
  const first = {
    content: TEXT.replace('euros', 'dollars'),
    files: [...FILES.slice(1), { path: 'old.md', content: 'x' }],
  };
  for (const owner of [person, colleague]) {
    const { id } = await call(owner, 'POST', '/api/skills', { name: `Prices of ${owner.name}`, ...first });
    await call(owner, 'PATCH', `/api/skills/${id}`, { content: TEXT, files: FILES, timeout_seconds: 60 });
    if (owner === colleague) await call(owner, 'POST', `/api/skills/${id}/shares`, { email: person.email });
  }
  const openVersion = async (actions: string, versions: RegExp) => {
    await page.getByRole('button', { name: `${actions} ${person.name}` }).click();
    await page.getByRole('menuitem', { name: /^Version/ }).click();
    await page.getByRole('dialog').getByRole('button', { name: versions }).click();
    await expect(page.getByRole('dialog').getByRole('tabpanel')).toBeVisible();
  };
  await page.goto('/skills');
  await take(page, 'skills-list');
  await page.getByRole('button', { name: `Prices of ${colleague.name}`, exact: true }).click();
  await take(page, 'skill-shared');
  await page.getByRole('button', { name: /^main\.py/ }).click();
  await page.getByRole('region', { name: 'Text of main.py' }).scrollIntoViewIfNeeded();
  await take(page, 'skill-shared-file');
  await page.keyboard.press('Escape');
  await openVersion('Actions for Prices of', /^Version 1/);
  await take(page, 'skill-version');
  await page.getByRole('tab', { name: 'Content' }).click();
  await take(page, 'skill-version-content');
  await speakGerman(person.context);
  await page.goto('/skills');
  await page.getByRole('button', { name: `Prices of ${colleague.name}`, exact: true }).click();
  await take(page, 'skill-shared-german');
  await page.keyboard.press('Escape');
  await openVersion('Aktionen für Prices of', /^Version 1/);
  await take(page, 'skill-version-german');
});
