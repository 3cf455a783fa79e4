import type { Locator, Page } from '@playwright/test';
import {
  chatStream,
  type FakeProvider,
  type FakeReply,
  startFakeProvider,
} from '../../../packages/models/src/testing/fake-provider.ts';
import { expect, type Person } from './journey.ts';

interface Models extends FakeProvider {
  /** Sets the answers of the model from here on, one call after another. */
  answer(...replies: readonly FakeReply[]): void;
}

/** A provider of the models `small-1` and `large-1`. */
export async function startModels(): Promise<Models> {
  let replies: FakeReply[] = [];
  const provider = await startFakeProvider(({ path }) =>
    path.includes('/models')
      ? {
          headers: { 'content-type': 'application/json' },
          chunks: [JSON.stringify({ data: [{ id: 'small-1' }, { id: 'large-1' }] })],
        }
      : (replies.shift() ?? { chunks: chatStream(['Nothing was expected.']) }),
  );
  return {
    ...provider,
    answer(...given) {
      replies = [...given];
    },
  };
}

/** The model calls a tool. */
export const uses = (name: string, input: object): FakeReply => ({
  chunks: chatStream([], { tools: [{ id: `call_${name}`, name, arguments: JSON.stringify(input) }] }),
});

export const says = (...pieces: string[]): FakeReply => ({ chunks: chatStream(pieces) });

export async function addModel({ context }: Person, { url }: FakeProvider): Promise<void> {
  const answer = await context.request.post('/api/credentials', {
    data: { name: 'Local models', type: 'custom', config: { api_key: 'k-0123456789', base_url: url } },
  });
  expect(answer.status(), await answer.text()).toBe(201);
}

/** Chooses the model of the chat that is shown. */
export async function chooseModel(chat: Page | Locator, name: string): Promise<void> {
  await chat.getByRole('combobox', { name: /^Model:/ }).click();
  const page = 'page' in chat ? chat.page() : chat;
  await page.getByRole('option', { name }).click();
}

/** Opens the assistant beside the workflow that is shown. */
export async function openAssistant(page: Page): Promise<Locator> {
  await page.getByRole('button', { name: 'More', exact: true }).click();
  await page.getByRole('menuitem', { name: 'Assistant' }).click();
  const dialog = page.getByRole('dialog', { name: 'Assistant' });
  await chooseModel(dialog, 'small-1');
  return dialog;
}
