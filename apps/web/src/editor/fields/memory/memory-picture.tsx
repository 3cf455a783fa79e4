import type { AgentMemoryGraph } from '@millrace/contracts';
import { clsx } from 'clsx';
import { useMemo } from 'react';
import { placeEntities } from './place-entities.ts';
import { useMemoryTexts } from './texts/use-memory-texts.ts';

const MOST_SHOWN = 120;
const WIDTH = 640;
const HEIGHT = 440;
/** Half of the longest label fits beside the outermost entities. */
const MARGIN = { x: 84, y: 44 };
const MAX_LABEL = 22;

const short = (text: string): string => (text.length > MAX_LABEL ? `${text.slice(0, MAX_LABEL - 1)}…` : text);

/** The contents of the picture, with a place for each entity: of many those with most relationships. */
function usePicture({ nodes, edges }: AgentMemoryGraph) {
  return useMemo(() => {
    const degrees = new Map<string, number>();
    for (const { source_node_id, target_node_id } of edges)
      for (const id of [source_node_id, target_node_id]) degrees.set(id, (degrees.get(id) ?? 0) + 1);
    const getDegree = ({ id }: { id: string }) => degrees.get(id) ?? 0;
    const shown = nodes.toSorted((one, two) => getDegree(two) - getDegree(one)).slice(0, MOST_SHOWN);
    const indexes = new Map(shown.map(({ id }, at) => [id, at]));
    const links = edges.flatMap((edge) => {
      const [source, target] = [indexes.get(edge.source_node_id), indexes.get(edge.target_node_id)];
      return source === undefined || target === undefined ? [] : [{ edge, source, target }];
    });
    const points = placeEntities(
      shown.length,
      links.map(({ source, target }) => [source, target]),
    ).map(({ x, y }) => ({
      x: MARGIN.x + x * (WIDTH - 2 * MARGIN.x),
      y: MARGIN.y + y * (HEIGHT - 2 * MARGIN.y),
    }));
    return { shown, links, points };
  }, [nodes, edges]);
}

interface MemoryPictureProps {
  graph: AgentMemoryGraph;
  /** The entity or relationship that the list points to. */
  marked: string | undefined;
}

/** Entities and how they are related; everything in it is also in the list. */
export function MemoryPicture({ graph, marked }: MemoryPictureProps) {
  const t = useMemoryTexts();
  const { shown, links, points } = usePicture(graph);
  const isMarked = ({ id, source_node_id, target_node_id }: AgentMemoryGraph['edges'][number]) =>
    [id, source_node_id, target_node_id].some((one) => one === marked);
  return (
    <figure className="flex min-w-0 flex-col gap-1">
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        role="img"
        aria-label={t('picture', { nodes: shown.length, edges: links.length })}
        className="w-full rounded-m border border-line bg-sunken"
      >
        {links.map(({ edge, source, target }) => {
          const [from, to] = [points[source], points[target]];
          if (!from || !to) return null;
          return (
            <g key={edge.id}>
              <line
                x1={from.x}
                y1={from.y}
                x2={to.x}
                y2={to.y}
                className={isMarked(edge) ? 'stroke-accent' : 'stroke-line-strong'}
                strokeWidth={isMarked(edge) ? 2 : 1}
              />
              {isMarked(edge) ? (
                <text
                  x={(from.x + to.x) / 2}
                  y={(from.y + to.y) / 2 - 4}
                  textAnchor="middle"
                  className="fill-text text-sm"
                >
                  {short(edge.relationship_type)}
                </text>
              ) : null}
            </g>
          );
        })}
        {shown.map(({ id, entity_name }, at) => {
          const point = points[at];
          if (!point) return null;
          return (
            <g key={id} transform={`translate(${point.x} ${point.y})`}>
              <circle
                r={id === marked ? 8 : 6}
                className={clsx('stroke-surface', id === marked ? 'fill-accent-text' : 'fill-accent')}
                strokeWidth={2}
              />
              <text y={20} textAnchor="middle" className="fill-text text-sm">
                {short(entity_name)}
              </text>
            </g>
          );
        })}
      </svg>
      {shown.length < graph.nodes.length ? (
        <figcaption className="text-sm text-faint">
          {t('picture_part', { shown: shown.length, total: graph.nodes.length })}
        </figcaption>
      ) : null}
    </figure>
  );
}
