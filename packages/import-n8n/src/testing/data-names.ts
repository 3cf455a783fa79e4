import { access, type Names } from '../expression/value.ts';

/** Names of expressions that read one value `data`, whose items are in `rows`; the node before is `Node "before"`. */
export const dataNames: Names = {
  spend: () => undefined,
  field: (_, key) => `data${access(key)}`,
  whole: () => 'data',
  items: () => 'data.rows',
  index: () => ({ form: 'constant', code: '0', value: 'number' }),
  ran: () => 'true',
  uncertainReads: () => 0,
  runIndex: () => ({ form: 'constant', code: '0', value: 'number' }),
  fromAgent: (name) => name,
  previous: () => 'Node "before"',
  parameters: () => undefined,
};
