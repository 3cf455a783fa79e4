import { defineNode, field } from '@millrace/engine';
import { z } from 'zod';
import { shownFor } from '../kit/integration/operations.ts';
import { numeric, optionalNumeric } from '../kit/numeric.ts';

const CATEGORIES = ['bar', 'pie', 'line', 'area', 'proportion', 'barGauge'] as const;
const SINGLE = ['numeric', 'gauge'];
const TEXTS = ['text', 'hitl'];
const TYPES = [...CATEGORIES, 'scatter', 'table', 'numeric', 'gauge', 'text', 'hitl'] as const;
const TITLES: Readonly<Record<(typeof TYPES)[number], string>> = {
  bar: 'Bars',
  pie: 'Pie',
  line: 'Lines',
  area: 'Areas',
  proportion: 'Proportions',
  barGauge: 'Bars with a limit',
  scatter: 'Points',
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
  icon: [['path', { d: 'M4 20V11h4v9M10 20V4h4v16M16 20v-7h4v7M3 20h18' }]],
  params: z.object({
    chartType: field
      .choice('Kind', TYPES, { choices: TYPES.map((value) => ({ value, title: TITLES[value] })) })
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
            { value: 'vertical', title: 'Upright' },
            { value: 'horizontal', title: 'Lying' },
          ],
        })
        .default('vertical'),
      ['bar'],
    ),
    labelField: only(field.template('Field with the label').default(''), CATEGORIES),
    valueField: only(field.template('Field with the value').default(''), [...CATEGORIES, ...SINGLE]),
    seriesName: only(field.template('Name of the values').default(''), [...CATEGORIES, 'scatter']),
    xField: only(field.template('Field to the right').default(''), ['scatter']),
    yField: only(field.template('Field upwards').default(''), ['scatter']),
    series: only(
      field
        .value('Several values', {
          kind: 'json',
          placeholder: '[{"name": "Sales", "field": "sales"}]',
          help: 'Names and fields in place of one value.',
        })
        .default([]),
      [...CATEGORIES, 'scatter'],
    ),
    columns: only(
      field
        .value('Columns', { kind: 'json', placeholder: '["id", "total"]', help: 'Empty takes all fields.' })
        .default([]),
      ['table'],
    ),
    statusColumn: only(field.template('Column with a status').default(''), ['table']),
    statusTones: only(
      field.value('Tones by status', { kind: 'json', placeholder: '{"open": "warning"}' }).default({}),
      ['table'],
    ),
    min: only(bound('Smallest value').default(0), ['gauge']),
    max: only(bound('Largest value').default(100), ['gauge', 'barGauge']),
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
