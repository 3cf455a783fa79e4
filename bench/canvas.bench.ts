/**
 * First paint, dragging, input and progress of a large graph in the real editor, against the built product in Chromium.
 * Run with `npm run bench -- canvas [nodes]`.
 *
 * First paint is the time from the click on the workflow in the list, with the editor's code loaded, until the first
 * nodes are drawn; it is measured in the page. Drag frames are the gaps between animation frames while one node is
 * dragged, and how many other nodes changed in the document while it moved. Input is measured as interaction to next
 * paint. Progress is the gaps between frames while 200 nodes of a run begin and end, ten at a time.
 */
import type { Page } from '@playwright/test';
import { quantile } from './support/quantile.ts';
import { measureFrames, measureInteractions, SHORTEST_REPORTED_MS } from './support/responsiveness.ts';
import { withSignedInPage } from './support/signed-in-page.ts';

const COUNT = Number(process.argv[2] ?? 500);
const ROUNDS = 5;
const DRAG_STEPS = 90;
const COLUMNS = 25;

function graph(count: number) {
  const nodes = Array.from({ length: count }, (_, at) => ({
    id: `n${at}`,
    type: at === 0 ? 'textInput' : at % 7 === 0 ? 'condition' : 'set',
    position: { x: (at % COLUMNS) * 280, y: Math.floor(at / COLUMNS) * 140 },
    data: { label: `node${at}`, mappings: [{ key: 'v', value: '$input.v' }], condition: '$input.v > 1' },
  }));
  const edges = nodes.slice(1).map((node, at) => {
    const before = nodes[at];
    const handle = before?.type === 'condition' ? { sourceHandle: 'true' } : {};
    return { id: `e${at}`, source: before?.id, target: node.id, ...handle };
  });
  return { name: `Graph of ${count}`, nodes, edges };
}

const ms = (value: number): string => `${value.toFixed(1)} ms`;

/** Time in the page from leaving for the editor until nodes are on the screen. */
async function firstPaint(page: Page, name: string): Promise<number> {
  await page.goto('/');
  const link = page.getByRole('link', { name }).first();
  await link.waitFor();
  await link.hover();
  // The value of the text is waited for, and so must not be the promise itself.
  await page.evaluate(`
    void (window.__painted = new Promise((resolve) => {
      document.addEventListener('click', () => {
        const from = performance.now();
        const look = () => document.querySelector('.react-flow__node .canvas-node')
          ? requestAnimationFrame(() => resolve(performance.now() - from))
          : requestAnimationFrame(look);
        look();
      }, { capture: true, once: true });
    }));
  `);
  await link.click();
  return page.evaluate<number>('window.__painted');
}

interface Drag {
  gaps: number[];
  /** Nodes other than the dragged one whose elements changed. */
  touched: number;
  drawn: number;
}

async function drag(page: Page): Promise<Drag> {
  const node = page.locator('.react-flow__node').first();
  const box = await node.boundingBox();
  if (!box) throw new Error('no node is drawn');
  const [x, y] = [box.x + box.width / 2, box.y + 12];
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.evaluate(`
    window.__gaps = [];
    window.__touched = new Set();
    window.__watch = new MutationObserver((changes) => {
      for (const change of changes) {
        const node = change.target.closest?.('.react-flow__node');
        if (node && !node.classList.contains('dragging')) window.__touched.add(node.dataset.id);
      }
    });
    window.__watch.observe(document.querySelector('.react-flow__nodes'), { subtree: true, attributes: true, childList: true });
    let last = performance.now();
    const tick = (now) => { window.__gaps.push(now - last); last = now; window.__frame = requestAnimationFrame(tick); };
    window.__frame = requestAnimationFrame(tick);
  `);
  for (let step = 1; step <= DRAG_STEPS; step += 1) await page.mouse.move(x + step * 2, y + step);
  const result = await page.evaluate<Drag>(`(() => {
    cancelAnimationFrame(window.__frame);
    window.__watch.disconnect();
    return {
      gaps: window.__gaps.slice(1),
      touched: window.__touched.size,
      drawn: document.querySelectorAll('.react-flow__node').length,
    };
  })()`);
  await page.mouse.up();
  return result;
}

/** Ten rows of nodes that each take a while, so that events come all the time. */
const ROWS = 10;
const IN_ROW = 20;
const BUSY_MS = 100;

function busyGraph() {
  const id = (row: number, at: number) => `w${row}x${at}`;
  const cells = Array.from({ length: ROWS * IN_ROW }, (_, at) => [at % ROWS, Math.floor(at / ROWS)] as const);
  const waits = cells.map(([row, at]) => ({
    id: id(row, at),
    type: 'wait',
    position: { x: 300 + at * 280, y: row * 140 },
    data: { label: id(row, at), duration: BUSY_MS + row * 7 },
  }));
  const start = { id: 'start', type: 'textInput', position: { x: 0, y: 0 }, data: { label: 'start' } };
  const edges = cells.map(([row, at]) => ({
    id: `e${id(row, at)}`,
    source: at === 0 ? 'start' : id(row, at - 1),
    target: id(row, at),
  }));
  return { name: 'Busy graph', nodes: [start, ...waits], edges };
}

async function input(page: Page): Promise<void> {
  const first = page.locator('.react-flow__node').nth(1);
  const press = (key: string) => () => page.keyboard.press(key);
  const chooseFirst = () => first.click();
  const label = page
    .getByRole('region', { name: 'Node', exact: true })
    .getByRole('textbox', { name: 'Label' });
  const found = await measureInteractions(page, ROUNDS, [
    ['choose a node', chooseFirst, press('Escape')],
    [
      'type in its form',
      async () => {
        await chooseFirst();
        await label.click();
        await page.evaluate('window.__slowest = 0');
        await page.keyboard.type('abc', { delay: 120 });
      },
    ],
    ['close its form', press('Escape'), chooseFirst],
    ['move it by key', press('ArrowDown')],
    [
      'delete it',
      press('Delete'),
      async () => {
        await page.keyboard.press('ControlOrMeta+z');
        await chooseFirst();
      },
    ],
    ['undo', press('ControlOrMeta+z'), press('ControlOrMeta+Shift+z')],
    ['choose all', press('ControlOrMeta+a'), press('Escape')],
  ]);
  const told = found.map(
    ({ name, ms: took }) => `${name} ${took < SHORTEST_REPORTED_MS ? '< 16 ms' : ms(took)}`,
  );
  process.stdout.write(`  input until painted (median of ${ROUNDS}): ${told.join(', ')}\n`);
}

async function progress(page: Page): Promise<void> {
  const run = page
    .getByRole('region', { name: 'Workflow', exact: true })
    .getByRole('button', { name: 'Run', exact: true });
  const panel = page.getByRole('region', { name: 'Run', exact: true });
  // Asked again and again whether it has ended, the page would be busy with that.
  const once = async () => {
    await run.click();
    await page.waitForTimeout(2 * IN_ROW * (BUSY_MS + ROWS * 7));
    await panel.getByText('Success').first().waitFor();
  };
  // The loading that only a first run does is not measured.
  await once();
  const gaps = await measureFrames(page, once);
  process.stdout.write(
    `  progress of ${ROWS * IN_ROW} nodes: ${gaps.length} frames, median ${ms(quantile(gaps, 0.5))}, ` +
      `p95 ${ms(quantile(gaps, 0.95))}, longest ${ms(quantile(gaps, 1))}\n`,
  );
}

await withSignedInPage(async ({ page, post }) => {
  const small = graph(5);
  const large = graph(COUNT);
  await post('/api/workflows', small);
  await post('/api/workflows', large);

  for (const { name } of [small, large]) {
    const paints: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1) paints.push(await firstPaint(page, name));
    const { gaps, touched, drawn } = await drag(page);
    const late = gaps.filter((gap) => gap > 20).length;
    process.stdout.write(
      `${name}: first paint median ${ms(quantile(paints, 0.5))}, worst ${ms(quantile(paints, 1))}; ${drawn} nodes drawn\n` +
        `  drag: ${gaps.length} frames, median ${ms(quantile(gaps, 0.5))}, p95 ${ms(quantile(gaps, 0.95))}, ` +
        `${late} later than 20 ms; ${touched} other nodes touched\n`,
    );
    await input(page);
  }
  const busy = busyGraph();
  await post('/api/workflows', busy);
  await firstPaint(page, busy.name);
  process.stdout.write(`${busy.name}:\n`);
  await progress(page);
});
