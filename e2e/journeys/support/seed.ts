import { createWorkflow, expect, type Person } from './journey.ts';
import { ORDERS } from './orders.ts';

interface Made {
  readonly id: string;
}

/** Sends JSON with the session of a person; fails with what the server said. */
export async function call<Answer = Made>(
  { context }: Person,
  method: 'GET' | 'POST' | 'PUT' | 'PATCH',
  path: string,
  data?: unknown,
): Promise<Answer> {
  const answer = await context.request.fetch(path, { method, ...(data === undefined ? {} : { data }) });
  expect(answer.ok(), `${method} ${path}: ${answer.status()} ${await answer.text()}`).toBe(true);
  return (await answer.json()) as Answer;
}

const node = (id: string, type: string, x: number, data: Record<string, unknown>) => ({
  id,
  type,
  position: { x, y: 0 },
  data: { label: id, ...data },
});

const chain = (...nodes: ReturnType<typeof node>[]) => ({
  nodes,
  edges: nodes.slice(1).map((target, index) => ({
    id: `e${index}`,
    source: nodes[index]?.id ?? '',
    target: target.id,
  })),
});

/** Waits for minutes, so that it is still running when a test looks. */
export const SLOW = {
  name: 'Nightly export',
  description: 'Collects the day and sends it to the archive',
  ...chain(
    node('start', 'textInput', 0, { inputFields: [{ key: 'day', defaultValue: 'today' }] }),
    node('collect', 'wait', 280, { duration: 600_000 }),
    node('send', 'output', 560, { message: 'sent' }),
  ),
};

export const BREAKS = {
  name: 'Invoice reminder',
  description: 'Finds invoices that are overdue and refuses the ones without an address',
  ...chain(
    node('invoice', 'textInput', 0, { inputFields: [{ key: 'number', defaultValue: '2026-17' }] }),
    node('refuse', 'throwError', 280, {
      errorMessage: 'Invoice $invoice.body.number has no e-mail address',
    }),
  ),
};

/** Waits for a person to decide its draft. */
export const ASKS = {
  name: 'Letters to customers',
  description: 'Writes an answer and asks before it is sent',
  ...chain(
    node('start', 'textInput', 0, { inputFields: [{ key: 'customer', defaultValue: 'Ada' }] }),
    node('ask', 'humanReview', 280, {
      summary: 'Answer to $start.body.customer',
      draft: '# Dear $start.body.customer\n\nYour order is **on its way**.',
    }),
  ),
};

const SCHEDULED = {
  name: 'Weekly report',
  description: 'Every Monday at 7: revenue of the week, by region',
  ...chain(
    node('monday', 'cron', 0, { cronExpression: '0 7 * * 1' }),
    node('report', 'set', 280, { mappings: [{ key: 'week', value: '$now.format("WW")' }] }),
  ),
};

/** Starts a run and waits for any response. */
export async function execute({ context }: Person, workflow_id: string, inputs: unknown): Promise<void> {
  await context.request.post(`/api/workflows/${workflow_id}/execute`, {
    data: { inputs },
    headers: { 'x-trigger-source': 'API' },
  });
}

/** Starts a run and leaves it running. */
export async function startSlow(person: Person, workflow_id: string): Promise<void> {
  const before = await call<unknown[]>(person, 'GET', '/api/workflows/executions/active');
  void person.context.request
    .post(`/api/workflows/${workflow_id}/execute`, { data: { inputs: {} }, timeout: 0 })
    // The browser is closed while the call still waits.
    .catch(() => undefined);
  await expect
    .poll(async () => (await call<unknown[]>(person, 'GET', '/api/workflows/executions/active')).length)
    .toBeGreaterThan(before.length);
}

export interface Seeded {
  readonly orders: string;
  readonly slow: string;
  readonly breaks: string;
  readonly team: string;
  readonly folder: string;
}

async function seedWorkflows(person: Person): Promise<Omit<Seeded, 'team'>> {
  const sales = await call(person, 'POST', '/folders', { name: 'Sales', description: 'Orders and invoices' });
  const europe = await call(person, 'POST', '/folders', { name: 'Europe', parent_id: sales.id });
  await call(person, 'POST', '/folders', { name: 'Operations' });
  const orders = await createWorkflow(person, ORDERS);
  const breaks = await createWorkflow(person, BREAKS);
  const slow = await createWorkflow(person, SLOW);
  const report = await createWorkflow(person, SCHEDULED);
  const old = await createWorkflow(person, { name: 'Old newsletter' });
  await createWorkflow(person, {
    name: 'Customer onboarding with a name that is longer than any card can show at once',
    description: 'Creates the account, sends the welcome letter and books the first call with the team',
  });
  await call(person, 'PUT', `/folders/${sales.id}/workflows/${orders.id}`);
  await call(person, 'PUT', `/folders/${sales.id}/workflows/${breaks.id}`);
  await call(person, 'PUT', `/folders/${europe.id}/workflows/${report.id}`);
  await call(person, 'PUT', `/workflows/${old.id}/schedule-deletion`);
  return { orders: orders.id, slow: slow.id, breaks: breaks.id, folder: sales.id };
}

async function seedConnections(person: Person): Promise<void> {
  const credential = (name: string, type: string, config: unknown) =>
    call(person, 'POST', '/api/credentials', { name, type, config });
  await credential('crm', 'header', { header_key: 'X-Api-Key', header_value: 'sk-live-4711-0815' });
  await credential('shopToken', 'bearer', { bearer_token: 'tok-2026-secret' });
  const vectors = await credential('searchIndex', 'qdrant', {
    qdrant_host: 'vectors.example.com',
    qdrant_port: 6333,
    openai_api_key: 'sk-embedding-2026',
  });
  await call(person, 'POST', '/api/vector-stores', {
    name: 'Handbook',
    description: 'Answers for the support desk',
    credential_id: vectors.id,
  });
  for (const [name, value_type, value] of [
    ['taxRate', 'number', 0.2],
    ['warehouses', 'array', ['Rotterdam', 'Gdańsk']],
    ['isHoliday', 'boolean', false],
  ] as const) {
    await call(person, 'POST', '/api/global-variables', { name, value_type, value });
  }
}

async function seedFiles({ context }: Person): Promise<void> {
  for (const [name, mimeType, text] of [
    ['orders-2026-11.csv', 'text/csv', 'id,total\n1,48\n2,120\n'],
    ['report.json', 'application/json', '{"week":47,"revenue":120400}'],
    ['readme.txt', 'text/plain', 'Kept for the audit of 2026.'],
  ] as const) {
    const answer = await context.request.post('/api/files/upload', {
      multipart: { file: { name, mimeType, buffer: Buffer.from(text) } },
    });
    expect(answer.ok(), await answer.text()).toBe(true);
  }
}

/** Fills an account with a little of everything, some of it shared by a colleague. */
export async function seed(person: Person, colleague: Person): Promise<Seeded> {
  const made = await seedWorkflows(person);
  await execute(person, made.orders, { customer: 'Ada', amount: '40' });
  await execute(person, made.orders, { customer: 'Grace', amount: '900' });
  await execute(person, made.breaks, { number: '2026-18' });
  await startSlow(person, made.slow);
  await seedConnections(person);
  await seedFiles(person);
  const team = await call(person, 'POST', '/api/teams', {
    name: 'Back office',
    description: 'Runs the numbers',
  });
  await call(person, 'POST', `/api/teams/${team.id}/members`, { email: colleague.email });
  await call(person, 'POST', `/api/workflows/${made.orders}/team-shares`, { team_id: team.id });
  const theirs = await createWorkflow(colleague, { ...SCHEDULED, name: 'Stock alert' });
  await call(colleague, 'POST', `/api/workflows/${theirs.id}/shares`, { email: person.email });
  const { nodes, edges } = ORDERS;
  await call(person, 'POST', '/api/templates', {
    kind: 'workflow',
    workflow: { name: 'Order intake', description: ORDERS.description, tags: ['sales', 'api'], nodes, edges },
  });
  await call(person, 'POST', '/api/templates', {
    kind: 'node',
    node: {
      name: 'Pause',
      description: 'Waits a minute',
      node_type: 'wait',
      node_data: { duration: 60_000 },
    },
  });
  return { ...made, team: team.id };
}
