import { expect, test } from 'vitest';
import { type IdKind, notionId } from './notion-id.ts';

const A = '0123456789abcdef0123456789abcdef';
const B = 'fedcba9876543210fedcba9876543210';
const V = '11111111111111111111111111111111';
const dashed = (id: string) => id.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');

test.each<[string, IdKind, string]>([
  [A, 'page', dashed(A)],
  [` ${dashed(A).toUpperCase()} `, 'page', dashed(A)],
  [`https://www.notion.so/team/Plan-for-2026-${A}`, 'page', dashed(A)],
  [`https://www.notion.so/${A}?v=${V}`, 'database', dashed(A)],
  [`https://www.notion.so/team/${A}?v=${V}&p=${B}&pm=s`, 'page', dashed(B)],
  [`https://www.notion.so/team/${A}?v=${V}&p=${B}`, 'database', dashed(A)],
  [`https://www.notion.so/Plan-${A}#${B}`, 'block', dashed(B)],
  [`https://www.notion.so/Plan-${A}`, 'block', dashed(A)],
  [`https://team.notion.site/deadbeef-${A}`, 'page', dashed(A)],
  [`collection://${dashed(B)}`, 'data_source', dashed(B)],
  ['not an id', 'page', 'not an id'],
  ['https://example.com/x', 'page', 'https://example.com/x'],
])('%s as %s is %s', (text, kind, id) => {
  expect(notionId(text, kind)).toBe(id);
});
