import { describe, expect, it } from 'vitest';
import { openingView, wholeView } from './first-view.ts';

const pane = { width: 1000, height: 640 };

describe('the view of a whole graph', () => {
  it('is in the middle and never enlarged', () => {
    expect(wholeView({ x: 0, y: 0, width: 200, height: 100 }, pane)).toEqual({ x: 400, y: 250, zoom: 1 });
  });

  it('shrinks a graph as long as one can work in it', () => {
    expect(wholeView({ x: 0, y: 0, width: 1130, height: 100 }, pane)?.zoom).toBeCloseTo(0.8);
  });

  it('is refused when texts would be too small', () => {
    expect(wholeView({ x: 0, y: 0, width: 4000, height: 100 }, pane)).toBeUndefined();
  });
});

describe('the view of a graph that was just opened', () => {
  it('has a small graph in the middle, never enlarged', () => {
    expect(openingView({ x: 0, y: 0, width: 200, height: 100 }, pane)).toEqual({ x: 400, y: 250, zoom: 1 });
  });

  it('has all of a large graph while its labels can be read', () => {
    const bounds = { x: -300, y: 40, width: 2400, height: 900 };
    const { x, y, zoom } = openingView(bounds, pane);
    expect(zoom).toBeLessThan(0.4);
    expect(bounds.x * zoom + x).toBeGreaterThan(0);
    expect((bounds.x + bounds.width) * zoom + x).toBeLessThan(pane.width);
    expect(bounds.y * zoom + y).toBeGreaterThan(0);
    expect((bounds.y + bounds.height) * zoom + y).toBeLessThan(pane.height);
  });

  it.each([
    ['wide', { x: 500, y: 0, width: 9000, height: 100 }, { left: 48, top: 282.5 }],
    ['tall', { x: 500, y: 70, width: 100, height: 9000 }, { left: 482.5, top: 48 }],
    ['wide and tall', { x: 500, y: 70, width: 9000, height: 9000 }, { left: 48, top: 48 }],
  ])('has the start of a graph that is too %s, in the middle otherwise', (_name, bounds, { left, top }) => {
    const { x, y, zoom } = openingView(bounds, pane);
    expect(zoom).toBe(0.35);
    expect(bounds.x * zoom + x).toBe(left);
    expect(bounds.y * zoom + y).toBe(top);
  });
});
