import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  test as base,
  expect,
  type Page,
} from '@playwright/test';
import { discard, type Product, startProduct } from '../../support/product.ts';

export { expect };

/** A user with an account and their own browser. */
export interface Person {
  readonly name: string;
  readonly email: string;
  readonly page: Page;
  readonly context: BrowserContext;
}

interface StoredWorkflow {
  readonly id: string;
  readonly name: string;
  readonly [field: string]: unknown;
}

export const PASSWORD = 'Journey-2026';

let people = 0;

/** Opens the browser of a person without an account, at an address of its own. */
export function openBrowser(
  browser: Browser,
  product: Product,
  options: BrowserContextOptions,
): Promise<BrowserContext> {
  people += 1;
  return browser.newContext({
    ...options,
    baseURL: product.url,
    extraHTTPHeaders: { 'x-forwarded-for': `10.1.${Math.floor(people / 250)}.${(people % 250) + 1}` },
  });
}

/** Registers a user through the API; the browser of the page is signed in then. */
export async function register(page: Page, product: Product, name = 'Ada Lovelace'): Promise<Person> {
  const context = page.context();
  const email = `person-${people}-${Date.now()}@example.com`;
  const answer = await context.request.post('/api/auth/register', {
    data: { email, password: PASSWORD, name },
    headers: { origin: product.url },
  });
  expect(answer.status(), await answer.text()).toBe(201);
  return { name, email, page, context };
}

interface Worker {
  product: Product;
}

interface Journey {
  /** Opens the browser of a person without an account. */
  visitor: () => Promise<Page>;
  /** Registers a user through the API and opens their browser. */
  join: (name?: string) => Promise<Person>;
  person: Person;
}

type ProductFixture = [
  (fixtures: object, use: (product: Product) => Promise<void>) => Promise<void>,
  { scope: 'worker'; timeout: number },
];

/** The product that the journeys of a file share, with settings of its own. */
export const productWith = (env: Record<string, string>): ProductFixture => [
  // oxlint-disable-next-line no-empty-pattern -- Playwright reads the names of the fixtures from the pattern
  async ({}, use) => {
    // Each person has an address of their own, so that the limits on registering count them apart. Services that journeys
    // call are on this machine. What differs from these settings costs another start of product and browser.
    const settings = { TRUST_PROXY_HEADERS: 'true', HTTP_ALLOW_PRIVATE_URLS: 'true' };
    const product = await startProduct({ env: { ...settings, ...env } });
    await use(product);
    await discard(product);
  },
  { scope: 'worker', timeout: 240_000 },
];

/** Journeys share one product; each has people of its own, so that none sees what another did. */
export const test = base.extend<Journey, Worker>({
  product: productWith({}),
  visitor: async ({ browser, product, contextOptions }, use) => {
    const open: BrowserContext[] = [];
    await use(async () => {
      const context = await openBrowser(browser, product, contextOptions);
      open.push(context);
      return context.newPage();
    });
    await Promise.all(open.map((context) => context.close()));
  },
  join: async ({ visitor, product }, use) => {
    await use(async (name) => register(await visitor(), product, name));
  },
  person: async ({ join }, use) => {
    await use(await join());
  },
});

/** Creates a workflow through the API, for journeys that start behind drawing. */
export async function createWorkflow(
  { context }: Person,
  body: { name: string; description?: string; nodes?: unknown[]; edges?: unknown[] },
  { draft = false } = {},
): Promise<StoredWorkflow> {
  const answer = await context.request.post(`/api/workflows${draft ? '?draft=true' : ''}`, { data: body });
  expect(answer.status(), await answer.text()).toBe(201);
  return (await answer.json()) as StoredWorkflow;
}

/** The workflow as the editor has it: its draft, where there is one. */
export async function readWorkflow({ context }: Person, id: string): Promise<StoredWorkflow> {
  const answer = await context.request.get(`/api/workflows/${id}?draft=true`);
  expect(answer.status()).toBe(200);
  return (await answer.json()) as StoredWorkflow;
}
