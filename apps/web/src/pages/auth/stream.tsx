import { type Family, NodeGlyph } from '../../ui/graph/node-glyph.tsx';

interface Step {
  x: number;
  y: number;
  icon: string;
  family: Family;
  label: string;
  time: string;
}

const STEPS: readonly Step[] = [
  { x: 0, y: 150, icon: 'webhook', family: 'trigger', label: 'orderReceived', time: '0 ms' },
  { x: 186, y: 150, icon: 'globe', family: 'network', label: 'fetchCustomer', time: '84 ms' },
  { x: 372, y: 60, icon: 'split', family: 'flow', label: 'isKnown', time: '1 ms' },
  { x: 372, y: 240, icon: 'braces', family: 'data', label: 'invoiceFields', time: '2 ms' },
  { x: 558, y: 150, icon: 'log-out', family: 'output', label: 'answer', time: '1 ms' },
];

const EDGES: readonly [number, number][] = [
  [0, 1],
  [1, 2],
  [1, 3],
  [2, 4],
  [3, 4],
];

const WIDTH = 146;
const HEIGHT = 52;

function curve(from: Step, to: Step): string {
  const [x1, y1] = [from.x + WIDTH, from.y + HEIGHT / 2];
  const [x2, y2] = [to.x, to.y + HEIGHT / 2];
  const middle = (x1 + x2) / 2;
  return `M${x1} ${y1} C${middle} ${y1} ${middle} ${y2} ${x2} ${y2}`;
}

/** A small run, drawn the way the editor draws it. Decoration. */
export function Stream() {
  return (
    <div
      aria-hidden
      className="absolute inset-0 bg-[radial-gradient(var(--line-strong)_1px,transparent_1px)] bg-[length:22px_22px] [mask-image:linear-gradient(to_bottom,black_45%,transparent_78%)]"
    >
      <div className="absolute top-[16%] left-10 h-[340px] w-[720px]">
        <svg className="absolute inset-0 size-full overflow-visible">
          {EDGES.map(([from, to]) => {
            const [a, b] = [STEPS[from], STEPS[to]];
            return a && b ? (
              <path
                key={`${from}-${to}`}
                d={curve(a, b)}
                fill="none"
                className="stroke-control-line"
                strokeWidth="1.5"
              />
            ) : null;
          })}
        </svg>
        {STEPS.map((step) => (
          <div
            key={step.label}
            className="absolute flex items-center gap-2.5 rounded-l border border-line-strong bg-surface px-2.5 shadow-m"
            style={{ left: step.x, top: step.y, width: WIDTH, height: HEIGHT }}
          >
            <NodeGlyph icon={step.icon} family={step.family} />
            <span className="min-w-0">
              <span className="block truncate text-sm font-medium">{step.label}</span>
              <span className="tabular block text-xs text-success">✓ {step.time}</span>
            </span>
          </div>
        ))}
      </div>
    </div>
  );
}
