import type { AgentMemoryEdge, AgentMemoryGraph, AgentMemoryNode } from '@millrace/contracts';
import { Brain, Pencil, Plus, Search, Trash2 } from 'lucide-react';
import { useState } from 'react';
import {
  type MemoryPlace,
  removeEdge,
  removeNode,
  useAgentMemory,
  useMemoryChange,
} from '../../../data/agent-memory.ts';
import { Button } from '../../../ui/actions/button.tsx';
import { IconButton } from '../../../ui/actions/icon-button.tsx';
import { EmptyState, LoadFailed } from '../../../ui/display/empty-state.tsx';
import { SkeletonRows } from '../../../ui/display/skeleton.tsx';
import { Input } from '../../../ui/forms/input.tsx';
import { confirm } from '../../../ui/overlays/confirm-store.ts';
import { Dialog } from '../../../ui/overlays/dialog.tsx';
import { toast } from '../../../ui/overlays/toast.ts';
import { EntityDialog } from './entity-dialog.tsx';
import { MemoryPicture } from './memory-picture.tsx';
import { propertyRows } from './property-rows.ts';
import { RelationshipDialog } from './relationship-dialog.tsx';
import { useMemoryTexts } from './texts/use-memory-texts.ts';

interface MemoryDialogProps {
  place: MemoryPlace;
  /** Label of the agent. */
  agent: string;
  onClose: () => void;
}

/** The memory of an agent, as a list to work with and as a picture. */
export function MemoryDialog({ place, agent, onClose }: MemoryDialogProps) {
  const t = useMemoryTexts();
  const memory = useAgentMemory(place);
  return (
    <Dialog
      open
      onOpenChange={onClose}
      size="wide"
      title={t('title', { agent })}
      description={t('description')}
    >
      {memory.data ? (
        <Memory place={place} graph={memory.data} />
      ) : memory.error ? (
        <LoadFailed error={memory.error} onRetry={() => void memory.refetch()} />
      ) : (
        <SkeletonRows rows={6} />
      )}
    </Dialog>
  );
}

/** The subject of an open form; without an object it is for a new one. */
type Edited =
  | { kind: 'entity'; entity?: AgentMemoryNode }
  | { kind: 'relationship'; relationship?: AgentMemoryEdge };

const inWords = ({ source_entity_name, relationship_type, target_entity_name }: AgentMemoryEdge): string =>
  `${source_entity_name} ${relationship_type} ${target_entity_name}`;

/** Entities with the words, and relationships of those. */
function found({ nodes, edges }: AgentMemoryGraph, words: string): AgentMemoryGraph {
  const wanted = words.trim().toLowerCase();
  if (wanted === '') return { nodes, edges };
  const kept = nodes.filter(({ entity_name, entity_type, properties }) =>
    `${entity_name} ${entity_type} ${JSON.stringify(properties)}`.toLowerCase().includes(wanted),
  );
  const ids = new Set(kept.map(({ id }) => id));
  return {
    nodes: kept,
    edges: edges.filter((edge) => ids.has(edge.source_node_id) || ids.has(edge.target_node_id)),
  };
}

function Memory({ place, graph }: { place: MemoryPlace; graph: AgentMemoryGraph }) {
  const t = useMemoryTexts();
  const [edited, setEdited] = useState<Edited>();
  const [words, setWords] = useState('');
  const [marked, setMarked] = useState<string>();
  const change = useMemoryChange(place);
  const shown = found(graph, words);
  const isEmpty = graph.nodes.length === 0;

  const remove = async (title: string, removal: () => Promise<unknown>) => {
    if (!(await confirm({ title, action: t('delete_action'), tone: 'danger' }))) return;
    await change.mutateAsync(removal).catch((error: unknown) => {
      toast.failed(t('failed', { reason: error instanceof Error ? error.message : String(error) }));
    });
  };
  const addEntity = (
    <Button size="small" onClick={() => setEdited({ kind: 'entity' })}>
      <Plus aria-hidden />
      {t('add_entity')}
    </Button>
  );
  return (
    <>
      {isEmpty ? (
        <EmptyState icon={<Brain aria-hidden />} title={t('empty_title')} actions={addEntity}>
          {t('empty')}
        </EmptyState>
      ) : (
        <div className="grid gap-5 md:grid-cols-[minmax(0,1fr)_minmax(0,1.1fr)]">
          <div className="flex min-w-0 flex-col gap-4">
            <div className="flex flex-wrap gap-2">
              <Input
                className="min-w-40 grow"
                lead={<Search aria-hidden />}
                type="search"
                aria-label={t('search')}
                placeholder={t('search')}
                value={words}
                onChange={(event) => setWords(event.target.value)}
              />
              {addEntity}
              <Button size="small" onClick={() => setEdited({ kind: 'relationship' })}>
                <Plus aria-hidden />
                {t('add_relationship')}
              </Button>
            </div>
            <Rows
              title={t('entities')}
              none={t('nothing_found')}
              rows={shown.nodes.map((entity) => ({
                id: entity.id,
                name: entity.entity_name,
                facts: [
                  entity.entity_type,
                  ...propertyRows(entity.properties).map(({ name, value }) => `${name}: ${value}`),
                ],
                confidence: entity.confidence,
                edit: () => setEdited({ kind: 'entity', entity }),
                remove: () =>
                  remove(t('delete_entity', { name: entity.entity_name }), () =>
                    removeNode(place, entity.id),
                  ),
              }))}
              onMark={setMarked}
            />
            <Rows
              title={t('relationships')}
              none={t('no_relationships')}
              rows={shown.edges.map((relationship) => ({
                id: relationship.id,
                name: inWords(relationship),
                facts: [],
                confidence: relationship.confidence,
                edit: () => setEdited({ kind: 'relationship', relationship }),
                remove: () => remove(t('delete_relationship'), () => removeEdge(place, relationship.id)),
              }))}
              onMark={setMarked}
            />
          </div>
          <MemoryPicture graph={graph} marked={marked} />
        </div>
      )}
      {edited?.kind === 'entity' ? (
        <EntityDialog place={place} entity={edited.entity} onClose={() => setEdited(undefined)} />
      ) : null}
      {edited?.kind === 'relationship' ? (
        <RelationshipDialog
          place={place}
          entities={graph.nodes}
          relationship={edited.relationship}
          onClose={() => setEdited(undefined)}
        />
      ) : null}
    </>
  );
}

interface Row {
  id: string;
  name: string;
  facts: readonly string[];
  confidence: number;
  edit: () => void;
  remove: () => Promise<void>;
}

/** Rows drawn at first; a search finds the others. */
const MOST_ROWS = 200;

interface RowsProps {
  title: string;
  none: string;
  rows: readonly Row[];
  /** The row that the pointer or the focus is on. */
  onMark: (id: string | undefined) => void;
}

function Rows({ title, none, rows, onMark }: RowsProps) {
  const t = useMemoryTexts();
  return (
    <section>
      <h3 className="text-sm font-semibold">
        {title} <span className="font-normal text-faint">{rows.length}</span>
      </h3>
      {rows.length === 0 ? <p className="mt-1 text-sm text-faint">{none}</p> : null}
      <ul className="mt-1 divide-y divide-line">
        {rows.slice(0, MOST_ROWS).map(({ id, name, facts, confidence, edit, remove }) => (
          <li
            key={id}
            className="flex items-start gap-1 py-1"
            onMouseEnter={() => onMark(id)}
            onMouseLeave={() => onMark(undefined)}
            onFocus={() => onMark(id)}
            onBlur={() => onMark(undefined)}
          >
            <div className="min-w-0 grow py-0.5">
              <p className="break-words">{name}</p>
              <p className="text-sm break-words text-faint">
                {[
                  ...facts,
                  ...(confidence < 1 ? [t('confidence_of', { percent: Math.round(confidence * 100) })] : []),
                ].join(' · ')}
              </p>
            </div>
            <IconButton label={t('edit', { name })} icon={<Pencil />} onClick={edit} />
            <IconButton label={t('delete', { name })} icon={<Trash2 />} onClick={() => void remove()} />
          </li>
        ))}
      </ul>
      {rows.length > MOST_ROWS ? (
        <p className="text-sm text-faint">{t('more_rows', { count: rows.length - MOST_ROWS })}</p>
      ) : null}
    </section>
  );
}
