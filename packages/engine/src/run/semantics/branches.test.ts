import { describe, expect, it } from 'vitest';
import { type DrawnNodes, draw, runTestNode, runToEnd, testCatalog } from '../../testing/index.ts';
import { compileWorkflow } from '../../workflow/compile.ts';

interface Row {
  name: string;
  graph: string;
  nodes?: DrawnNodes;
  input?: Record<string, string | number | boolean>;
  statuses: Record<string, 'success' | 'error' | 'skipped'>;
}

const yes = { type: 'condition', condition: 'true' };
const no = { type: 'condition', condition: 'false' };

const rows: Row[] = [
  {
    name: 'a join waits for all its parents and runs once',
    graph: `
      start -> a -> join
      start -> b -> join`,
    statuses: { start: 'success', a: 'success', b: 'success', join: 'success' },
  },
  {
    name: 'the side of a condition that is not taken is skipped with all that only it leads to',
    graph: `
      start -> if
      if:true -> a -> a2
      if:false -> b -> b2 -> b3`,
    nodes: { if: yes },
    statuses: {
      start: 'success',
      if: 'success',
      a: 'success',
      a2: 'success',
      b: 'skipped',
      b2: 'skipped',
      b3: 'skipped',
    },
  },
  {
    name: 'a join behind both sides runs with what the taken side delivers',
    graph: `
      start -> if
      if:true -> a -> join
      if:false -> b -> join`,
    nodes: { if: no },
    statuses: { start: 'success', if: 'success', a: 'skipped', b: 'success', join: 'success' },
  },
  {
    name: 'an edge from a condition without a handle follows the true side',
    graph: `
      start -> if -> a`,
    nodes: { if: no },
    statuses: { start: 'success', if: 'success', a: 'skipped' },
  },
  {
    name: 'a switch takes one case',
    graph: `
      start -> sw
      sw:case-0 -> a
      sw:case-1 -> b
      sw:default -> c`,
    nodes: { sw: { type: 'switch', expression: '$start.kind', cases: ['x', 'y'] } },
    input: { kind: 'y' },
    statuses: { start: 'success', sw: 'success', a: 'skipped', b: 'success', c: 'skipped' },
  },
  {
    name: 'a switch edge may name its case by the bare index',
    graph: `
      start -> sw
      sw:0 -> a
      sw:1 -> b`,
    nodes: { sw: { type: 'switch', expression: '$start.kind', cases: ['x', 'y'] } },
    input: { kind: 'x' },
    statuses: { start: 'success', sw: 'success', a: 'success', b: 'skipped' },
  },
  {
    name: 'two edges between the same nodes count as two',
    graph: `
      start -> if
      if:true -> a
      if:false -> a`,
    nodes: { if: yes },
    statuses: { start: 'success', if: 'success', a: 'success' },
  },
  {
    name: 'all roots run, regardless of what started the run',
    graph: `
      start -> a
      loose -> b`,
    statuses: { start: 'success', a: 'success', loose: 'success', b: 'success' },
  },
  {
    name: 'an inactive node is skipped and its children run',
    graph: 'start -> off -> next',
    nodes: { off: { active: false } },
    statuses: { start: 'success', off: 'skipped', next: 'success' },
  },
  {
    name: 'an inactive condition opens both sides, but not its error side',
    graph: `
      start -> off
      off:true -> a
      off:false -> b
      off:error -> c`,
    nodes: { off: { type: 'condition', active: false, onErrorEnabled: true } },
    statuses: { start: 'success', off: 'skipped', a: 'success', b: 'success', c: 'skipped' },
  },
  {
    name: 'a guard holds although another parent leads to the node as well',
    graph: `
      start -> payload -> post -> report
      start -> isOk
      isOk:true -> post`,
    nodes: { isOk: no },
    statuses: {
      start: 'success',
      payload: 'success',
      isOk: 'success',
      post: 'skipped',
      report: 'skipped',
    },
  },
  {
    name: 'a guard lets the node run with all its parents when its side is taken',
    graph: `
      start -> payload -> post
      start -> isOk
      isOk:true -> post`,
    nodes: { isOk: yes },
    statuses: { start: 'success', payload: 'success', isOk: 'success', post: 'success' },
  },
  {
    name: 'a guard reaches through nodes in between, and stops where a taken side leads as well',
    graph: `
      start -> isOk
      start -> payload
      isOk:true -> prepare -> post -> join
      payload -> post
      isOk:false -> refuse -> join
      payload -> join`,
    nodes: { isOk: no },
    statuses: {
      start: 'success',
      isOk: 'success',
      payload: 'success',
      prepare: 'skipped',
      post: 'skipped',
      refuse: 'success',
      join: 'success',
    },
  },
  {
    name: 'each of several guards holds by itself',
    graph: `
      start -> one
      start -> two
      one:true -> post
      two:true -> post`,
    nodes: { one: yes, two: no },
    statuses: { start: 'success', one: 'success', two: 'success', post: 'skipped' },
  },
  {
    name: 'a guard that leaves joins open skips only what no other way leads to',
    graph: `
      start -> payload -> post -> report
      start -> isOk
      isOk:true -> only -> post
      start -> pick
      pick:case-0 -> post`,
    nodes: {
      isOk: { ...no, closesJoins: false },
      pick: { type: 'switch', expression: '$start.kind', cases: ['x'], closesJoins: false },
    },
    input: { kind: 'y' },
    statuses: {
      start: 'success',
      payload: 'success',
      isOk: 'success',
      pick: 'success',
      only: 'skipped',
      post: 'success',
      report: 'success',
    },
  },
  {
    name: 'a node that follows errors leaves joins open when it is set to',
    graph: `
      start -> payload -> post
      start -> one
      one:error -> only -> post`,
    nodes: { one: { onErrorEnabled: true, closesJoins: false } },
    statuses: { start: 'success', payload: 'success', one: 'success', only: 'skipped', post: 'success' },
  },
  {
    name: 'guards that leave joins open skip a node when none of its ways is taken',
    graph: `
      start -> one
      start -> two
      one:true -> a -> post
      two:true -> b -> post`,
    nodes: { one: { ...no, closesJoins: false }, two: { ...no, closesJoins: false } },
    statuses: {
      start: 'success',
      one: 'success',
      two: 'success',
      a: 'skipped',
      b: 'skipped',
      post: 'skipped',
    },
  },
  {
    name: 'a guard that is skipped itself decides nothing',
    graph: `
      start -> outer
      outer:false -> inner
      inner:true -> post
      outer:true -> post`,
    nodes: { outer: yes, inner: no },
    statuses: { start: 'success', outer: 'success', inner: 'skipped', post: 'success' },
  },
  {
    name: 'a failure that continues at the error handle guards nothing on its normal side: joins run with their other parents',
    graph: `
      start -> call
      start -> payload
      call -> store
      payload -> store
      call -> only
      call:error -> alarm
      payload -> alarm`,
    nodes: { call: { fails: 'no', onErrorEnabled: true } },
    statuses: {
      start: 'success',
      payload: 'success',
      call: 'success',
      store: 'success',
      only: 'skipped',
      alarm: 'success',
    },
  },
  {
    name: 'a switch closes the cases it did not take, for nodes with other parents too',
    graph: `
      start -> sw
      start -> payload
      sw:case-0 -> a
      payload -> a
      sw:case-1 -> b
      payload -> b`,
    nodes: { sw: { type: 'switch', expression: '$start.kind', cases: ['x', 'y'] } },
    input: { kind: 'y' },
    statuses: { start: 'success', sw: 'success', payload: 'success', a: 'skipped', b: 'success' },
  },
  {
    name: 'the error side of a success stays closed for nodes with other parents',
    graph: `
      start -> call
      start -> payload -> alarm
      call:error -> alarm`,
    nodes: { call: { onErrorEnabled: true } },
    statuses: { start: 'success', call: 'success', payload: 'success', alarm: 'skipped' },
  },
  {
    name: 'an alert that several nodes share runs when one of them fails',
    graph: `
      start -> a
      start -> b
      start -> c
      a:error -> alert
      b:error -> alert
      c:error -> alert`,
    nodes: {
      a: { onErrorEnabled: true },
      b: { fails: 'no', onErrorEnabled: true },
      c: { onErrorEnabled: true },
    },
    statuses: { start: 'success', a: 'success', b: 'success', c: 'success', alert: 'success' },
  },
  {
    name: 'an alert that nodes of one chain share runs when a later one fails',
    graph: `
      start -> a -> b -> c
      a:error -> alert
      b:error -> text -> alert
      c:error -> alert
      start -> payload -> alert`,
    nodes: {
      a: { onErrorEnabled: true },
      b: { fails: 'no', onErrorEnabled: true },
      c: { onErrorEnabled: true },
    },
    statuses: {
      start: 'success',
      a: 'success',
      b: 'success',
      c: 'skipped',
      text: 'success',
      payload: 'success',
      alert: 'success',
    },
  },
  {
    name: 'an alert that several nodes share is skipped when none of them fails, even if other nodes lead to it',
    graph: `
      start -> a
      start -> b
      a:error -> alert
      b:error -> alert
      start -> payload -> alert`,
    nodes: { a: { onErrorEnabled: true }, b: { onErrorEnabled: true } },
    statuses: { start: 'success', a: 'success', b: 'success', payload: 'success', alert: 'skipped' },
  },
  {
    name: 'a failure elsewhere opens no alert that does not follow it',
    graph: `
      start -> a
      start -> b
      a:error -> alert
      b:error -> other
      start -> payload -> alert`,
    nodes: { a: { onErrorEnabled: true }, b: { fails: 'no', onErrorEnabled: true } },
    statuses: {
      start: 'success',
      a: 'success',
      b: 'success',
      payload: 'success',
      other: 'success',
      alert: 'skipped',
    },
  },
  {
    name: 'a decision that is not taken keeps a shared alert closed',
    graph: `
      start -> a
      start -> isOk
      a:error -> alert
      isOk:true -> alert`,
    nodes: { a: { fails: 'no', onErrorEnabled: true }, isOk: no },
    statuses: { start: 'success', a: 'success', isOk: 'success', alert: 'skipped' },
  },
  {
    name: 'an inactive guard guards nothing',
    graph: `
      start -> isOk
      isOk:true -> post
      start -> payload -> post`,
    nodes: { isOk: { ...no, active: false } },
    statuses: { start: 'success', isOk: 'skipped', payload: 'success', post: 'success' },
  },
  {
    name: 'notes do not run and do not count',
    graph: 'start -> a',
    nodes: { hint: 'note' },
    statuses: { start: 'success', a: 'success' },
  },
  {
    name: 'an output that nothing leads to is skipped',
    graph: 'start -> a',
    nodes: { lone: { type: 'output' } },
    statuses: { start: 'success', a: 'success', lone: 'skipped' },
  },
  {
    name: 'nodes that only an output leads to are skipped',
    graph: `
      start -> out -> after -> later
      start -> later`,
    nodes: { out: { type: 'output' } },
    statuses: { start: 'success', out: 'success', after: 'skipped', later: 'success' },
  },
  {
    name: 'an edge from an output that ends the run is no way in: a decision before it closes nothing behind it',
    graph: `
      start -> if
      if:true -> out -> join
      start -> payload -> join`,
    nodes: { if: no, out: { type: 'output' } },
    statuses: { start: 'success', if: 'success', out: 'skipped', payload: 'success', join: 'success' },
  },
  {
    name: 'an edge from an output that ends the run opens nothing either',
    graph: `
      start -> if
      if:true -> out -> post
      if:false -> post
      start -> payload -> post`,
    nodes: { if: yes, out: { type: 'output' } },
    statuses: { start: 'success', if: 'success', out: 'success', payload: 'success', post: 'skipped' },
  },
  {
    name: 'nodes behind a node that only an output leads to keep their other parents, without its guards',
    graph: `
      start -> if
      if:true -> out -> after -> join
      start -> join`,
    nodes: { if: no, out: { type: 'output' } },
    statuses: { start: 'success', if: 'success', out: 'skipped', after: 'skipped', join: 'success' },
  },
  {
    name: 'an edge from an output that ends the run closes no cycle',
    graph: `
      start -> a -> out -> a`,
    nodes: { out: { type: 'output' } },
    statuses: { start: 'success', a: 'success', out: 'success' },
  },
  {
    name: 'an output of the error flow does not take along nodes of the main flow',
    graph: `
      handler -> out -> report -> end
      start -> report`,
    nodes: { handler: 'handler', out: { type: 'output' } },
    statuses: { start: 'success', report: 'success', end: 'success' },
  },
  {
    name: 'nodes behind an output that answers early run',
    graph: 'start -> out -> after',
    nodes: { out: { type: 'output', allowDownstream: true } },
    statuses: { start: 'success', out: 'success', after: 'success' },
  },
  {
    name: 'edges that hang tools onto an agent schedule nothing',
    graph: 'start -> agent\nstart -> helper -> agent@tool-input',
    nodes: { helper: { fails: 'helper' } },
    statuses: { start: 'success', agent: 'success', helper: 'error' },
  },
  {
    name: 'a node that only hangs on an agent as its tool does not start by itself',
    graph: 'start -> agent\nhelper -> agent@tool-input',
    nodes: { helper: { fails: 'helper' } },
    statuses: { start: 'success', agent: 'success' },
  },
  {
    name: 'agents that an orchestrator names do not start by themselves',
    graph: 'start -> lead',
    nodes: {
      lead: { type: 'agent', passInputsOn: true, isOrchestrator: true, subAgentLabels: ['sub', 'lead'] },
      sub: { type: 'agent' },
      other: { type: 'agent', passInputsOn: true },
    },
    statuses: { start: 'success', lead: 'success', other: 'success' },
  },
  {
    name: 'a node of an unknown type hands its inputs on when it is told to',
    graph: 'start -> foreign -> next',
    nodes: { foreign: { type: 'telepathy', passInputsOn: true } },
    statuses: { start: 'success', foreign: 'success', next: 'success' },
  },
  {
    name: 'a node of an unknown type fails the run',
    graph: 'start -> foreign -> next',
    nodes: { foreign: { type: 'telepathy' } },
    statuses: { start: 'success', foreign: 'error' },
  },
  {
    name: 'a trigger of an unknown type is skipped with what only it leads to',
    graph: 'start -> next\nforeign -> only\nforeign -> next',
    nodes: { foreign: { type: 'telepathyTrigger' } },
    statuses: { start: 'success', next: 'success', foreign: 'skipped', only: 'skipped' },
  },
  {
    name: 'a trigger of an unknown type that is the only start fails the run',
    graph: 'foreign -> next',
    nodes: { foreign: { type: 'telepathyTrigger' } },
    statuses: { foreign: 'error' },
  },
];

describe('branches and joins', () => {
  it.each(rows)('$name', async ({ graph, nodes, input, statuses }) => {
    const workflow = compileWorkflow(draw(graph, nodes), testCatalog);
    const run = await runToEnd(workflow, { input: input ?? {} });
    expect(run.statuses).toEqual(statuses);
  });

  it('edges that lead to nowhere or come from there are ignored', async () => {
    const document = draw('start -> a');
    document.edges.push(
      { id: 'x', source: 'start', target: 'gone' },
      { id: 'y', source: 'gone', target: 'a' },
    );
    const run = await runToEnd(compileWorkflow(document, testCatalog));
    expect(run.statuses).toEqual({ start: 'success', a: 'success' });
  });

  it('a decision that fails takes none of its sides, so what is behind them stays guarded', async () => {
    const document = draw(
      `
      start -> isOk
      start -> payload
      isOk:true -> post
      payload -> post
      isOk:error -> alarm`,
      { isOk: { ...yes, onErrorEnabled: true } },
    );
    const failure = { kind: 'upstream', message: 'no' } as const;
    const run = await runToEnd(compileWorkflow(document, testCatalog), {
      host: { runNode: (task) => (task.node.id === 'isOk' ? { failure } : runTestNode(task)) },
    });
    expect(run.statuses).toMatchObject({ isOk: 'success', post: 'skipped', alarm: 'success' });
  });

  it('a shared alert is decided as before when the run continues on another process', async () => {
    const graph = `
      start -> a
      start -> b -> store
      a:error -> alert
      b:error -> text -> alert
      start -> store`;
    const nodes = { a: { onErrorEnabled: true }, b: { fails: 'no', onErrorEnabled: true } };
    const workflow = compileWorkflow(draw(graph, nodes), testCatalog);
    const whole = await runToEnd(workflow);
    expect(whole.statuses).toMatchObject({ alert: 'success', store: 'success' });
    for (let kept = 0; kept < whole.rows.length; kept++) {
      const rows = whole.rows.slice(0, kept);
      const recorded = (id: string) => rows.find(({ node_id }) => node_id === id);
      const rest = await runToEnd(workflow, { options: { last_sequence: 90 }, host: { recorded } });
      expect({
        ...Object.fromEntries(rows.map((row) => [row.node_id, row.status])),
        ...rest.statuses,
      }).toEqual(whole.statuses);
    }
  });

  it('a node behind an output that ends the run does not wait for it', async () => {
    const document = draw('start -> ask -> out -> join\nstart -> join', {
      ask: { pauses: true },
      out: { type: 'output' },
    });
    const run = await runToEnd(compileWorkflow(document, testCatalog));
    expect(run.status).toBe('pending');
    expect(run.statuses).toEqual({ start: 'success', join: 'success' });
  });

  it('an edge from an output that ends the run does not repeat a loop', async () => {
    const document = draw('start -> each\neach:loop -> out -> each@loop\neach:done -> after', {
      each: { type: 'loop', items: '$start.list' },
      out: { type: 'output' },
    });
    const run = await runToEnd(compileWorkflow(document, testCatalog), { input: { list: [1, 2] } });
    expect(run.statuses).toEqual({
      start: 'success',
      'each@0': 'success',
      'out@0': 'success',
      each: 'success',
      after: 'skipped',
    });
  });

  it('inputs come in edge order, without skipped parents, each parent once', async () => {
    const document = draw(
      `
      start -> if
      if:true -> a -> join
      if:false -> b -> join
      start -> c -> join
      c -> join`,
      { if: yes, a: { value: 1 }, c: { value: 2 } },
    );
    const run = await runToEnd(compileWorkflow(document, testCatalog));
    expect(Object.entries(run.output['join'] as object)).toEqual([
      ['a', 1],
      ['c', 2],
    ]);
  });

  it('a foreign node shows what it handed on', async () => {
    const document = draw('start -> foreign', { foreign: { type: 'telepathy', passInputsOn: true } });
    const run = await runToEnd(compileWorkflow(document, testCatalog), { input: { n: 1 } });
    expect(run.output['foreign']).toEqual({ passthrough: { start: { n: 1 } } });
  });

  it('other triggers are skipped with what only they lead to when one is named', async () => {
    const document = draw('start -> a -> join\ntimer -> b -> join', { timer: 'trigger' });
    const run = await runToEnd(compileWorkflow(document, testCatalog), {
      options: { only_trigger: 'timer' },
    });
    expect(run.statuses).toEqual({
      start: 'skipped',
      a: 'skipped',
      timer: 'success',
      b: 'success',
      join: 'success',
    });
  });

  it('pinned data stands in for a node in test runs only', async () => {
    const document = draw('start -> a -> if\nif:true -> b\nif:false -> c', {
      a: { value: 'real', pinnedData: 'pinned' },
      if: { type: 'condition', condition: 'true', pinnedData: { branch: 'false' } },
    });
    const workflow = compileWorkflow(document, testCatalog);
    const test = await runToEnd(workflow, { options: { test_run: true } });
    expect(test.output['a']).toEqual({ value: 'pinned' });
    expect([test.statuses['b'], test.statuses['c']]).toEqual(['skipped', 'success']);
    const production = await runToEnd(workflow);
    expect(production.output['a']).toBe('real');
    expect([production.statuses['b'], production.statuses['c']]).toEqual(['success', 'skipped']);
  });

  it('a plain cycle is refused with the way it takes, and nothing runs', async () => {
    const run = await runToEnd(compileWorkflow(draw('start -> a -> b -> c -> a'), testCatalog));
    expect(run.status).toBe('error');
    expect(run.outputs).toEqual({
      error:
        'These nodes wait for each other: a → b → c → a. Remove one of the edges, or repeat nodes with a loop node.',
    });
    expect(run.rows).toEqual([]);
  });

  it.each(['__proto__', 'constructor', 'prototype'])('a node called %s is refused by name', async (label) => {
    const run = await runToEnd(compileWorkflow(draw('start -> a', { a: { label } }), testCatalog));
    expect(run.outputs).toEqual({
      error: `A node is called "${label}", a name that is reserved. Give it another label.`,
    });
    expect(run.rows).toEqual([]);
  });

  it('a node that disables another one switches it off when it comes first', async () => {
    const document = draw('start -> off -> target -> end\nstart -> beside', {
      off: { disables: ['target', 'beside'] },
    });
    const run = await runToEnd(compileWorkflow(document, testCatalog));
    expect(run.statuses).toMatchObject({ target: 'skipped', end: 'success', beside: 'success' });
  });
});
