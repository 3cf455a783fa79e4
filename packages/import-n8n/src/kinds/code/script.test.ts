import { createRequire } from 'node:module';
import { runInNewContext } from 'node:vm';
import type { Json, JsonObject } from '@millrace/engine';
import { describe, expect, it } from 'vitest';
import { base, convert } from '../../testing/converted.ts';
import { readScript } from './script.ts';

const main = (...targets: readonly string[]): Json[] =>
  targets.map((node) => ({ node, type: 'main', index: 0 }));

/** Rows, one object, and code after both. */
function coded(type: string, parameters: JsonObject) {
  const { node, lines } = convert({
    nodes: [
      { name: 'Rows', type: base('postgres'), parameters: { operation: 'select', table: 't' } },
      {
        name: 'One',
        type: base('set'),
        typeVersion: 3.4,
        parameters: { assignments: { assignments: [{ name: 'x', value: 1 }] } },
      },
      { name: 'Own', type: base('splitOut'), parameters: { fieldToSplitOut: 'list' } },
      { name: 'Code', type: base(type), typeVersion: 2, parameters },
    ],
    connections: {
      Rows: { main: [main('One')] },
      One: { main: [main('Own')] },
      Own: { main: [main('Code')] },
    },
  });
  return { data: node('Code')?.data ?? {}, type: node('Code')?.type, lines: lines('Code') };
}

const own = [{ n: 1 }, { n: 2 }];
const rows = [{ id: 'a' }, { id: 'b' }];

async function run(type: string, parameters: JsonObject): Promise<Json[]> {
  const { data } = coded(type, parameters);
  const entry = runInNewContext(`${String(data['codeSource'])}; main`, {
    require: createRequire(import.meta.url),
  }) as (params: JsonObject) => Promise<Json[]>;
  const facts = { id: 'run 1', name: 'Shop' };
  const results = await entry(structuredClone({ items: own, lists: { Rows: rows, One: [{ x: 1 }] }, facts }));
  return JSON.parse(JSON.stringify(results)) as Json[];
}

describe('code of n8n', () => {
  it.each<[string, string, Json[]]>([
    ["return $('Rows').all();", 'items of another node', rows],
    ["return [{ json: $('Rows').first().json }];", 'its first item', [{ id: 'a' }]],
    [
      "return { id: $('Rows').last().json.id, x: $('One').item.json.x };",
      'its last item',
      [{ id: 'b', x: 1 }],
    ],
    ['return $items("Rows").map(({ json }) => json);', 'items by the older name', rows],
    ['return $items("Rows", 0, 0).slice(1);', 'of the first output', [{ id: 'b' }]],
    ['return $items();', 'its own items', own],
    ['return { x: $node["One"].json.x + $node.One.json.x };', 'the data of a node', [{ x: 2 }]],
    [
      'return { id: $execution.id, name: $workflow.name };',
      'facts of the run',
      [{ id: 'run 1', name: 'Shop' }],
    ],
    ["return { ran: $('One').isExecuted };", 'whether a node ran', [{ ran: true }]],
    ['class A { b = 1; get() { return this.b; } } return { b: new A().get() };', 'a class', [{ b: 1 }]],
    [
      "const hash = require('crypto').createHash('md5'); return { h: hash.update('a').digest('hex') };",
      'a module of Node.js',
      [{ h: '0cc175b9c0f1b6a831c399e269772661' }],
    ],
    ['return [];', 'no items', []],
    ['items = items.slice(1);\nreturn items;', 'items that it assigns', [{ n: 2 }]],
    ['for (item of items) item.json.n += 1;\nreturn items;', 'an item that it assigns', [{ n: 2 }, { n: 3 }]],
    ['for (const item of items) item.json.n += 1;\nreturn items;', 'changed items', [{ n: 2 }, { n: 3 }]],
  ])('%s hands on %s', async (jsCode, _, expected) => {
    expect(await run('code', { jsCode })).toEqual(expected);
  });

  it.each<[string, JsonObject, Json[]]>([
    [
      'code',
      { mode: 'runOnceForEachItem', jsCode: 'return { m: $json.n * 10, i: $itemIndex };' },
      [
        { m: 10, i: 0 },
        { m: 20, i: 1 },
      ],
    ],
    [
      'code',
      { mode: 'runOnceForEachItem', jsCode: 'item.json.m = 1; return item;' },
      [
        { n: 1, m: 1 },
        { n: 2, m: 1 },
      ],
    ],
    ['code', { mode: 'runOnceForEachItem', jsCode: "return { json: $('Rows').item.json };" }, rows],
    [
      'code',
      {
        mode: 'runOnceForEachItem',
        jsCode: 'if ($input.item.json.n > 1) return { big: true }; return null;',
      },
      [{ big: true }],
    ],
    [
      'code',
      { mode: 'runOnceForEachItem', jsCode: 'item = { json: { m: item.json.n } };\nreturn item;' },
      [{ m: 1 }, { m: 2 }],
    ],
    ['functionItem', { functionCode: 'item = { m: item.n };\nreturn item;' }, [{ m: 1 }, { m: 2 }]],
    [
      'functionItem',
      { functionCode: 'item.m = item.n + 1;\nreturn item;' },
      [
        { n: 1, m: 2 },
        { n: 2, m: 3 },
      ],
    ],
  ])('of %s with %j runs once for each item', async (type, parameters, expected) => {
    expect(await run(type, parameters)).toEqual(expected);
  });

  it('takes in the lists that it reads, and nothing else', () => {
    expect(coded('code', { jsCode: "return $('Rows').all();" }).data['codeParameters']).toBe(
      '{"items":"$Own.items","lists":{"Rows":"$Rows.rows"}}',
    );
    expect(coded('code', { jsCode: 'return items;' }).data['codeParameters']).toBe('{"items":"$Own.items"}');
  });

  it('gets its packages installed', () => {
    const script = "const _ = require('lodash'); return { at: DateTime.now().toISO(), n: _.sum([1]) };";
    expect(coded('code', { jsCode: script }).data['codeRequirements']).toBe('luxon@3.7.2\nlodash');
  });

  it('hands on files no longer, and says so', () => {
    const { type, lines } = coded('code', {
      jsCode: 'return items.map((i) => ({ json: i.json, binary: i.binary }));',
    });
    expect(type).toBe('code');
    expect(lines).toContain('Files of items are not handed on by code here');
  });

  it.each([
    ['return $getWorkflowStaticData("global");', /\$getWorkflowStaticData/],
    ['return $(name).all();', /fixed name of a node/],
    ['return $("A").params;', /"params" of a node/],
    ['return $items("A", 1);', /fixed name of a node/],
    ['return $node[name];', /fixed name of a node/],
    ['return await this.helpers.httpRequest({});', /"this"/],
    ['const f = () => this.x; return f();', /"this"/],
    ['return items[0].binary.data.fileName;', /reads files/],
    ['return require("fs").readFileSync("/a");', /loads "fs"/],
    ['return require("../a");', /loads "..\/a"/],
    ['return import("a");', /"import"/],
    ['return $input.params;', /more of \$input/],
    ['return $env.A;', /uses \$env/],
    ['return $execution.resumeUrl;', /uses \$execution/],
    ['return {', /can be read/],
  ])('%s is kept', (script, reason) => {
    expect(() => readScript(script)).toThrow(reason);
  });

  it.each([
    'return "$getWorkflowStaticData";',
    '// $env\nreturn { text: `this is $env` };',
    'return { this: 1, $env: 2, require: 3 };',
    'const { a } = $json; return { a: a.this, b: a.require };',
  ])('%s only has such words in texts and keys', (script) => {
    expect(() => readScript(script)).not.toThrow();
  });

  it('reads code that is nested deep without running out of stack', () => {
    const deep = `return ${'['.repeat(5_000)}${']'.repeat(5_000)};`;
    expect(() => readScript(deep)).toThrow(/nested too deep|can be read/);
  });
});
