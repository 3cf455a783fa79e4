import { readFile } from 'node:fs/promises';
import type { Page } from '@playwright/test';
import { expect, type Person } from './journey.ts';
import { chain, node, start } from './portal.ts';

/** Answers with the number of earlier messages and what it was asked. */
export const ECHO = chain(
  start('text'),
  node('out', 'output', { message: '$len($start.conversation_history): $start.body.text' }),
);

export const messageBox = (page: Page) => page.getByRole('textbox', { name: 'Message' });
export const answers = (page: Page) => page.getByRole('article', { name: 'Answer' });

/** While an answer is under way, Stop takes the place of Send, and Enter does nothing. */
export const isIdle = (page: Page) =>
  expect(page.getByRole('button', { name: 'Send', exact: true })).toBeVisible();

export async function ask(page: Page, text: string): Promise<void> {
  await isIdle(page);
  await messageBox(page).click();
  await page.keyboard.type(text);
  await page.keyboard.press('Enter');
}

/** The conversation as a file of a kind, such as `As Markdown`. */
export async function download(page: Page, kind: string): Promise<{ name: string; text: string }> {
  const saved = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Download conversation' }).click();
  await page.getByRole('button', { name: kind }).click();
  const file = await saved;
  return { name: file.suggestedFilename(), text: await readFile(await file.path(), 'utf8') };
}

/** Waits long enough to be looked at, and to be stopped. */
export const slowly = (duration: number) =>
  chain(
    start('text'),
    node('lookUpOrders', 'wait', { duration }),
    node('out', 'output', { message: 'late: $start.body.text' }),
  );

/** Of the last run. */
export const fetchStatus = async ({ context }: Person, id: string): Promise<unknown> => {
  const list = await context.request.get(`/api/workflows/${id}/history`);
  const { items } = (await list.json()) as { items: { status: string }[] };
  return items[0]?.status;
};
