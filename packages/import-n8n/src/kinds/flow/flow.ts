import { isJsonObject, type Json, readText } from '@millrace/engine';
import { YEAR_SECONDS } from '@millrace/engine/units';
import { isTemplate, onlyScript } from '../../expression/field.ts';
import { isStringified } from '../../expression/json-hole.ts';
import { type Code, chain, enclosed, other } from '../../expression/value.ts';
import { Params } from '../../source/params.ts';
import type { SourceNode } from '../../source/source.ts';
import { PASSES_ON, viewOfRounds } from '../../views/views.ts';
import { readCalledWorkflow } from '../called-workflow.ts';
import { type Converted, type Kind, NotConvertible, type Target } from '../kind.ts';
import { filter, ifNode, switchNode } from './branches.ts';
import { merge } from './merge.ts';

const passesOn = () => PASSES_ON;

const isLoopOutput = ({ version }: SourceNode, index: number): boolean =>
  version >= 3 ? index === 1 : index === 0;

/** The items of a round. */
function readBatchSize(params: Params, { version }: SourceNode): number {
  const size = Math.trunc(params.number('batchSize', version >= 3 ? 1 : 10));
  return Math.min(Math.max(size, 1), MOST_IN_A_BATCH);
}

/** The lists that the rounds of a loop get. */
const BATCHES = 'Batches';
const MOST_IN_A_BATCH = 1_000_000;

const loop: Kind = {
  takesList: true,
  staysEmpty: true,
  view: (node, output, context) => {
    if (!isLoopOutput(node, output)) return viewOfRounds(context.rounds() ?? {});
    const isSingle = readBatchSize(new Params(node.parameters), node) === 1;
    return isSingle ? { first: '.item' } : { first: '.item[0]', list: '.item', hasItems: true };
  },
  output: (node, index) => (isLoopOutput(node, index) ? 'loop' : 'done'),
  convert: (node, to) => {
    const size = readBatchSize(to.params, node);
    const items = to.list();
    if (to.context.leadsOn('done') && to.context.rounds() === undefined)
      to.say('Nodes after the loop read what the last node of a round hands on; check what they read');
    if (size === 1) return { type: 'loop', data: { arrayExpression: items } };
    const data = { operation: 'parts', items, size };
    return {
      type: 'loop',
      data: { arrayExpression: `$${to.stepLabel(BATCHES)}.items` },
      before: [{ suffix: BATCHES, type: 'split', data }],
    };
  },
};

const MILLISECONDS: Readonly<Record<string, number>> = {
  seconds: 1e3,
  minutes: 6e4,
  hours: 36e5,
  days: 864e5,
};
const LONGEST = 30 * 864e5;

/** A time that is known when the node runs, as milliseconds from then. */
function dynamicDuration(to: Target): string {
  const { params } = to;
  const { code } = to.code(params.get('amount'));
  const times = MILLISECONDS[params.text('unit', 'seconds')];
  if (times === undefined) throw new NotConvertible('its unit is an expression');
  return `$int(float(concat(${code})) * ${times})`;
}

/** A call to the address of the run continues it, also without an answer after some time. */
function waitForCall(to: Target): Converted {
  const { params } = to;
  for (const key of ['httpMethod', 'responseMode', 'options']) params.get(key);
  const seconds = params.flag('limitWaitTime')
    ? (params.number('resumeAmount', 1) * (MILLISECONDS[params.text('resumeUnit', 'hours')] ?? 36e5)) / 1000
    : YEAR_SECONDS;
  params.get('limitType');
  if (params.text('incomingAuthentication', 'none') !== 'none')
    to.say('Callers of the address need no sign-in here: it is secret, and its holder can continue the run');
  to.say('The address that continues it is "url" of its output "waiting" here, and not $execution.resumeUrl');
  return {
    type: 'callback',
    data: { timeoutSeconds: Math.min(Math.max(Math.round(seconds), 1), YEAR_SECONDS) },
  };
}

const isCall = ({ parameters }: SourceNode): boolean => readText(parameters['resume']) === 'webhook';

const wait: Kind = {
  runsOnce: true,
  view: (node) => (isCall(node) ? {} : PASSES_ON),
  output: (node) => (isCall(node) ? 'called' : undefined),
  convert: (node, to) => {
    const { params } = to;
    const mode = params.text('resume', 'timeInterval');
    if (mode === 'webhook') return waitForCall(to);
    if (mode === 'specificTime') {
      const { code } = to.code(params.get('dateTime'));
      return { type: 'wait', data: { duration: `$max(0, dateOf(${code}).toMillis() - now.toMillis())` } };
    }
    if (mode !== 'timeInterval') throw new NotConvertible(`it waits for "${mode}"`);
    if (params.text('amount').startsWith('='))
      return { type: 'wait', data: { duration: dynamicDuration(to) } };
    const amount = params.number('amount', node.version > 1 ? 5 : 1);
    const unit = params.text('unit', node.version > 1 ? 'seconds' : 'hours');
    const duration = amount * (MILLISECONDS[unit] ?? Number.NaN);
    if (!(duration >= 0 && duration <= LONGEST)) throw new NotConvertible('it waits for more than 30 days');
    return { type: 'wait', data: { duration } };
  },
};

const noOp: Kind = {
  runsOnce: true,
  staysEmpty: true,
  view: passesOn,
  convert: () => ({ type: 'wait', data: { duration: 0 } }),
};

const isForEach = ({ parameters }: SourceNode): boolean => readText(parameters['mode']) === 'each';

const executeWorkflow: Kind = {
  runsOnce: (node) => !isForEach(node),
  view: () => ({ first: '.outputs' }),
  convert: (node, to) => {
    const { params } = to;
    params.get('source');
    params.get('mode');
    if (!isForEach(node) && to.context.getsList())
      to.say('n8n gives the workflow all items of the list; here it gets the first one', 'executeInput');
    to.say(
      'Expressions after it read its outputs by the names at its end; end that workflow with one JSON output, so that they are its fields',
    );
    const given = params.get('workflowInputs.value');
    params.get('workflowInputs');
    const executeInputMappings = Object.entries(isJsonObject(given) ? given : {}).map(([key, value]) => ({
      key,
      value: to.value(value, 'executeInputMappings'),
    }));
    const executeDoNotWait = !params.flag('options.waitForSubWorkflow', true);
    const executeInput = executeInputMappings.length > 0 ? '' : to.whole('executeInput');
    return {
      type: 'execute',
      data: { ...readCalledWorkflow(to), executeInputMappings, executeInput, executeDoNotWait },
    };
  },
};

const respond: Kind = {
  runsOnce: true,
  view: passesOn,
  convert: (_, lenient) => {
    // The caller would get an expression that stays as it is.
    const to = lenient.strict();
    const { params } = to;
    const mode = params.text('respondWith', 'firstIncomingItem');
    const code = params.number('options.responseCode', 200);
    const body = params.text('responseBody');
    if (isTemplate(params.text('options.responseCode')))
      to.say('Its status is an expression in n8n; here it is 200', 'statusCode');
    // As the only end of a run these two are the whole answer; an output is a part of it, under its label.
    const fields = mode === 'json' && !to.hasNext && code === 200 ? to.jsonFields(body) : undefined;
    if (fields !== undefined) return { type: 'jsonOutputMapper', data: { mappings: fields } };
    const whole = to.hasNext ? undefined : wholeAnswer(to, mode);
    if (whole !== undefined) {
      const { html, usualType } = whole;
      const contentType = readContentType(to, usualType);
      return { type: 'htmlOutputMapper', data: { html, statusCode: code, contentType } };
    }
    if (code !== 200) to.say(`The status ${code} cannot be set here`, 'message');
    to.say('The answer has this value at outputs, under the label of the node, and not alone', 'message');
    return { type: 'output', data: { message: buildAnswer(to, mode), allowDownstream: to.hasNext } };
  },
};

/** The text that is the whole answer, and its usual type; undefined for one that is none. */
function wholeAnswer(to: Target, mode: string): { html: string; usualType: string } | undefined {
  if (mode === 'text') return { html: to.template(to.params.text('responseBody'), 'html'), usualType: PLAIN };
  if (mode === 'noData') return { html: '', usualType: PLAIN };
  if (mode !== 'json' && mode !== 'firstIncomingItem' && mode !== 'allIncomingItems') return undefined;
  const value = buildAnswer(to, mode);
  if (typeof value !== 'string') return undefined;
  // Fixed JSON is the answer as it is.
  const html = value.startsWith('$') ? `$toJsonText(${value.slice(1)})` : value;
  return { html, usualType: 'application/json; charset=utf-8' };
}

const PLAIN = 'text/plain; charset=utf-8';

/** The type that a text says it has; other headers have no place here. */
function readContentType(to: Target, usual: string): string {
  const headers = to.params.rows('options.responseHeaders.entries');
  const type = headers.find(({ name, value }) => {
    return /^content-type$/i.test(readText(name)) && !readText(value).startsWith('=');
  });
  for (const header of headers) {
    if (header !== type) to.say(`The header "${readText(header['name'])}" was left out`, 'contentType');
  }
  return readText(type?.['value']) || usual;
}

function buildAnswer(to: Target, mode: string): Json {
  if (mode === 'json') {
    const body = to.params.get('responseBody');
    if (typeof body !== 'string') return to.json(JSON.stringify(body ?? {}), 'message');
    const script = onlyScript(body);
    const isValue = script === undefined || isStringified(script) || to.isDate(body);
    return isValue ? to.json(body, 'message') : to.value(`={{ ${script} }}`, 'message', readJson);
  }
  if (mode === 'text') return to.value(to.params.get('responseBody'), 'message');
  if (mode === 'firstIncomingItem') return to.whole('message');
  if (mode === 'allIncomingItems') return to.list();
  if (mode === 'noData') return '$(null)';
  throw new NotConvertible(`it answers with "${mode}"`);
}

/** Text is JSON, and any other value is itself. */
function readJson(code: Code): Code {
  if (code.value === 'text') return chain(`${enclosed(code)}.toJson()`);
  const isKnown = code.value !== undefined || /^\{[^]*\}$/.test(code.code);
  const value = enclosed(code);
  return isKnown ? code : other(`type(${code.code}) == "string" ? ${value}.toJson() : ${value}`);
}

const stop: Kind = {
  runsOnce: true,
  convert: (_, to) => {
    const { params } = to;
    const isObject = params.text('errorType', 'errorMessage') === 'errorObject';
    const text = params.text(isObject ? 'errorObject' : 'errorMessage');
    return { type: 'throwError', data: { errorMessage: to.template(text, 'errorMessage') } };
  },
};

const COLORS = ['yellow', 'yellow', 'rose', 'rose', 'emerald', 'sky', 'violet', 'zinc'];

const sticky: Kind = {
  convert: (_, { params }) => ({
    type: 'sticky',
    data: {
      note: params.text('content'),
      stickyColor: COLORS[params.number('color', 1)] ?? 'yellow',
      stickyWidth: Math.min(Math.max(params.number('width', 240), 40), 10_000),
      stickyHeight: Math.min(Math.max(params.number('height', 160), 40), 10_000),
    },
  }),
};

export const flow: Readonly<Record<string, Kind>> = {
  if: ifNode,
  filter,
  switch: switchNode,
  merge,
  splitInBatches: loop,
  wait,
  noOp,
  executeWorkflow,
  respondToWebhook: respond,
  stopAndError: stop,
  stickyNote: sticky,
};
