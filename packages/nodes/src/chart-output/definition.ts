import { defineNode, field } from '@millrace/engine';
import { z } from 'zod';
import { shownFor } from '../kit/integration/operations.ts';
import { numeric, optionalNumeric } from '../kit/values/numeric.ts';

const CATEGORIES = ['bar', 'pie', 'line', 'area', 'proportion', 'barGauge'] as const;
const SINGLE = ['numeric', 'gauge'];
const TEXTS = ['text', 'hitl'];
const TYPES = [...CATEGORIES, 'scatter', 'table', 'numeric', 'gauge', 'text', 'hitl'] as const;
const TITLES: Readonly<Record<(typeof TYPES)[number], string>> = {
  bar: 'Bar',
  pie: 'Pie',
  line: 'Line',
  area: 'Area',
  proportion: 'Proportion',
  barGauge: 'Bar gauge',
  scatter: 'Scatter',
  table: 'Table',
  numeric: 'Single number',
  gauge: 'Gauge',
  text: 'Text',
  hitl: 'Text with a review',
};
const FARTHEST = 1e15;

const only = <T extends z.ZodType>(schema: T, is: readonly string[]): T =>
  shownFor(schema, { field: 'chartType', is: [...is] });
const bound = (title: string) => numeric(title, { min: -FARTHEST, max: FARTHEST });

export const chartOutput = defineNode({
  type: 'chartOutput',
  title: 'Chart',
  family: 'output',
  summary: 'Ends the workflow with the data of a chart, a table, a number or a text.',
  search_words: ['graph', 'dashboard'],
  icon: [['path', { d: 'M4 20V11h4v9M10 20V4h4v16M16 20v-7h4v7M3 20h18' }]],
  params: z.object({
    chartType: field
      .choice('Chart type', TYPES, { choices: TYPES.map((value) => ({ value, title: TITLES[value] })) })
      .default('bar'),
    title: field.template('Title').default(''),
    url: field
      .template('Link', { help: 'An address that begins with http:// or https://, or with /.' })
      .default(''),
    dataPath: field
      .template('Rows', {
        help: 'Path of the list in the data, such as body.orders. Leave empty to detect it.',
      })
      .default(''),
    orientation: only(
      field
        .choice('Orientation', ['vertical', 'horizontal'], {
          choices: [
            { value: 'vertical', title: 'Vertical' },
            { value: 'horizontal', title: 'Horizontal' },
          ],
        })
        .default('vertical'),
      ['bar'],
    ),
    labelField: only(field.template('Label field').default(''), CATEGORIES),
    valueField: only(field.template('Value field').default(''), [...CATEGORIES, ...SINGLE, ...TEXTS]),
    seriesName: only(field.template('Series name').default(''), [...CATEGORIES, 'scatter']),
    xField: only(field.template('X field').default(''), ['scatter']),
    yField: only(field.template('Y field').default(''), ['scatter']),
    series: only(
      field
        .value('Series', {
          kind: 'json',
          placeholder: '[{"name": "Sales", "field": "sales"}]',
          help: 'Several named values, in place of the value field.',
        })
        .default([]),
      [...CATEGORIES, 'scatter'],
    ),
    columns: only(
      field
        .value('Columns', {
          kind: 'json',
          placeholder: '["id", "total"]',
          help: 'Leave empty to show all fields.',
        })
        .default([]),
      ['table'],
    ),
    statusColumn: only(field.template('Status column').default(''), ['table']),
    statusTones: only(
      field.value('Colours by status', { kind: 'json', placeholder: '{"open": "warning"}' }).default({}),
      ['table'],
    ),
    min: only(bound('Minimum').default(0), ['gauge']),
    max: only(
      optionalNumeric('Maximum', {
        min: -FARTHEST,
        max: FARTHEST,
        placeholder: '100',
        help: 'Leave empty for 100, and with bar gauges for the largest value.',
      }),
      ['gauge', 'barGauge'],
    ),
    unit: only(field.template('Unit').default(''), [...SINGLE, 'barGauge']),
    decimals: only(optionalNumeric('Decimals', { min: 0, max: 20, integer: true }), SINGLE),
    text: only(field.template('Text', { kind: 'multiline' }).default(''), TEXTS),
  }),
  initial: { label: 'chart', chartType: 'bar', labelField: '', valueField: '' },
  output: z.looseObject({
    type: z.enum(TYPES),
    title: z.string().optional(),
    url: z.string().optional(),
  }),
  ports: () => ({ inputs: ['input'], outputs: [] }),
});
