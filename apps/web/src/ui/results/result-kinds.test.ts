import { describe, expect, it } from 'vitest';
import { columnsOf, imageOf, rowsOf, textOf, viewsFor } from './result-kinds.ts';

const PIXEL = 'data:image/png;base64,iVBORw0KGgo=';

describe('viewsFor', () => {
  it('shows an object as a tree first', () => {
    expect(viewsFor({ a: 1, b: 2 })).toEqual(['tree', 'text']);
  });

  it('offers a table for a list of objects, also inside a wrapper', () => {
    expect(viewsFor([{ a: 1 }])).toContain('table');
    expect(viewsFor({ items: [{ a: 1 }] })).toContain('table');
    expect(viewsFor([1, 2])).not.toContain('table');
  });

  it('shows plain text as text and offers Markdown', () => {
    expect(viewsFor('hello')).toEqual(['text', 'markdown']);
  });

  it('shows text with headings and lists as Markdown first', () => {
    expect(viewsFor('# Title\n\n- one\n- two')[0]).toBe('markdown');
  });

  it('shows a picture first', () => {
    expect(viewsFor({ image: PIXEL })[0]).toBe('image');
  });
});

describe('imageOf', () => {
  it('takes data addresses of pictures only', () => {
    expect(imageOf(PIXEL)).toBe(PIXEL);
    expect(imageOf('data:text/html;base64,AAAA')).toBeUndefined();
    expect(imageOf('https://example.org/a.png')).toBeUndefined();
  });
});

describe('textOf and rowsOf', () => {
  it('looks into an object with one property', () => {
    expect(textOf({ text: 'x' })).toBe('x');
    expect(textOf({ text: 'x', more: 1 })).toBeUndefined();
    expect(rowsOf({ rows: [{ a: 1 }, 2] })).toBeUndefined();
  });

  it('collects the columns of uneven rows', () => {
    expect(columnsOf([{ a: 1 }, { b: 2, a: 3 }])).toEqual(['a', 'b']);
  });
});
