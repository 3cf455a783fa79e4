import { readFileSync } from 'node:fs';
import { BOARD_COLORS } from '@millrace/contracts';
import { describe, expect, test } from 'vitest';

const css = readFileSync(new URL('./tokens.css', import.meta.url), 'utf8');
const canvasCss = readFileSync(new URL('../features/canvas-view/canvas.css', import.meta.url), 'utf8');
/** The colors of edges, in each of their states. */
const EDGE_COLORS = Array.from(
  canvasCss.matchAll(/--edge-color: var\(--([\w-]+)\);/g),
  ([, token = '']) => token,
);

function parseTokens(theme: 'light' | 'dark'): ReadonlyMap<string, string> {
  const from = css.indexOf(`:root[data-theme="${theme}"]`);
  const block = css.slice(from, css.indexOf('}', from));
  return new Map(
    Array.from(block.matchAll(/--([\w-]+): ([^;]+);/g), ([, name = '', value = '']) => [name, value]),
  );
}

/** Relative luminance (WCAG 2.2) of `oklch(L C H)`, by the matrices of CSS Color 4. */
function luminance(color: string | undefined): number {
  const [, L, C, H] = /^oklch\(([\d.]+) ([\d.]+) ([\d.]+)\)$/.exec(color ?? '')?.map(Number) ?? [];
  if (L === undefined || C === undefined || H === undefined) throw new Error(`${color} is no opaque oklch()`);
  const a = C * Math.cos((H * Math.PI) / 180);
  const b = C * Math.sin((H * Math.PI) / 180);
  const l = (L + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (L - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (L - 0.0894841775 * a - 1.291485548 * b) ** 3;
  const within = (value: number) => Math.min(1, Math.max(0, value));
  const red = within(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s);
  const green = within(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s);
  const blue = within(-0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s);
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

const contrast = (one: string | undefined, other: string | undefined): number => {
  const [low = 0, high = 0] = [luminance(one), luminance(other)].toSorted((x, y) => x - y);
  return (high + 0.05) / (low + 0.05);
};

describe.each(['light', 'dark'] as const)('%s theme', (theme) => {
  const tokens = parseTokens(theme);
  test('edges have a contrast of 3:1 to the canvas in every state', () => {
    expect(EDGE_COLORS).toHaveLength(6);
    for (const color of EDGE_COLORS) {
      expect(contrast(tokens.get(color), tokens.get('canvas')), color).toBeGreaterThanOrEqual(3);
    }
  });

  const surfaces = ['canvas', 'surface', 'sunken', 'raised', 'hover'];

  test.each(BOARD_COLORS)(
    'columns of boards in %s reach the AA contrast of text on every surface',
    (color) => {
      for (const surface of surfaces) {
        const reached = contrast(tokens.get(`column-${color}`), tokens.get(surface));
        expect(reached, `${color} on ${surface}`).toBeGreaterThanOrEqual(4.5);
      }
    },
  );
});
