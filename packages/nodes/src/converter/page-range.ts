import { refusedParam } from '../kit/refused-param.ts';

const PART = /^(\d{1,6})(?:\s*-\s*(\d{1,6}))?$/;

/** Numbers of pages that a range such as `1-3, 5` names, in its order and each once; all for an empty one. */
export function pagesIn(range: string, count: number): number[] {
  const parts = range
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
  if (parts.length === 0) return Array.from({ length: count }, (_, at) => at + 1);
  const pages = new Set<number>();
  for (const part of parts) {
    const [, first, last = first] = PART.exec(part) ?? [];
    const from = Number(first);
    const to = Number(last);
    if (first === undefined || from < 1 || to < from) {
      throw refusedParam('ocrPageRange', `must be pages such as 1-3, 5, not "${part.slice(0, 40)}"`);
    }
    if (to > count) throw refusedParam('ocrPageRange', `names page ${to}; the file has ${count}`);
    for (let page = from; page <= to; page++) pages.add(page);
  }
  return [...pages];
}
