import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  chatStream,
  type FakeProvider,
  type FakeReply,
  refuse,
  type SeenCall,
  startFakeProvider,
} from '@millrace/models/testing';
import {
  createWorkflow,
  ECHO,
  executeUrl,
  graph,
  shareTestApp,
  storeModelCredential,
  type TestApp,
  type TestUser,
  until,
} from '@millrace/server/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';

let server: FakeProvider;
let answers: (call: SeenCall, turn: number) => FakeReply;
let app: TestApp;
let user: TestUser;
let credentialId: string;
beforeAll(async () => {
  server = await startFakeProvider((call) => {
    const messages = call.body?.['messages'] as { role: string }[];
    return answers(call, messages.filter(({ role }) => role === 'assistant').length);
  });
  app = await shareTestApp({ HTTP_ALLOW_PRIVATE_URLS: 'true' });
  user = await app.user();
  credentialId = await storeModelCredential(user, server.url);
});
beforeEach(() => {
  server.seen.length = 0;
});
afterAll(async () => {
  await app.close();
  server.stop();
});

const says = (text: string): FakeReply => ({ chunks: chatStream([text]) });
const asksFor = (name: string, input: object): FakeReply => ({
  chunks: chatStream([], { tools: [{ id: 'use_1', name, arguments: JSON.stringify(input) }] }),
});

const agentGraph = (data: object) =>
  graph(
    [
      ['start', 'textInput'],
      ['lead', 'agent', { credentialId, model: 'm1', userMessage: '$start.text', ...data }],
      ['out', 'output', { message: '$lead.text' }],
    ],
    ['start>lead', 'lead>out'],
  );

const loadHistory = async (id: string) => {
  const list = await user.call('GET', `/api/workflows/${id}/history`);
  return list.json<{ items: { id: string; trigger_source: unknown; status: string }[] }>().items;
};

/** A search service and a page. */
async function startSite() {
  const seen: string[] = [];
  const site = createServer((request, response) => {
    seen.push(request.url ?? '');
    const isSearch = request.url?.startsWith('/search') === true;
    response.setHeader('content-type', isSearch ? 'application/json' : 'text/html');
    response.end(
      isSearch
        ? JSON.stringify({ results: [{ title: 'Tea shop', url: 'https://tea.example', content: 'Open' }] })
        : '<h1>Opening hours</h1><p>9 to 5</p>',
    );
  });
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
  return { seen, url: `http://127.0.0.1:${(site.address() as AddressInfo).port}`, close: () => site.close() };
}

describe('agents in runs', () => {
  it('§6.3 AI Agents: a sub-workflow invoked by an agent node', async () => {
    const child = await createWorkflow(user, ECHO);
    answers = (_call, turn) =>
      turn === 0
        ? asksFor('call_sub_workflow', { workflow_id: child, inputs: { text: 'from the agent' } })
        : says('Asked');
    const id = await createWorkflow(user, agentGraph({ subWorkflowIds: [child] }));
    const answer = await user.call('POST', executeUrl(id), { text: 'go' });
    expect(answer.json()).toMatchObject({ status: 'success', outputs: { out: { result: 'Asked' } } });
    expect(await loadHistory(child)).toMatchObject([{ trigger_source: 'AI Agents', status: 'success' }]);
    expect(JSON.stringify(server.seen[1]?.body)).toContain('from the agent');
  });

  it('§3.1 pending: an agent that asks a person pauses its run, and the decision resumes it', async () => {
    answers = ({ body }, turn) => {
      if (turn === 0)
        return asksFor('request_human_review', { review_markdown: 'Dear Ada', summary: 'Send?' });
      return says(JSON.stringify(body).includes('Dear Countess') ? 'Sent to the Countess' : 'Sent to Ada');
    };
    const id = await createWorkflow(user, agentGraph({ hitlEnabled: true }));
    const answer = await app.call('POST', executeUrl(id), { text: 'go' });
    const { status, outputs } = answer.json<{ status: string; outputs: { lead: Record<string, string> } }>();
    expect([status, outputs.lead['draftText'], outputs.lead['summary']]).toEqual([
      'pending',
      'Dear Ada',
      'Send?',
    ]);
    const token = outputs.lead['reviewUrl']?.split('/').at(-1) ?? '';
    const body = { action: 'edit', edited_text: 'Dear Countess' };
    expect((await app.call('POST', `/api/hitl/${token}/decision`, body)).statusCode).toBe(202);
    await until(async () => (await loadHistory(id))[0]?.status === 'success');
    const [run] = await loadHistory(id);
    expect(run).toMatchObject({ status: 'success' });
    // The question and the answer after the decision: nothing was asked twice.
    expect(server.seen).toHaveLength(2);
  });

  it.each([
    ['accept', {}, 'ask for 100'],
    ['edit', { edited_text: '{"variableValue": "ask for 50"}' }, 'ask for 50'],
    ['refuse', { refusal_reason: 'too much' }, ''],
  ])(
    '§3.1 pending: a tool under review waits for a person, who decides "%s"',
    async (action, more, noted) => {
      answers = (_call, turn) =>
        turn === 0 ? asksFor('note', { variableValue: 'ask for 100' }) : says('Noted');
      const agent = { credentialId, model: 'm1', userMessage: '$start.text', hitlEnabled: true };
      const document = graph(
        [
          ['start', 'textInput'],
          ['lead', 'agent', { ...agent, toolReviews: [{ tool: 'note', mode: 'always' }] }],
          ['note', 'variable', { variableName: 'noted', agentProvidedFields: ['variableValue'] }],
          ['out', 'output', { message: '$lead.text|$vars.noted' }],
        ],
        ['start>lead', 'note:tool-output>lead:tool-input', 'lead>out'],
      );
      const id = await createWorkflow(user, document);
      const answer = await app.call('POST', executeUrl(id), { text: 'go' });
      const { status, outputs } = answer.json<{
        status: string;
        outputs: { lead: Record<string, string> };
      }>();
      expect([status, outputs.lead['summary']]).toEqual(['pending', 'The agent wants to use "note"']);
      expect(outputs.lead['draftText']).toContain('ask for 100');
      const token = outputs.lead['reviewUrl']?.split('/').at(-1) ?? '';
      const decided = await app.call('POST', `/api/hitl/${token}/decision`, { action, ...more });
      expect(decided.statusCode).toBe(202);
      await until(async () => (await loadHistory(id))[0]?.status === 'success');
      const [item] = await loadHistory(id);
      const run = (await user.call('GET', `/api/workflows/${id}/history/${item?.id}`)).json<{
        node_results: { node_label: string; output: { tool_calls?: object[]; variables?: object } }[];
      }>();
      const lead = run.node_results.findLast(({ node_label }) => node_label === 'lead')?.output;
      const refused = action === 'refuse';
      expect(lead).toMatchObject({
        text: refused ? '' : 'Noted',
        tool_calls: [{ name: 'note', source: 'node_tool' }],
      });
      const out = run.node_results.find(({ node_label }) => node_label === 'out')?.output;
      expect(JSON.stringify(out)).toContain(refused ? '"|' : `Noted|${noted}`);
      // The question, and the answer after a decision that let the agent continue.
      expect(server.seen).toHaveLength(refused ? 1 : 2);
    },
  );

  it('an agent reads the web through the guard of the service, and gets what it reads as data', async () => {
    const site = await startSite();
    try {
      const config = { base_url: site.url };
      const made = await user.call('POST', '/api/credentials', { name: 'search', type: 'searxng', config });
      answers = (_call, turn) => {
        if (turn === 0) return asksFor('web_search', { query: 'tea' });
        if (turn === 1) return asksFor('fetch_url', { url: `${site.url}/page` });
        return turn === 2 ? asksFor('fetch_url', { url: site.url.replace('//', '//ada@') }) : says('Read');
      };
      const web = { webFetchEnabled: true, webSearchCredentialId: made.json<{ id: string }>().id };
      const id = await createWorkflow(user, agentGraph(web));
      const answer = await user.call('POST', executeUrl(id), { text: 'go' });
      expect(answer.json()).toMatchObject({ status: 'success', outputs: { out: { result: 'Read' } } });
      const sent = (at: number) => JSON.stringify(server.seen[at]?.body);
      expect(sent(0)).not.toContain('<data tool');
      expect(sent(1)).toContain('Tea shop');
      expect(sent(2)).toMatch(/<data tool=.*# Opening hours/);
      expect(sent(3)).toContain('must not contain a user name');
      expect(site.seen).toEqual(['/search?q=tea&format=json', '/page']);
    } finally {
      site.close();
    }
  });

  it('an agent called by another agent has its own row in the history, with its answer, tools and steps', async () => {
    const scouts = { lead: ['scout', 'broken'], scout: ['deep'] };
    answers = ({ body }, turn) => {
      switch (body?.['model']) {
        case 'deep':
          return says('Deep down');
        case 'broken':
          return refuse(400, { error: { message: 'no such model' } });
        case 'scout':
          return turn === 0
            ? asksFor('call_sub_agent', { sub_agent_label: 'deep', prompt: 'deeper' })
            : says('Found it');
        default:
          if (turn > 1) return says('All done');
          return asksFor('call_sub_agent', { sub_agent_label: scouts.lead[turn], prompt: 'search' });
      }
    };
    const agent = (model: string, subAgentLabels: string[] = []) => ({
      credentialId,
      model,
      userMessage: '$input.text',
      isOrchestrator: subAgentLabels.length > 0,
      subAgentLabels,
    });
    const document = graph(
      [
        ['start', 'textInput'],
        ['lead', 'agent', { ...agent('m1', scouts.lead), userMessage: '$start.text' }],
        ['scout', 'agent', agent('scout', scouts.scout)],
        ['deep', 'agent', agent('deep')],
        ['broken', 'agent', agent('broken')],
        ['out', 'output', { message: '$lead.text' }],
      ],
      ['start>lead', 'lead>out'],
    );
    const id = await createWorkflow(user, document);
    expect((await user.call('POST', executeUrl(id), { text: 'go' })).json()).toMatchObject({
      outputs: { out: { result: 'All done' } },
    });
    const [item] = (await user.call('GET', `/api/workflows/${id}/history`)).json<{
      items: { id: string }[];
    }>().items;
    const run = (await user.call('GET', `/api/workflows/${id}/history/${item?.id}`)).json<{
      node_results: { node_label: string; metadata: { steps?: { key: string; output: object }[] } }[];
    }>();
    const rows = run.node_results;
    expect(rows.map(({ node_label }) => node_label)).toEqual([
      'start',
      'deep',
      'scout',
      'broken',
      'lead',
      'out',
    ]);
    const invocation = 'sub_agent_tool';
    expect(rows.slice(1, 4)).toMatchObject([
      { status: 'success', output: { text: 'Deep down' }, metadata: { invocation, called_by: 'lead' } },
      {
        node_type: 'agent',
        output: { text: 'Found it', tool_calls: [{ name: 'call_sub_agent', result: 'Deep down' }] },
      },
      { status: 'error', error: expect.stringContaining('no such model') },
    ]);
    const listStepKeys = (at: number) => rows[at]?.metadata.steps?.map(({ key }) => key) ?? [];
    expect(listStepKeys(2)).toEqual(expect.arrayContaining(['model-1', 'tool-1-1', 'model-2']));
    expect(listStepKeys(4)).toEqual(expect.arrayContaining(['model-1', 'tool-1-1', 'tool-2-1', 'model-3']));
    expect(listStepKeys(4).filter((key) => key.includes('model-'))).toHaveLength(3);
    expect(JSON.stringify(rows[4]?.metadata.steps)).not.toContain('called');
  });

  it('a node on the tool handle runs only for the agent, and is no start of the workflow', async () => {
    answers = ({ body }, turn) =>
      turn === 0
        ? asksFor('shape', {})
        : says(String((body as { messages: { content: unknown }[] }).messages.at(-1)?.content));
    const document = agentGraph({});
    const tool = {
      id: 'tool',
      type: 'set',
      position: { x: 0, y: 0 },
      data: { label: 'shape', mappings: [{ key: 'said', value: '$start.text' }] },
    };
    const edge = {
      id: 'e',
      source: 'tool',
      target: 'lead',
      sourceHandle: 'tool-output',
      targetHandle: 'tool-input',
    };
    const made = await user.call('POST', '/api/workflows/import', {
      document: { name: 'With a tool', nodes: [...document.nodes, tool], edges: [...document.edges, edge] },
    });
    expect(made.statusCode, made.body).toBeLessThan(300);
    const { workflow } = made.json<{ workflow: { id: string } }>();
    const read = (await user.call('GET', `/api/workflows/${workflow.id}`)).json<{ edges: object[] }>();
    expect(read.edges).toContainEqual(edge);
    const answer = await user.call(
      'POST',
      executeUrl(workflow.id),
      { text: 'go' },
      { 'x-simple-response': 'false' },
    );
    const { outputs, node_results } = answer.json<{ outputs: object; node_results: { node_id: string }[] }>();
    expect(outputs).toEqual({ out: { result: '{"said":"go"}' } });
    if (node_results) expect(node_results.map(({ node_id }) => node_id)).not.toContain('tool');
  });
});
