import { type Effect, field, type JsonObject } from '@millrace/engine';
import { objectFields } from '../integration/object-input.ts';
import { numeric } from '../values/numeric.ts';

const MOST_SECONDS = 24 * 60 * 60;
export const MOST_ROWS = 100_000;

/** Parameters of the values of rows. */
export const DATA = { mode: 'dataMode', raw: 'data', selective: 'columns' } as const;

export const dataFields = () =>
  objectFields({ ...DATA, title: 'Values', help: 'By column; to insert rows also a list of objects.' });

export const whereField = () =>
  field
    .value('Filter', {
      kind: 'json',
      help: 'Values by column, such as {"status": "open", "total": {"gte": 10}}. To update or delete rows it must not be empty.',
    })
    .default('{}');

export const sortField = () =>
  field
    .template('Sort by', { help: 'Columns separated by commas, with - in front for descending.' })
    .default('');

export const limitField = () => field.value('At most', { help: `Rows; zero for ${MOST_ROWS}.` }).default(100);

export const readOnlyField = () =>
  field
    .boolean('Only reads', {
      help: 'The database refuses changes, so that the query can be repeated after a crash.',
    })
    .default(false);

export const timeoutField = () =>
  numeric('Timeout (seconds)', { min: 1, max: MOST_SECONDS, integer: true }).default(60);

/** A query that the database keeps from changing anything may be repeated. */
export const effectOfQuery =
  (effect: (data: JsonObject) => Effect) =>
  (data: JsonObject): Effect =>
    (data['operation'] ?? 'executeQuery') === 'executeQuery' && data['readOnly'] === true
      ? 'read'
      : effect(data);
