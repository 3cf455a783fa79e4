import { cleanup, screen } from '@testing-library/react';
import { afterEach, expect, test } from 'vitest';
import { showForm } from '../../testing/show-form.tsx';

afterEach(cleanup);

const PATIENCE = { timeout: 15_000 };
const place = { x: 0, y: 0 };
const start = {
  id: 's',
  type: 'textInput',
  position: place,
  data: { label: 'start', pinnedData: { items: ['a'] } },
};

/** A loop behind a start node that has data. */
const showLoop = (arrayExpression: string) =>
  showForm({
    nodes: [{ id: 'n', type: 'loop', position: place, data: { label: 'loop', arrayExpression } }, start],
    edges: [{ id: 'e', source: 's', target: 'n' }],
  });

test('a list that is named without $ is shown as it is read', async () => {
  await showLoop('start.items');
  expect(await screen.findByText('["a"]', {}, PATIENCE)).toBeTruthy();
  expect(screen.getByText('array')).toBeTruthy();
});

test('a name without $ that reads nothing says so, and null is said once', async () => {
  await showLoop('start.goods');
  expect(await screen.findByText('start.goods has no value here', {}, PATIENCE)).toBeTruthy();
  expect(screen.getAllByText('null')).toHaveLength(1);
});

test('a text is shown as one', async () => {
  await showLoop('orders');
  expect(await screen.findByText('string', {}, PATIENCE)).toBeTruthy();
});
