import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findNeighbour, keepFocus } from './keep-focus.ts';

const DRAWN = {
  nodes: ['a', 'b', 'c', 'alone'].map((id) => ({ id, type: 'set', position: { x: 0, y: 0 }, data: {} })),
  edges: [
    { id: 'ab', source: 'a', target: 'b' },
    { id: 'bc', source: 'b', target: 'c' },
  ],
};
const NONE: ReadonlySet<string> = new Set();

describe('the node that is next to what goes', () => {
  it.each([
    ['leads to it', ['b'], 'a'],
    ['comes after the first', ['a'], 'b'],
    ['leads to the first of several', ['b', 'c'], 'a'],
    ['stands before one without connections', ['alone'], 'c'],
    ['is left', ['a', 'b', 'c'], 'alone'],
  ])('%s', (_what, nodes, neighbour) => {
    expect(findNeighbour(DRAWN, { nodes: new Set(nodes), edges: NONE })).toBe(neighbour);
  });

  it('is where a connection begins', () => {
    expect(findNeighbour(DRAWN, { nodes: NONE, edges: new Set(['bc']) })).toBe('b');
  });

  it('is none on an empty canvas', () => {
    const all = new Set(['a', 'b', 'c', 'alone']);
    expect(findNeighbour(DRAWN, { nodes: all, edges: NONE })).toBeUndefined();
  });
});

describe('the focus after something has gone', () => {
  beforeEach(() => {
    document.body.innerHTML =
      '<input><div class="react-flow" tabindex="-1"><div class="react-flow__node" data-id="a" tabindex="0"></div></div>';
  });
  afterEach(() => {
    document.body.innerHTML = '';
  });
  const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));

  it('goes to the node beside it', async () => {
    keepFocus('a');
    await frame();
    expect(document.activeElement?.getAttribute('data-id')).toBe('a');
  });

  it.each([
    ['without one', undefined],
    ['while that one is not drawn', 'far away'],
  ])('%s stays on the canvas', async (_when, id) => {
    keepFocus(id);
    await frame();
    expect(document.activeElement?.className).toBe('react-flow');
  });

  it('waits for the menu that removed it to close', async () => {
    document.body.insertAdjacentHTML('beforeend', '<div role="menu" tabindex="-1"></div>');
    const menu = document.querySelector<HTMLElement>('[role="menu"]');
    menu?.focus();
    keepFocus('a');
    await frame();
    expect(document.activeElement).toBe(menu);
    menu?.remove();
    await frame();
    await frame();
    expect(document.activeElement?.getAttribute('data-id')).toBe('a');
  });

  it('stays where it is when it is elsewhere', async () => {
    document.querySelector('input')?.focus();
    keepFocus('a');
    await frame();
    expect(document.activeElement?.tagName).toBe('INPUT');
  });
});
