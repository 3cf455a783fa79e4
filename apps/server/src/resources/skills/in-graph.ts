import type { GraphNode, ImportWarning } from '@millrace/contracts';
import { isJsonObject, readText } from '@millrace/engine';
import { isUuid } from '../../core/ids.ts';
import type { Needs } from '../../services.ts';
import type { Graph } from '../workflows/record.ts';
import { storedFiles } from './contents.ts';
import { findVersion, type VersionRow, visibleById } from './queries.ts';

type Row = Record<string, unknown>;

const readRows = ({ data }: GraphNode): unknown[] => (Array.isArray(data['skills']) ? data['skills'] : []);

/** Id of the skill of the library that a row of an agent names, maybe of another product; empty for one that the agent has itself. */
const readLibrarySkillId = (row: unknown): string => {
  const id = isJsonObject(row) ? readText(row['librarySkillId']) : '';
  return isUuid(id) ? id.toLowerCase() : id;
};

/** The largest number of the column; a skill never has a version of it. */
const NO_VERSION = 2_147_483_647;

/** Drafts keep any value; one that no version can have must not fail their save. */
const fixedVersion = (row: unknown): number | null => {
  const version = isJsonObject(row) ? row['libraryVersion'] : undefined;
  if (typeof version !== 'number' || !Number.isInteger(version) || version < 1) return null;
  return Math.min(version, NO_VERSION);
};

export interface SkillLink {
  readonly node_id: string;
  readonly skill_id: string;
  /** 0 for the newest one. */
  readonly version: number;
}

/** Which node uses which skill of the library. */
export const skillLinks = ({ nodes }: Graph): SkillLink[] =>
  nodes.flatMap((node) =>
    readRows(node)
      .filter((row) => isUuid(readLibrarySkillId(row)))
      .map((row) => ({
        node_id: node.id,
        skill_id: readLibrarySkillId(row),
        version: fixedVersion(row) ?? 0,
      })),
  );

async function changeRows(
  graph: Graph,
  change: (row: Row, place: { readonly node: number; readonly at: number }) => Promise<Row>,
): Promise<Graph> {
  const nodes = await Promise.all(
    graph.nodes.map(async (node, number) => {
      if (!readRows(node).some((row) => readLibrarySkillId(row) !== '')) return node;
      const skills = await Promise.all(
        readRows(node).map((row, at) =>
          isJsonObject(row) && readLibrarySkillId(row) !== '' ? change(row, { node: number, at }) : row,
        ),
      );
      return { ...node, data: { ...node.data, skills } };
    }),
  );
  return { ...graph, nodes };
}

/** The library's entry for a row, as far as the person sees it. */
async function inLibrary(
  { db, actor }: Needs<'db' | 'actor'>,
  row: Row,
): Promise<VersionRow | 'no_skill' | 'no_version'> {
  const id = readLibrarySkillId(row);
  const visible = isUuid(id) ? await visibleById(db, actor.user_id, id) : undefined;
  if (!visible) return 'no_skill';
  const number = fixedVersion(row) ?? visible.skill.version;
  return (await findVersion(db, { skill_id: id, number })) ?? 'no_version';
}

/** For a file that leaves: each skill of the library that the person sees has its content beside its id. */
export const withSkillCopies = (ctx: Needs<'db' | 'actor'>, graph: Graph): Promise<Graph> =>
  changeRows(graph, async (row) => {
    const found = await inLibrary(ctx, row);
    if (typeof found === 'string') return row;
    const { name, content, files, timeout_seconds: timeoutSeconds } = found;
    return {
      ...row,
      name: readText(row['name']) || name,
      content,
      files: storedFiles(files),
      timeoutSeconds,
    };
  });

/**
 * For a file that arrives: skills that the person sees are used from the library, others from the copy in the file. One without
 * a copy stays as it is, so that a run says which skill is missing.
 */
export async function withKnownSkills(
  ctx: Needs<'db' | 'actor'>,
  graph: Graph,
): Promise<{ graph: Graph; warnings: ImportWarning[] }> {
  const warnings: ImportWarning[] = [];
  const changed = await changeRows(graph, async (row, { node, at }) => {
    const { librarySkillId: _id, libraryVersion: _version, ...copy } = row;
    const { content: _content, files: _files, timeoutSeconds: _timeout, ...reference } = row;
    const found = await inLibrary(ctx, row);
    if (typeof found === 'object') return reference;
    const hasCopy = readText(copy['content']) !== '' || Array.isArray(copy['files']);
    const name = readText(row['name']) || readLibrarySkillId(row);
    const problem =
      found === 'no_skill'
        ? `The skill "${name}" is in a library that you cannot see`
        : `Version ${fixedVersion(row)} of the skill "${name}" is not kept in the library any more`;
    const outcome = hasCopy ? 'its copy in the file is used' : 'choose another one';
    warnings.push({ field: `nodes.${node}.data.skills.${at}`, message: `${problem}; ${outcome}` });
    return hasCopy ? copy : row;
  });
  return { graph: changed, warnings };
}
