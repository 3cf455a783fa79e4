import { catalog } from '@millrace/nodes/catalog';
import { describe, expect, it } from 'vitest';
import { GLYPHS } from './glyphs.ts';

describe('glyphs', () => {
  it('has one for every node type of the catalogue', () => {
    const missing = catalog.all
      .filter(({ icon }) => !(icon in GLYPHS))
      .map(({ type, icon }) => `${type}: ${icon}`);
    expect(missing).toEqual([]);
  });
});
