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

const request = { id: 'f', type: 'http', position: place, data: { label: 'fetch', curl: '' } };

/** A loop behind a start node that has data, and a request that has not run. */
const showLoop = (arrayExpression: string) =>
  showForm({
    nodes: [
      { id: 'n', type: 'loop', position: place, data: { label: 'loop', arrayExpression } },
      start,
      request,
    ],
    edges: [
      { id: 'e', source: 's', target: 'f' },
      { id: 'e2', source: 'f', target: 'n' },
    ],
  });

test.each(['start.items', 'start.goods', 'fetch.items', 'input["items"]'])(
  '%s without $ is shown as what a run reads: text',
  async (path) => {
    await showLoop(path);
    const hint = `This is read as text; write $${path} to read the data`;
    expect(await screen.findByText(hint, {}, PATIENCE)).toBeTruthy();
    expect(screen.queryByText('["a"]')).toBeNull();
    expect(screen.queryByText(/has no value here/)).toBeNull();
  },
);

test.each(['orders', 'example.com', 'start', 'see start.items', 'Start.items'])(
  'nothing is said of the text %s',
  async (text) => {
    await showLoop(text);
    expect(await screen.findByDisplayValue('loop', {}, PATIENCE)).toBeTruthy();
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(screen.queryByText(/has no value here|is read as text/)).toBeNull();
  },
);

test('a path with its $ is shown with its value', async () => {
  await showLoop('$start.items');
  expect(await screen.findByText('["a"]', {}, PATIENCE)).toBeTruthy();
  expect(screen.getByText('array')).toBeTruthy();
});
