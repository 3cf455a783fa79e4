import { createWorkflow, expect } from '../support/journey.ts';
import { call } from '../support/seed.ts';
import { everyLook, speakGerman } from './looks.ts';

const node = (id: string, type: string, x: number, data: object) => ({
  id,
  type,
  position: { x, y: 0 },
  data: { label: id, ...data },
});

const PYTHON = `import json
import requests


def main(params):
    """Asks the warehouse what is left of each article."""
    left = {}
    for line in params["lines"]:
        answer = requests.get(f"https://warehouse.example.com/articles/{line['article']}", timeout=10)
        left[line["article"]] = answer.json()["left"]
    return {"left": left, "enough": all(count > 0 for count in left.values())}
`;

/** Nodes whose forms have more than texts and choices. */
const FORMS = (credential: string) => ({
  name: 'Stock report',
  nodes: [
    node('order', 'textInput', 0, { inputFields: [{ key: 'lines', defaultValue: '[]' }] }),
    node('stock', 'code', 280, {
      codeLanguage: 'python',
      codeSource: PYTHON,
      codeParameters: '{"lines": "$order.body.lines"}',
      codeRequirements: 'requests==2.32.5',
      codeAllowNetwork: true,
    }),
    node('sales', 'mysql', 560, {
      credentialId: credential,
      operation: 'executeQuery',
      query:
        'SELECT article, SUM(amount) AS sold\nFROM sales\nWHERE day >= ? AND country = ?\nGROUP BY article',
      queryParameters: '["$now.minus(7, \'days\')", "DE"]',
      readOnly: true,
      limit: 100,
    }),
    node('announce', 'publishEvent', 840, {
      eventName: 'custom.stock.reported',
      eventPayload: '{"sold": "$sales.rows"}',
    }),
    node('chart', 'chartOutput', 1120, {
      chartType: 'bar',
      title: 'Sold this week',
      dataPath: 'rows',
      labelField: 'article',
      valueField: 'sold',
      unit: 'pieces',
    }),
    node('ask', 'http', 1400, {
      curl: `curl -L -X POST 'https://api.example.com/orders?state=open' --url-query 'shop=$order.body.shop' -H 'X-Trace: $order.body.id' -H 'Authorization: Bearer $credentials.Orders' -H 'Content-Type: application/json' --data-raw '{"lines": $order.body.lines}'`,
      failOnErrorStatus: true,
    }),
    node('blank', 'code', 280, {}),
  ],
  edges: [
    { id: 'e1', source: 'order', target: 'stock' },
    { id: 'e2', source: 'stock', target: 'sales' },
    { id: 'e3', source: 'sales', target: 'announce' },
    { id: 'e4', source: 'announce', target: 'chart' },
    { id: 'e5', source: 'chart', target: 'ask' },
  ],
});

everyLook('forms of nodes', async ({ join, take }) => {
  const person = await join();
  const { page } = person;
  const { id: credential } = await call(person, 'POST', '/api/credentials', {
    name: 'Shop database',
    type: 'mysql',
    config: { host: 'db.example.com', database: 'shop', username: 'u', password: 'p' },
  });
  const { nodes, edges } = FORMS(credential);
  const workflow = await createWorkflow(
    person,
    { name: 'Stock report', nodes: nodes.slice(0, -1), edges },
    { draft: true },
  );
  const panel = page.getByRole('region', { name: /^(Node|Knoten)$/ });
  /** The canvas may show a node outside of the picture: the outline has them all. */
  const choose = async (label: string) => {
    await page.getByRole('tab', { name: /^(Outline|Gliederung)$/ }).click();
    await page
      .getByRole('button', { name: new RegExp(`^${label}, `) })
      .first()
      .click();
    await expect(panel).toBeVisible();
    await panel.getByRole('tab', { name: /^(Configure|Einstellen|Konfigurieren)$/ }).click();
  };
  const shoot = async (name: string) => {
    for (const label of ['stock', 'sales', 'announce', 'chart', 'ask']) {
      await page.goto(`/workflows/${workflow.id}`);
      await choose(label);
      await take(page, `node-${label}${name}`);
      const scrolls = panel.getByRole('textbox').last();
      await scrolls.scrollIntoViewIfNeeded();
      await take(page, `node-${label}-end${name}`);
    }
  };
  await shoot('');
  await speakGerman(page.context());
  await shoot('-german');
});
