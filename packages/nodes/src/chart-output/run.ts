import { isJsonObject, type Json, type JsonObject, toText } from '@millrace/engine';
import type { z } from 'zod';
import { implement, type NodeCall } from '../implement.ts';
import { readJson } from '../kit/integration/object-input.ts';
import { refusedParam } from '../kit/refused-param.ts';
import { parsedJson } from '../kit/text/parsed-json.ts';
import { namesIn, valueAt } from '../kit/values/list/items.ts';
import { chartOutput } from './definition.ts';
import { fieldWith, findRows, mergeOutputs, numberIn } from './rows.ts';

type Params = z.output<typeof chartOutput.params>;

/** Where a gauge ends that does not say it. */
const FULL_GAUGE = 100;

export const runChartOutput = implement(chartOutput, ({ params, inputs }: NodeCall<Params>) => {
  const { chartType: type, title } = params;
  const url = readLink(params);
  const head = { type, ...(title === '' ? {} : { title }), ...(url === '' ? {} : { url }) };
  const source = mergeOutputs(inputs.map(({ output }) => output));
  return { output: { ...head, ...buildContent(params, source) } };
});

function buildContent(params: Params, source: Json): JsonObject {
  const rows = findRows(source, params.dataPath.trim());
  if (params.chartType === 'text' || params.chartType === 'hitl') {
    return { text: findText(params, source, rows), text_interactive: params.chartType === 'hitl' };
  }
  switch (params.chartType) {
    case 'table':
      return buildTable(params, rows);
    case 'numeric':
    case 'gauge':
      return buildNumber(params, rows);
    case 'scatter':
      return buildPoints(params, rows);
    default:
      return buildCategoryChart(params, rows);
  }
}

/** The text of the first row in the named field, else the fixed one, else the first text of the row, else the data. */
function findText({ valueField, text }: Params, source: Json, [first = null]: readonly Json[]): string {
  const named = valueField === '' ? null : valueAt(first, valueField);
  if (named !== null) return toText(named);
  if (text !== '') return text;
  const texts = isJsonObject(first) ? Object.values(first).filter((value) => typeof value === 'string') : [];
  return texts[0] ?? toText(source);
}

/** A link that a page shows must not run code. */
function readLink({ url }: Params): string {
  const link = url.trim();
  if (link === '' || /^(https?:\/\/|\/(?![/\\]))/i.test(link)) return link;
  throw refusedParam('url', 'must begin with http:// or https://, or with one /');
}

function buildTable(params: Params, rows: readonly Json[]): JsonObject {
  const named = readColumns(params);
  const found = [...new Set(rows.filter(isJsonObject).flatMap((row) => Object.keys(row)))];
  const columns = named.length > 0 ? named : found.length > 0 ? found : ['value'];
  const cells = rows.map((row) =>
    isJsonObject(row) ? columns.map((column) => valueAt(row, column)) : [row],
  );
  const tones = readJson(params, 'statusTones') ?? {};
  return {
    columns,
    rows: cells,
    ...(params.statusColumn === '' ? {} : { statusColumn: params.statusColumn, statusTones: tones }),
  };
}

/** A list of names, or names separated by commas. */
function readColumns({ columns }: Params): string[] {
  const stored = (typeof columns === 'string' ? (parsedJson(columns) ?? columns) : columns) as Json;
  if (typeof stored === 'string') return namesIn(stored);
  if (Array.isArray(stored) && stored.every((name) => typeof name === 'string')) return stored;
  throw refusedParam('columns', 'must be a list of names such as ["id", "total"]');
}

function buildNumber(params: Params, rows: readonly Json[]): JsonObject {
  const { unit, decimals, min, max } = params;
  const [first = null] = rows;
  const value = numberIn(valueAt(first, params.valueField || fieldWith(rows, true)));
  return {
    value,
    ...(unit === '' ? {} : { unit }),
    ...(decimals === null || decimals === undefined ? {} : { decimals }),
    ...(params.chartType === 'gauge' ? { min, max: max ?? FULL_GAUGE } : {}),
  };
}

interface Series {
  readonly name: string;
  readonly field: string;
}

/** The values of the form; one of the field that is named or found when there are none. */
function readSeries(params: Params, field: string): Series[] {
  const stored = readJson(params, 'series') ?? [];
  if (!Array.isArray(stored))
    throw refusedParam('series', 'must be a list such as [{"name": "Sales", "field": "sales"}]');
  if (stored.length === 0) return [{ name: params.seriesName || field || 'value', field }];
  return stored.map((one) => {
    const named = isJsonObject(one) ? one['field'] : one;
    if (typeof named !== 'string' || named === '')
      throw refusedParam('series', 'needs a "field" in each entry');
    const name = isJsonObject(one) ? one['name'] : named;
    return { field: named, name: typeof name === 'string' && name !== '' ? name : named };
  });
}

function buildPoints(params: Params, rows: readonly Json[]): JsonObject {
  const x = params.xField || params.labelField || fieldWith(rows, true);
  const y = params.yField || params.valueField || fieldWith(rows, true, x);
  const series = readSeries(params, y).map(({ name, field }) => ({
    name,
    data: rows.map((row) => [numberIn(valueAt(row, x)), numberIn(valueAt(row, field))]),
  }));
  return { series };
}

/** Rows of numbers alone are labelled by the first of them that is not drawn as a value. */
function chooseFields(params: Params, rows: readonly Json[]): { label: string; series: Series[] } {
  const [first = null] = rows;
  const row = isJsonObject(first) ? first : {};
  const names = Object.keys(row);
  const value = params.valueField || (numberIn(row['value'] ?? null) === null ? '' : 'value');
  const drawn = new Set([value, ...readSeries(params, value).map(({ field }) => field)]);
  const [leading = ''] = names.length > 1 ? names.filter((name) => !drawn.has(name)) : [];
  const label = params.labelField || fieldWith(rows, false, value) || leading;
  return { label, series: readSeries(params, value || fieldWith(rows, true, label)) };
}

function buildCategoryChart(params: Params, rows: readonly Json[]): JsonObject {
  const { label, series } = chooseFields(params, rows);
  const { unit, max, orientation, chartType } = params;
  return {
    labels: rows.map((row, index) => (label === '' ? String(index + 1) : toText(valueAt(row, label) ?? ''))),
    series: series.map(({ name, field }) => ({
      name,
      data: rows.map((row) => numberIn(valueAt(row, field))),
    })),
    ...(chartType === 'bar' ? { orientation } : {}),
    ...(chartType === 'barGauge'
      ? { ...(unit === '' ? {} : { unit }), ...(max === null || max === undefined ? {} : { max }) }
      : {}),
  };
}
