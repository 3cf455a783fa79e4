import { chromium, type Page } from '@playwright/test';
import { discard, startProduct } from '../../e2e/support/product.ts';
import { findBrowser } from '../../tools/test/services.mjs';

interface SignedIn {
  readonly page: Page;
  /** Posts JSON as the person; throws on a refusal. */
  post(address: string, data: object): Promise<{ id: string }>;
}

/** Starts the built product and Chromium without a graphics card, and hands over the page of a person who has just registered. */
export async function withSignedInPage(work: (signedIn: SignedIn) => Promise<void>): Promise<void> {
  const product = await startProduct();
  const executablePath = findBrowser();
  const browser = await chromium.launch({
    ...(executablePath ? { executablePath } : {}),
    args: ['--no-sandbox', '--disable-gpu'],
  });
  try {
    const context = await browser.newContext({
      baseURL: product.url,
      viewport: { width: 1440, height: 900 },
    });
    const post = async (address: string, data: object) => {
      const answer = await context.request.post(address, { data, headers: { origin: product.url } });
      if (!answer.ok()) throw new Error(`${address} answered ${answer.status()}: ${await answer.text()}`);
      return (await answer.json()) as { id: string };
    };
    await post('/api/auth/register', { email: 'bench@example.com', password: 'Passw0rd!', name: 'Bench' });
    await work({ page: await context.newPage(), post });
  } finally {
    await browser.close();
    await discard(product);
  }
}
