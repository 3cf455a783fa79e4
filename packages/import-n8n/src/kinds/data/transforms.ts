import { type JsonObject, readText } from '@millrace/engine';
import { toAccessCode } from '../../expression/access-code.ts';
import { dateFormat } from '../../expression/dates/format.ts';
import { access } from '../../expression/value.ts';
import { Params } from '../../source/params.ts';
import { formatScalar, type SourceNode } from '../../source/source.ts';
import type { View } from '../../views/views.ts';
import { type Kind, NotConvertible, type Target } from '../kind.ts';

interface Wanted {
  readonly name: string;
  readonly selector: string;
  /** `text`, or the attribute to read. */
  readonly attribute: string;
  readonly isList: boolean;
}

function wantedBy({ parameters }: SourceNode): Wanted[] {
  return new Params(parameters).rows('extractionValues.values').flatMap((row) => {
    const name = readText(row['key']);
    const what = formatScalar(row['returnValue'], 'text');
    const attribute =
      what === 'attribute' ? readText(row['attribute']) : what === 'html' ? 'innerHTML' : what;
    const selector = readText(row['cssSelector']);
    return name === '' || selector === ''
      ? []
      : [{ name, selector, attribute, isList: row['returnArray'] === true }];
  });
}

/** All texts as one, as n8n reads several elements, but only the first attribute. */
function readBy({ name, attribute, isList }: Wanted): (item: string) => string {
  return (item) => {
    const found = `${item}.extracted${access(name)}`;
    const values = `${found}.map(${JSON.stringify(`item${access(attribute)}`)})`;
    if (isList) return values;
    return attribute === 'text' ? `${values}.join("")` : `${found}[0]${access(attribute)}`;
  };
}

const readOperation = ({ parameters }: SourceNode): string =>
  formatScalar(parameters['operation'], 'generateHtmlTemplate');

function extraction(to: Target, node: SourceNode) {
  const { params } = to;
  if (params.text('sourceData', 'json') !== 'json') throw new NotConvertible('it reads a file');
  const wanted = wantedBy(node);
  if (wanted.length === 0) throw new NotConvertible('it does not say what to extract');
  const rows = params.rows('extractionValues.values');
  params.get('extractionValues');
  if (rows.some((row) => readText(row['skipSelectors']) !== ''))
    to.say('Texts of the elements to skip are in the result here', 'selectors');
  for (const key of ['trimValues', 'cleanUpText']) params.get(`options.${key}`);
  const selectors = wanted.map(({ name, selector, attribute }) => ({
    name,
    selector,
    attributes: attribute === 'text' ? [] : [attribute],
  }));
  const field = params.text('dataPropertyName', 'data');
  return {
    type: 'htmlExtract',
    data: {
      html: to.template(`={{ $json${toAccessCode(field)} }}`, 'html'),
      selectors: JSON.stringify(selectors),
    },
  };
}

const html: Kind = {
  view: (node): View => {
    if (readOperation(node) !== 'extractHtmlContent') return {};
    return { made: Object.fromEntries(wantedBy(node).map((wanted) => [wanted.name, readBy(wanted)])) };
  },
  convert: (node, to) => {
    to.params.get('operation');
    const operation = readOperation(node);
    if (operation === 'extractHtmlContent') return extraction(to, node);
    if (operation !== 'generateHtmlTemplate') throw new NotConvertible('it makes a table of items');
    const value = to.value(`=${to.params.text('html').replace(/^=/, '')}`, 'mappings');
    return { type: 'set', data: { mappings: [{ key: 'html', value }] } };
  },
};

/** A node that adds one field to its data. */
const addsField =
  (key: string, usual: string, made: string) =>
  ({ parameters }: SourceNode): View => {
    const name = formatScalar(parameters[key], usual);
    return { adds: [name], renamed: { [name]: made } };
  };

const markdown: Kind = {
  view: addsField('destinationKey', 'data', 'result'),
  convert: (_, to) => {
    const { params } = to;
    if (params.text('mode', 'htmlToMarkdown') !== 'markdownToHtml')
      throw new NotConvertible('HTML is not converted to Markdown here');
    params.get('destinationKey');
    const source = to.value(params.get('markdown'), 'source');
    return { type: 'converter', data: { conversion: 'markdownToHtml', source } };
  },
};

const xml: Kind = {
  view: () => ({ first: '.result' }),
  convert: (_, to) => {
    const { params } = to;
    if (params.text('mode', 'xmlToJson') !== 'xmlToJson') throw new NotConvertible('it writes XML');
    const field = params.text('dataPropertyName', 'data');
    to.say('Attributes and repeated elements may have other places in the result here', 'source');
    return {
      type: 'converter',
      data: { conversion: 'xmlToJson', source: to.value(`={{ $json${toAccessCode(field)} }}`, 'source') },
    };
  },
};

/** Operations of the second version, and the field that each of them writes. */
const DATE_FIELDS: Readonly<Record<string, string>> = {
  getCurrentDate: 'currentDate',
  addToDate: 'newDate',
  subtractFromDate: 'newDate',
  formatDate: 'formattedDate',
  roundDate: 'roundedDate',
  extractDate: 'datePart',
};
const UNITS = new Set('days weeks months years hours minutes seconds'.split(' '));
const PARTS = new Set('year month day hour minute second'.split(' '));

type DateOperation = (to: Target) => JsonObject;

const moved =
  (sign: 1 | -1): DateOperation =>
  (to) => {
    const { params } = to;
    const unit = params.text('timeUnit', 'days');
    if (!UNITS.has(unit)) throw new NotConvertible(`its unit is "${unit}"`);
    const value = to.value(params.get('magnitude'), 'value');
    const duration = params.text('duration', '0');
    if (duration.startsWith('=')) {
      const code = to.code(duration).code;
      return { operation: 'add', value, unit, amount: sign === 1 ? `$(${code})` : `$(0 - (${code}))` };
    }
    return { operation: 'add', value, unit, amount: sign * params.number('duration', 0) };
  };

const DATES: Readonly<Record<string, DateOperation>> = {
  getCurrentDate: (to) => {
    if (to.params.flag('includeTime', true)) return { operation: 'now' };
    return { operation: 'startOf', value: '$now', period: 'day' };
  },
  addToDate: moved(1),
  subtractFromDate: moved(-1),
  formatDate: (to) => {
    const { params } = to;
    const written = params.text('format', 'MM/dd/yyyy');
    const pattern = written === 'custom' ? params.text('customFormat') : written;
    if (pattern.startsWith('=')) throw new NotConvertible('its format is an expression');
    return { operation: 'format', value: to.value(params.get('date'), 'value'), format: dateFormat(pattern) };
  },
  roundDate: (to) => {
    const { params } = to;
    const unit = params.text('toNearest', 'month');
    if (params.text('mode', 'roundDown') !== 'roundDown' || !['day', 'month'].includes(unit))
      throw new NotConvertible('it rounds up, or to another unit than days and months');
    return { operation: 'startOf', value: to.value(params.get('date'), 'value'), period: unit };
  },
};

const fieldOfDate = (node: SourceNode): string =>
  formatScalar(
    node.parameters['outputFieldName'],
    DATE_FIELDS[formatScalar(node.parameters['operation'], 'getCurrentDate')] ?? '',
  );

const dateTime: Kind = {
  view: (node) => {
    const name = fieldOfDate(node);
    const isPart = formatScalar(node.parameters['operation']) === 'extractDate';
    const renamed = isPart ? {} : { renamed: { [name]: 'value' } };
    return new Params(node.parameters).flag('options.includeInputFields')
      ? { ...renamed, adds: [name] }
      : renamed;
  },
  convert: (node, to) => {
    const { params } = to;
    const operation = params.text('operation', 'getCurrentDate');
    if (node.version < 2) throw new NotConvertible('it is of the first version; use a date node');
    for (const key of ['outputFieldName', 'options.includeInputFields']) params.get(key);
    if (operation === 'extractDate') {
      const part = params.text('part', 'month');
      if (!PARTS.has(part)) throw new NotConvertible(`it takes the part "${part}"`);
      const value = `$dateOf(${to.code(params.get('date')).code}).${part}`;
      return { type: 'set', data: { mappings: [{ key: fieldOfDate(node), value }] } };
    }
    const convert = Object.hasOwn(DATES, operation) ? DATES[operation] : undefined;
    if (convert === undefined) throw new NotConvertible(`the operation "${operation}" has no equal here`);
    const timeZone = to.template(params.text('options.timezone'), 'timeZone');
    return { type: 'date', data: { ...convert(to), ...(timeZone === '' ? {} : { timeZone }) } };
  },
};

export const transforms: Readonly<Record<string, Kind>> = { html, markdown, xml, dateTime };
