import type { Page } from '@playwright/test';
import { expect } from './journey.ts';
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
