import type { Json, JsonObject } from '@millrace/engine';
import { dateFormat, patternCode, readFormat } from '../../expression/dates/format.ts';
import { Params } from '../../source/params.ts';
import { formatScalar, type SourceNode } from '../../source/source.ts';
import type { View } from '../../views/views.ts';
import { type Converted, type Kind, NotConvertible, type Target } from '../kind.ts';

/** Operations of the second version, and the field that each of them writes. */
const FIELDS: Readonly<Record<string, string>> = {
  getCurrentDate: 'currentDate',
  addToDate: 'newDate',
  subtractFromDate: 'newDate',
  formatDate: 'formattedDate',
  roundDate: 'roundedDate',
  extractDate: 'datePart',
  getTimeBetweenDates: 'timeDifference',
};
const MOVES = new Set('days weeks months years hours minutes seconds'.split(' '));
const UNITS = new Set('year month week day hour minute second'.split(' '));
const PARTS = new Set('year month day hour minute second'.split(' '));

const WORKFLOW_ZONE = '$now.zone';
/** ISO text with milliseconds, which ends with "Z" in UTC. */
const ISO = '$array(now.zone == "UTC" ? "YYYY-MM-DDTHH:mm:ss.SSS[Z]" : "YYYY-MM-DDTHH:mm:ss.SSSZ").first()';
const ISO_IN_UTC = 'YYYY-MM-DDTHH:mm:ss.SSS[Z]';

type Operation = (to: Target, node: SourceNode) => Converted;

const makeDate = (data: JsonObject): Converted => ({
  type: 'date',
  data: { timeZone: WORKFLOW_ZONE, format: ISO, ...data },
});

const makeField = (node: SourceNode, value: string): Converted => ({
  type: 'set',
  data: { mappings: [{ key: readField(node), value }] },
});

/** Code of a date in the time zone of the workflow; it fails the node for what is none. */
const readDateCode = (to: Target, path: string): string =>
  `readDate(${to.code(to.params.get(path)).code}).inZone()`;

function readAmount(to: Target, sign: 1 | -1): Json {
  const duration = to.params.text('duration', '0');
  if (!duration.startsWith('=')) return sign * to.params.number('duration', 0);
  const code = to.code(duration).code;
  return sign === 1 ? `$(${code})` : `$(0 - (${code}))`;
}

function moveBy(to: Target, sign: 1 | -1, path: string): JsonObject {
  const unit = to.params.text('timeUnit', 'days');
  if (!MOVES.has(unit)) throw new NotConvertible(`its unit is "${unit}"`);
  return {
    operation: 'add',
    value: to.value(to.params.get(path), 'value'),
    unit,
    amount: readAmount(to, sign),
  };
}

/** Text is read and written in UTC there, unless the zone of the workflow is chosen; a date keeps its own zone. */
function format(to: Target): Converted {
  const { params } = to;
  const chosen = params.text('format', 'MM/dd/yyyy');
  const pattern = chosen === 'custom' ? params.text('customFormat') : chosen;
  if (pattern.startsWith('=')) throw new NotConvertible('its format is an expression');
  const isInZone = params.flag('options.timezone');
  const from = params.text('options.fromFormat');
  if (from.startsWith('=')) throw new NotConvertible('the format that it reads is an expression');
  const stored = params.get('date');
  const code = to.code(stored);
  const zone = isInZone ? WORKFLOW_ZONE : to.isDate(stored) ? '' : 'UTC';
  const value =
    from === ''
      ? to.value(stored, 'value')
      : `$dateOf(${code.code}, ${patternCode(readFormat(from))}${isInZone ? '' : ', "UTC"'}).toTimestamp()`;
  return {
    type: 'date',
    data: { operation: 'format', value, format: dateFormat(pattern), ...(zone !== '' && { timeZone: zone }) },
  };
}

function round(to: Target, node: SourceNode): Converted {
  const { params } = to;
  const isUp = params.text('mode', 'roundDown') === 'roundUp';
  const unit = isUp ? params.text('to', 'month') : params.text('toNearest', 'month');
  for (const key of ['to', 'toNearest']) params.get(key);
  if (!UNITS.has(unit)) throw new NotConvertible(`it rounds to "${unit}"`);
  if (!isUp && (unit === 'day' || unit === 'month'))
    return makeDate({ operation: 'startOf', value: to.value(params.get('date'), 'value'), period: unit });
  const moved = isUp ? `.add(1, "${unit}s")` : '';
  return makeField(node, `$${readDateCode(to, 'date')}${moved}.startOf("${unit}").toTimestamp()`);
}

function measure(to: Target, node: SourceNode): Converted {
  const { params } = to;
  if (params.flag('options.isoString')) throw new NotConvertible('its result is an ISO duration');
  const stored = params.get('units');
  const [unit, ...more] = Array.isArray(stored) ? stored : [stored ?? 'day'];
  if (typeof unit !== 'string' || more.length > 0 || !UNITS.has(unit))
    throw new NotConvertible('it measures in several units, or in one without an equal here');
  const [from, until] = [readDateCode(to, 'startDate'), readDateCode(to, 'endDate')];
  return makeField(node, `$({"${unit}s": ${until}.diff(${from}, "${unit}s")})`);
}

function extract(to: Target, node: SourceNode): Converted {
  const part = to.params.text('part', 'month');
  if (!PARTS.has(part)) throw new NotConvertible(`it takes the part "${part}"`);
  return makeField(node, `$${readDateCode(to, 'date')}.${part}`);
}

function getCurrent(to: Target): Converted {
  const zone = to.template(to.params.text('options.timezone'), 'timeZone');
  const chosen = zone === '' ? {} : { timeZone: zone, format: 'YYYY-MM-DDTHH:mm:ss.SSSZ' };
  return to.params.flag('includeTime', true)
    ? makeDate({ operation: 'now', ...chosen })
    : makeDate({ operation: 'startOf', value: '$now', period: 'day', ...chosen });
}

const OPERATIONS: Readonly<Record<string, Operation>> = {
  getCurrentDate: getCurrent,
  addToDate: (to) => makeDate(moveBy(to, 1, 'magnitude')),
  subtractFromDate: (to) => makeDate(moveBy(to, -1, 'magnitude')),
  formatDate: format,
  roundDate: round,
  extractDate: extract,
  getTimeBetweenDates: measure,
};

/** Tokens that Moment and patterns here have in common, and text that stays. */
const MOMENT =
  /^(?:YYYY|YY|MMMM|MMM|MM|M|dddd|ddd|DD|D|HH|H|hh|h|mm|m|ss|s|SSS|A|a|ZZ|Z|\[[^\]]*\]|[^A-Za-z[\]{}])*$/;
const INSTANTS: Readonly<Record<string, string>> = { X: '{X}', x: '{x}' };

/** A pattern of Moment, which the first version has. */
function readMoment(to: Target): string {
  const pattern = to.params.text('toFormat', 'MM/DD/YYYY');
  if (pattern.startsWith('=')) throw new NotConvertible('its format is an expression');
  const instant = Object.hasOwn(INSTANTS, pattern) ? INSTANTS[pattern] : undefined;
  if (instant === undefined && !MOMENT.test(pattern))
    throw new NotConvertible(`its format "${pattern.slice(0, 60)}" has no equal here`);
  return instant ?? pattern;
}

function convertFirst(to: Target): Converted {
  const { params } = to;
  for (const key of ['dataPropertyName', 'custom']) params.get(key);
  if (params.text('options.fromFormat') !== '')
    throw new NotConvertible('it reads dates by a format of Moment; use the second version');
  if (params.text('action', 'format') === 'calculate') {
    const sign = params.text('operation', 'add') === 'subtract' ? -1 : 1;
    return makeDate({ ...moveBy(to, sign, 'value'), timeZone: 'UTC', format: ISO_IN_UTC });
  }
  if (params.text('options.fromTimezone') !== '')
    throw new NotConvertible('it reads dates in another time zone');
  const zone = to.template(params.text('options.toTimezone'), 'timeZone') || WORKFLOW_ZONE;
  const value = to.value(params.get('value'), 'value');
  return makeDate({ operation: 'format', value, format: readMoment(to), timeZone: zone });
}

function readField({ parameters, version }: SourceNode): string {
  if (version < 2) return formatScalar(parameters['dataPropertyName'], 'data');
  const operation = formatScalar(parameters['operation'], 'getCurrentDate');
  return formatScalar(parameters['outputFieldName'], FIELDS[operation] ?? '');
}

/** Whether an operation becomes fields of their own names. */
function isOfFields({ parameters }: SourceNode): boolean {
  const operation = formatScalar(parameters['operation']);
  if (operation !== 'roundDate') return operation === 'extractDate' || operation === 'getTimeBetweenDates';
  const unit = formatScalar(parameters['toNearest'], 'month');
  return formatScalar(parameters['mode']) === 'roundUp' || !['day', 'month'].includes(unit);
}

export const dateTime: Kind = {
  view: (node): View => {
    const name = readField(node);
    const renamed = node.version >= 2 && isOfFields(node) ? {} : { renamed: { [name]: 'value' } };
    const keeps = node.version < 2 || new Params(node.parameters).flag('options.includeInputFields');
    return keeps ? { ...renamed, adds: [name] } : { ...renamed, isOnlyRenamed: true };
  },
  convert: (node, to) => {
    const { params } = to;
    if (node.version < 2) return convertFirst(to);
    const operation = params.text('operation', 'getCurrentDate');
    for (const key of ['outputFieldName', 'options.includeInputFields']) params.get(key);
    const convert = Object.hasOwn(OPERATIONS, operation) ? OPERATIONS[operation] : undefined;
    if (convert === undefined) throw new NotConvertible(`the operation "${operation}" has no equal here`);
    return convert(to, node);
  },
};
