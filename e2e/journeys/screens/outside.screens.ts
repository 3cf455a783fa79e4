import { expect } from '../support/journey.ts';
import { everyLook } from './looks.ts';

everyLook('before signing in', async ({ visitor, take }) => {
  const page = await visitor();
  await page.goto('/sign-in');
  await take(page, 'sign-in');
  await page.getByLabel('E-mail').fill('unknown@example.com');
  await page.getByLabel('Password', { exact: true }).fill('Wrong-2026');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await expect(page.getByRole('alert')).toBeVisible();
  await take(page, 'sign-in-refused');
  await page.goto('/register');
  await take(page, 'register');
  await page.getByLabel('Password', { exact: true }).fill('Abc');
  await page.getByLabel('Name').fill('Ada');
  await take(page, 'register-rules');
});
