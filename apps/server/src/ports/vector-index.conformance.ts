import { randomUUID } from 'node:crypto';
import { NodeFailure } from '@millrace/engine';
import { describe, expect, test } from 'vitest';
import type { VectorIndex, VectorPoint } from './vector-index.ts';

const point = (
  text: string,
  vector: number[],
  metadata: VectorPoint['metadata'] = {},
  id: string = randomUUID(),
): VectorPoint => ({ id, text, vector, metadata });

/** The rules that every adapter of the port must keep. */
export function vectorIndexConformance(
  name: string,
  open: (collection: string, dimensions: number) => VectorIndex,
): void {
  let counter = 0;
  const fresh = async (dimensions = 3) => {
    const index = open(`conformance-${++counter}`, dimensions);
    await index.prepare();
    return index;
  };
  const all = { limit: 10, filter: {} };

  describe(`index of vectors: ${name}`, () => {
    test('finds the nearest points first, with their cosine similarity', async () => {
      const index = await fresh();
      await index.put([point('far', [0, 1, 0]), point('near', [2, 0.2, 0]), point('opposite', [-1, 0, 0])]);
      const found = await index.search([1, 0, 0], all);
      expect(found.map(({ text }) => text)).toEqual(['near', 'far', 'opposite']);
      expect(found.map(({ score }) => score)).toEqual([
        expect.closeTo(0.995, 3),
        expect.closeTo(0, 3),
        expect.closeTo(-1, 3),
      ]);
      expect(await index.search([1, 0, 0], { ...all, limit: 1 })).toHaveLength(1);
    });

    test('keeps texts and metadata as they are', async () => {
      const index = await fresh();
      const metadata = { source: 'Größe "x".md', nested: { list: [1, null, 'ü'] }, ok: true, n: 1.5 };
      const stored = point("Zeile 1\n„Zeile 2“ 🎉 \\ '", [1, 0, 0], metadata);
      await index.put([stored]);
      const [found] = await index.search([1, 0, 0], all);
      expect(found).toEqual({ id: stored.id, text: stored.text, metadata, score: expect.closeTo(1, 5) });
    });

    test('a point with the same id is replaced', async () => {
      const index = await fresh();
      const first = point('old', [1, 0, 0]);
      await index.put([first]);
      await index.put([{ ...first, text: 'new', vector: [0, 1, 0] }]);
      expect(await index.search([0, 1, 0], all)).toMatchObject([
        { text: 'new', score: expect.closeTo(1, 5) },
      ]);
    });

    test('filters by metadata: every key, any value of a list, elements of stored lists', async () => {
      const index = await fresh();
      await index.put([
        point('a', [1, 0, 0], { lang: 'de', year: 2025, tags: ['x', 'y'], draft: true }),
        point('b', [1, 0, 0], { lang: 'de', year: 2026, draft: false }),
        point('c', [1, 0, 0], { lang: 'en', year: 2026 }),
      ]);
      const texts = async (filter: Parameters<VectorIndex['count']>[0]) =>
        (await index.search([1, 0, 0], { limit: 10, filter })).map(({ text }) => text).sort();
      expect(await texts({ lang: 'de' })).toEqual(['a', 'b']);
      expect(await texts({ lang: 'de', year: 2026 })).toEqual(['b']);
      expect(await texts({ lang: ['en', 'fr'] })).toEqual(['c']);
      expect(await texts({ tags: 'y' })).toEqual(['a']);
      expect(await texts({ draft: true })).toEqual(['a']);
      expect(await texts({ lang: "d' or 1=1" })).toEqual([]);
      expect(await index.count({ year: 2026 })).toBe(2);
    });

    test('a filter does not hide distant points', async () => {
      const index = await fresh();
      await index.put(
        Array.from({ length: 200 }, (_, at) => point(`near ${at}`, [1, at / 1_000, 0], { kind: 'n' })),
      );
      await index.put([point('the one', [-1, 0, 0], { kind: 'other' })]);
      expect(await index.search([1, 0, 0], { limit: 5, filter: { kind: 'other' } })).toMatchObject([
        { text: 'the one' },
      ]);
      expect(await index.search([1, 0, 0], { limit: 150, filter: {} })).toHaveLength(150);
    });

    test('removes by ids and by filter', async () => {
      const index = await fresh();
      const points = [
        point('a', [1, 0, 0], { s: 1 }),
        point('b', [1, 0, 0], { s: 1 }),
        point('c', [1, 0, 0]),
      ];
      await index.put(points);
      await index.removeIds([points[0]?.id ?? '']);
      expect(await index.count({})).toBe(2);
      await index.removeWhere({ s: 1 });
      expect((await index.search([1, 0, 0], all)).map(({ text }) => text)).toEqual(['c']);
      const kept = point('d', [1, 0, 0], { s: 2 });
      await index.put([kept, point('e', [1, 0, 0], { s: 2 })]);
      await index.removeWhere({ s: 2 }, [kept.id]);
      expect(await index.count({ s: 2 })).toBe(1);
      await index.removeWhere({}, [kept.id]);
      expect(await index.count({})).toBe(1);
      await index.removeWhere({});
      expect(await index.count({})).toBe(0);
    });

    test('lists every point once, page by page', async () => {
      const index = await fresh();
      const points = Array.from({ length: 25 }, (_, at) => point(`${at}`, [1, at, 0]));
      await index.put(points);
      const seen: string[] = [];
      let after: string | null = null;
      do {
        const page = await index.list({ limit: 10, after, with_vectors: true });
        expect(page.points.length).toBeLessThanOrEqual(10);
        expect(page.points[0]?.vector).toHaveLength(3);
        seen.push(...page.points.map(({ id }) => id));
        after = page.next;
      } while (after !== null);
      expect(seen.sort()).toEqual(points.map(({ id }) => id).sort());
    });

    test('preparing again keeps what is there; other dimensions are refused', async () => {
      const index = open('conformance-again', 3);
      await index.prepare();
      await index.put([point('a', [1, 0, 0])]);
      await index.prepare();
      expect(await index.count({})).toBe(1);
      await expect(open('conformance-again', 4).prepare()).rejects.toThrow(/3.*4|4.*3/);
    });

    test('vectors of another length are refused in words, when they are stored and when they are searched', async () => {
      const index = await fresh();
      await index.put([point('a', [1, 0, 0])]);
      await expect(index.put([point('b', [1, 0])])).rejects.toBeInstanceOf(NodeFailure);
      await expect(index.search([1, 0], all)).rejects.toBeInstanceOf(NodeFailure);
      expect(await index.count({})).toBe(1);
    });

    test('prepared at once by several, it is there once', async () => {
      const indexes = Array.from({ length: 4 }, () => open('conformance-together', 3));
      await Promise.all(indexes.map((index) => index.prepare()));
      await indexes[0]?.put([point('a', [1, 0, 0])]);
      expect(await indexes[3]?.count({})).toBe(1);
    });

    test('a collection that is missing has no points, and dropping it is no error', async () => {
      const index = open('conformance-missing', 3);
      expect(await index.search([1, 0, 0], all)).toEqual([]);
      expect(await index.count({})).toBe(0);
      expect(await index.list({ limit: 10, after: null })).toEqual({ points: [], next: null });
      await index.removeWhere({ a: 1 });
      await index.removeIds([randomUUID()]);
      await index.drop();
      const there = await fresh();
      await there.put([point('a', [1, 0, 0])]);
      await there.drop();
      expect(await there.count({})).toBe(0);
    });
  });
}
