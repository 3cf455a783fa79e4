import { createWorkflow, expect } from '../support/journey.ts';
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

const REDIRECT = 'http://localhost:9999/callback';

everyLook('pages without scripts', async ({ visitor, join, take }) => {
  const person = await join();
  const page = await visitor();
  const { id } = await createWorkflow(person, {
    name: 'Confirmation',
    nodes: [
      { id: 'in', type: 'textInput', data: { label: 'in' }, position: { x: 0, y: 0 } },
      {
        id: 'ask',
        type: 'callback',
        data: { label: 'ask', title: 'Confirm the order', message: 'Order 7, two pieces.\nIs it right?' },
        position: { x: 300, y: 0 },
      },
    ],
    edges: [{ id: 'e', source: 'in', target: 'ask' }],
  });
  const run = await person.context.request.post(`/api/workflows/${id}/execute`, { data: {} });
  const [address = ''] = /\/api\/callbacks\/[\w-]+/.exec(await run.text()) ?? [];
  await page.goto(address);
  await take(page, 'callback');
  await page.getByRole('button').click();
  await take(page, 'callback-done');

  const registered = await page.request.post('/register', {
    data: { redirect_uris: [REDIRECT], client_name: 'Notebook' },
  });
  const { client_id } = (await registered.json()) as { client_id: string };
  const query = new URLSearchParams({
    response_type: 'code',
    client_id,
    redirect_uri: REDIRECT,
    code_challenge_method: 'S256',
    code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
  });
  await page.goto(`/authorize?${query.toString()}`);
  await page.getByLabel('E-mail address').fill('unknown@example.com');
  await page.getByLabel('Password').fill('Wrong-2026');
  await page.getByRole('button', { name: 'Allow' }).click();
  await expect(page.getByRole('alert')).toBeVisible();
  await take(page, 'consent');
});
