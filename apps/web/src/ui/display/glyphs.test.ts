import { catalog } from '@millrace/nodes/catalog';
import { credentialTypes } from '@millrace/nodes/credentials';
import { describe, expect, it } from 'vitest';
import { LOOKS } from '../../features/credential/type-icon.tsx';
import { GLYPHS } from './glyphs.ts';

/** Names that are drawn as a box, by what gives them. Drawings of their own need no name. */
const findMissing = (named: readonly { name: string; icon: unknown }[]) =>
  named.filter(({ icon }) => typeof icon === 'string' && !(icon in GLYPHS)).map(({ name }) => name);

describe('glyphs', () => {
  it('has one for every node type of the catalogue', () => {
    expect(findMissing(catalog.all.map(({ type, icon }) => ({ name: type, icon })))).toEqual([]);
  });

  it('has one for every kind and type of credential', () => {
    expect(findMissing(Object.entries(LOOKS).map(([name, { icon }]) => ({ name, icon })))).toEqual([]);
    expect(findMissing(credentialTypes.map(({ type, icon }) => ({ name: type, icon })))).toEqual([]);
  });
});
