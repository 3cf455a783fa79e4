import type { SourceNode } from '../../source/source.ts';
import { type Kind, NotConvertible, type Target } from '../kind.ts';
import { readScript, type Script } from './script.ts';

/** The package that provides n8n's `DateTime`; installed for the container. */
const LUXON = 'luxon@3.7.2';

/** The names of n8n in code, for the item at `$itemIndex`. */
const INPUT =
  'const $json = (items[$itemIndex] ?? {}).json; const $input = { all: () => items, first: () => items[0], ' +
  'last: () => items[items.length - 1], item: items[$itemIndex] };';

/** `$('name')` and its older forms, over the lists that come in beside the items. */
const NODES =
  'const $ = (name) => { const list = (lists[name] ?? []).map((json) => ({ json })); return { all: () => list, ' +
  'first: () => list[0], last: () => list[list.length - 1], json: list[0]?.json, itemMatching: (index) => list[index], ' +
  'item: list.length === items.length ? list[$itemIndex] : list[0], isExecuted: list.some(({ json }) => json != null) }; }; ' +
  'const $items = (name) => (name === undefined ? items : $(name).all()); ' +
  'const $node = new Proxy({}, { get: (_, name) => $(name) });';

const DATES =
  "const { DateTime } = require('luxon'); const $now = DateTime.now(); const $today = $now.startOf('day');";
const FACTS = 'const $execution = { id: facts.id }; const $workflow = { name: facts.name };';

interface Frame {
  readonly read: Script;
  readonly isEach: boolean;
  /** `item` is the data itself, as in the oldest node. */
  readonly hasPlainItem: boolean;
}

/** Everything that the script needs is in the lines before it, so that the lines of errors stay nearly the same. */
function around(script: string, { read, isEach, hasPlainItem }: Frame): string {
  // Code may assign these two, and without strict mode it may assign a name that nothing declares.
  const item = hasPlainItem ? 'let item = $json;' : isEach ? 'let item = items[$itemIndex];' : 'let item;';
  const needed = [
    INPUT,
    read.nodes.length > 0 || read.usesItems ? NODES : '',
    read.usesDates ? DATES : '',
    read.usesFacts ? FACTS : '',
    item,
  ].filter((line) => line !== '');
  const rounds = isEach ? 'items.keys()' : '[0]';
  return `async function main({ items: values, lists = {}, facts = {} }) { let items = values.map((json) => ({ json })); const results = [];
for (const $itemIndex of ${rounds}) { ${needed.join(' ')} results.push(await (async () => {
${script}
})()); }
return results.flat().filter((item) => item != null).map((item) => item.json ?? item); }
`;
}

/** The lists that the code reads, as parameters of the node. */
function buildParameters(to: Target, { nodes, usesFacts }: Script): string {
  const lists = nodes.map((name) => [name, to.listItems(name)]);
  return JSON.stringify({
    items: to.list(),
    ...(lists.length === 0 ? {} : { lists: Object.fromEntries(lists) }),
    ...(usesFacts ? { facts: { id: '$executionId', name: '$workflowName' } } : {}),
  });
}

/** Code becomes the function of a Code node: the list comes in, and the list that it returns goes out. */
const scripted = (key: string, isEach: (node: SourceNode) => boolean): Kind => ({
  takesList: true,
  view: () => ({ first: '.result[0]', list: '.result' }),
  convert: (node, to) => {
    const { params } = to;
    if (params.text('language', 'javaScript') !== 'javaScript')
      throw new NotConvertible('its code is Python');
    params.get('mode');
    const script = params.text(key);
    const read = readScript(script);
    to.say('It needs a container engine; see the guide of Code', 'codeSource');
    if (read.passesFiles) to.say('Files of items are not handed on by code here', 'codeSource');
    const packages = [...(read.usesDates ? [LUXON] : []), ...read.packages];
    const hasPlainItem = node.type === 'functionItem';
    return {
      type: 'code',
      data: {
        codeLanguage: 'javascript',
        codeSource: around(script, { read, isEach: isEach(node), hasPlainItem }),
        codeParameters: buildParameters(to, read),
        ...(packages.length === 0 ? {} : { codeRequirements: packages.join('\n') }),
      },
    };
  },
});

export const code: Readonly<Record<string, Kind>> = {
  code: scripted('jsCode', ({ parameters }) => parameters['mode'] === 'runOnceForEachItem'),
  function: scripted('functionCode', () => false),
  functionItem: scripted('functionCode', () => true),
};
