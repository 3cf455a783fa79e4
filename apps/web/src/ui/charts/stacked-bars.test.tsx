import { cleanup, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, expect, test } from 'vitest';
import { bucketAt, dragged, StackedBars } from './stacked-bars.tsx';

afterEach(cleanup);

const buckets = [
  { from: 'one', to: 'two' },
  { from: 'two', to: 'three' },
];
const part = (key: string, values: (number | null)[]) => ({
  key,
  label: `Part ${key}`,
  fill: `fill-${key}`,
  dot: `bg-${key}`,
  values,
});
const show = (parts: ReturnType<typeof part>[]) =>
  render(
    <StackedBars
      buckets={buckets}
      parts={parts}
      summary="What it shows"
      formatTime={(at) => `at ${at}`}
      formatValue={(value) => `${value} pieces`}
      height="h-40"
    />,
  ).container;

test('a drag beyond an edge ends at the last bucket there, in either direction', () => {
  expect([bucketAt(-0.2, 4), bucketAt(0.5, 4), bucketAt(1.3, 4)]).toEqual([0, 2, 3]);
  expect(dragged(3, 1)).toEqual([1, 3]);
});

test('the parts of a bucket are on top of each other, and the highest bar fills the chart', () => {
  const container = show([part('a', [30, 10]), part('b', [10, null])]);
  const shapes = [...container.querySelectorAll('rect')].map((rect) => [
    rect.getAttribute('class'),
    rect.getAttribute('y'),
    rect.getAttribute('height'),
  ]);
  expect(shapes).toEqual([
    ['fill-a', '25', '75'],
    ['fill-b', '0', '25'],
    ['fill-a', '75', '25'],
  ]);
  expect(screen.getByRole('img', { name: 'What it shows' })).toBeTruthy();
  expect(screen.getByText('40 pieces')).toBeTruthy();
});

test('the bucket below the pointer is read out with its parts', () => {
  const container = show([part('a', [30, 10]), part('b', [10, null])]);
  const chart = screen.getByRole('img');
  const around = chart.parentElement ?? chart;
  around.getBoundingClientRect = () => DOMRect.fromRect({ width: 200, height: 100 });
  fireEvent.pointerMove(chart, { clientX: 150 });
  expect(screen.getByText('at two – at three')).toBeTruthy();
  expect(container.textContent).toMatch(/Part a10 piecesPart b–/);
  fireEvent.pointerMove(chart, { clientX: 20 });
  expect(container.textContent).toMatch(/at one – at twoPart a30 piecesPart b10 pieces/);
});

test('without any value there are no bars', () => {
  expect(show([part('a', [0, 0])]).querySelectorAll('rect')).toHaveLength(0);
});
