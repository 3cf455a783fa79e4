import { describe, expect, it } from 'vitest';
import { wholeView } from './first-view.ts';

const pane = { width: 1000, height: 640 };

describe('the view of a whole graph', () => {
  it('is in the middle and never enlarged', () => {
    expect(wholeView({ x: 0, y: 0, width: 200, height: 100 }, pane)).toEqual({ x: 400, y: 250, zoom: 1 });
  });

  it('shrinks a graph as long as it can be read', () => {
    expect(wholeView({ x: 0, y: 0, width: 1130, height: 100 }, pane)?.zoom).toBeCloseTo(0.8);
  });

  it('is refused when labels would be too small', () => {
    expect(wholeView({ x: 0, y: 0, width: 4000, height: 100 }, pane)).toBeUndefined();
  });
});
