import { describe, expect, it } from 'vitest';
import { filenameIn, lastPathPart } from './file-name.ts';

const asHeader = (text: string): string => Buffer.from(text, 'utf8').toString('latin1');

describe('filenameIn', () => {
  it.each([
    ['attachment; filename="report.pdf"', 'report.pdf'],
    ['attachment; filename=report.pdf; size=3', 'report.pdf'],
    ['attachment; filename=annual report 2026.pdf', 'annual report 2026.pdf'],
    ['attachment; filename=annual report.pdf; size=3', 'annual report.pdf'],
    ['attachment; filename="with \\"quotes\\".txt"', 'with "quotes".txt'],
    [`attachment; filename="plain.txt"; filename*=UTF-8''%C3%BC.txt`, 'ü.txt'],
    [`attachment; filename*=iso-8859-1'en'%A3%20rates.txt`, '£ rates.txt'],
    [`attachment; filename="kept.txt"; filename*=UTF-8''%FF.txt`, 'kept.txt'],
    [asHeader('attachment; filename="übersicht 日本.txt"'), 'übersicht 日本.txt'],
    ['attachment; filename="\u00fc.txt"', 'ü.txt'],
    ['attachment; filename=""', undefined],
    ['attachment', undefined],
    ['inline; x-filename=no.txt', undefined],
  ])('reads %s', (header, name) => {
    expect(filenameIn(header)).toBe(name);
  });
});

describe('lastPathPart', () => {
  it.each([
    ['https://example.com/files/%C3%BC.txt', 'ü.txt'],
    ['https://example.com/files/', 'files'],
    ['https://example.com/', undefined],
    ['https://example.com/%FF', '%FF'],
  ])('reads %s', (address, part) => {
    expect(lastPathPart(new URL(address))).toBe(part);
  });
});
