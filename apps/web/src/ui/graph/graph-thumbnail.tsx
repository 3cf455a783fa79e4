import { BOX, buildOutline, type Outline } from '../../lib/graph/graph-outline.ts';
import { useNodeLooks } from './workflow-glyph.tsx';

function path({ from, to }: Outline['lines'][number]): string {
  const [x1, y1] = [from.x + BOX.width, from.y + BOX.height / 2];
  const [x2, y2] = [to.x, to.y + BOX.height / 2];
  const bend = Math.max(40, Math.abs(x2 - x1) / 2);
  return `M${x1} ${y1} C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2} ${y2}`;
}

interface GraphThumbnailProps {
  graph: Parameters<typeof buildOutline>[0];
  /** Accessible description of the picture. */
  label: string;
  /** Writes the names of the nodes; for large pictures. */
  names?: boolean;
  className?: string;
}

/** A small picture of a graph, drawn from its positions. */
export function GraphThumbnail({ graph, label, names = false, className }: GraphThumbnailProps) {
  const looks = useNodeLooks();
  const { boxes, lines, width, height } = buildOutline(graph);
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`0 0 ${width} ${height}`}
      preserveAspectRatio="xMidYMid meet"
      className={className}
    >
      {lines.map((line) => (
        <path
          key={line.id}
          d={path(line)}
          fill="none"
          className="stroke-control-line"
          strokeWidth="3"
          vectorEffect="non-scaling-stroke"
          style={{ strokeWidth: 1.25 }}
        />
      ))}
      {boxes.map((box) => (
        <g
          key={box.id}
          data-family={looks.get(box.type)?.family ?? 'output'}
          transform={`translate(${box.x} ${box.y})`}
        >
          <rect
            width={BOX.width}
            height={BOX.height}
            rx="10"
            className="fill-family-tint stroke-family-line"
            vectorEffect="non-scaling-stroke"
            strokeWidth="1.25"
          />
          <rect x="10" y="14" width="32" height="32" rx="7" className="fill-family" opacity="0.85" />
          {names ? (
            <text x="52" y="36" className="fill-text text-[17px] font-medium">
              {box.label.length > 13 ? `${box.label.slice(0, 12)}…` : box.label}
            </text>
          ) : (
            <rect x="52" y="25" width="96" height="10" rx="5" className="fill-family" opacity="0.4" />
          )}
        </g>
      ))}
    </svg>
  );
}
