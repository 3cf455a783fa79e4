import { describe, expect, it } from 'vitest';
import { keySymbols } from './key-symbols.ts';

describe('keySymbols', () => {
  it('names the platform modifier', () => {
    expect(keySymbols('$mod+k', false)).toEqual(['Ctrl', 'K']);
    expect(keySymbols('$mod+Shift+Enter', true)).toEqual(['⌘', '⇧', '↵']);
  });

  it('keeps the order of a sequence', () => {
    expect(keySymbols('g r', false)).toEqual(['G', 'R']);
  });

  it('writes a key of the number row as its number', () => {
    expect(keySymbols('Shift+Digit1', false)).toEqual(['Shift', '1']);
  });

  it('leaves keys without a symbol as they are', () => {
    expect(keySymbols('?', false)).toEqual(['?']);
    expect(keySymbols('F2', false)).toEqual(['F2']);
  });
});
