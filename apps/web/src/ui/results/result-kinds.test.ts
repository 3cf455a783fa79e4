import { describe, expect, it } from 'vitest';
import { collectColumns, findImage, findRows, findText, viewsFor } from './result-kinds.ts';

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

describe('findImage', () => {
  it('takes data addresses of pictures only', () => {
    expect(findImage(PIXEL)).toBe(PIXEL);
    expect(findImage('data:text/html;base64,AAAA')).toBeUndefined();
    expect(findImage('https://example.org/a.png')).toBeUndefined();
  });
});

describe('findText and findRows', () => {
  it('looks into an object with one property', () => {
    expect(findText({ text: 'x' })).toBe('x');
    expect(findText({ text: 'x', more: 1 })).toBeUndefined();
    expect(findRows({ rows: [{ a: 1 }, 2] })).toBeUndefined();
  });

  it('collects the columns of uneven rows', () => {
    expect(collectColumns([{ a: 1 }, { b: 2, a: 3 }])).toEqual(['a', 'b']);
  });
});
