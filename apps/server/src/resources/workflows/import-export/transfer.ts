import {
  type ImportReport,
  type ImportWarning,
  type importWorkflow as importContract,
  type Received,
  type SettingsInput,
  settingsInput,
  type Workflow,
} from '@millrace/contracts';
import {
  exportDocument,
  exportFileName,
  ImportError,
  type ImportLine,
  problems,
  respelledHandles,
  sortImportLines,
  type WorkflowDocument,
} from '@millrace/engine';
import { catalog } from '@millrace/nodes/catalog';
import { AppError, invalidField } from '../../../core/app-error.ts';
import type { Needs } from '../../../services.ts';
import { withKnownSkills, withSkillCopies } from '../../skills/in-graph.ts';
import { findUnreadableSchedule } from '../../triggers/require-schedules.ts';
import { addressWarnings, withNewAddresses } from '../graph/addresses.ts';
import { cleanJson } from '../graph/clean-json.ts';
import { clearForeign, namedIds } from '../graph/foreign-references.ts';
import { makeImportReport } from '../graph/import-report.ts';
import * as queries from '../queries.ts';
import type { Graph } from '../record.ts';
import { cleanGraph } from '../save.ts';
import { addWorkflow } from '../service.ts';
import { givenSettings, withRenamedNodes } from '../settings.ts';
import { readState, shown } from '../state.ts';
import { withKnownCredentials } from './known-credentials.ts';
import { type ExportReader, type ReadExport, readExport } from './read-export.ts';

type Writer = Needs<'db' | 'actor' | 'broadcast' | 'now'> & ExportReader;
type ImportBody = Received<typeof importContract>['body'];

const FALLBACK_NAME = 'Imported Workflow';

function nameFromFile(file_name: string | null | undefined): string {
  const stem = file_name?.replace(/\.[^.]*$/, '').trim();
  return stem?.slice(0, 255) || FALLBACK_NAME;
}

/** The place of a finding as a 422 names it: `nodes.3.type` -> body, nodes, 3, type. */
const toLoc = (field: string, place: readonly string[]): (string | number)[] => [
  ...place,
  ...field
    .split('.')
    .filter((part) => part !== '')
    .map((part) => (/^\d+$/.test(part) ? Number(part) : part)),
];

type DocumentReader = Needs<'db' | 'actor'> & ExportReader;

/** @param place of the document in the request, for messages */
async function read(ctx: DocumentReader, document: unknown, place: readonly string[]): Promise<ReadExport> {
  try {
    return await withKnownCredentials(ctx, await readExport(ctx, document));
  } catch (error) {
    if (!(error instanceof ImportError)) throw error;
    throw invalidField(toLoc(error.field, place), error.reason, 'import_invalid');
  }
}

/** Settings of the file that are valid here; the others are left out with a warning. */
export function readSettings(stored: Record<string, unknown>, warnings: ImportWarning[]) {
  const valid = Object.entries(stored).filter(([field, value]) => {
    const parsed = settingsInput.safeParse({ [field]: value });
    if (!parsed.success) warnings.push({ field, message: 'The setting is not valid here and was left out' });
    return parsed.success;
  });
  return withoutContradictions(settingsInput.parse(Object.fromEntries(valid)), warnings);
}

/** A save refuses settings that contradict each other; of a file the one that a save would name is left out. */
function withoutContradictions(
  input: Partial<SettingsInput>,
  warnings: ImportWarning[],
): ReturnType<typeof givenSettings> {
  try {
    return givenSettings(input);
  } catch (error) {
    const [problem] = error instanceof AppError && Array.isArray(error.detail) ? error.detail : [];
    const field = String(problem?.loc.at(-1));
    if (!problem || !Object.hasOwn(input, field)) throw error;
    warnings.push({ field, message: `The setting was left out: ${problem.msg}` });
    const others = Object.entries(input).filter(([name]) => name !== field);
    return withoutContradictions(Object.fromEntries(others), warnings);
  }
}

/**
 * A graph without the credentials and workflows that the person cannot see.
 *
 * @param before a graph whose own references stay, though someone else may have chosen them
 */
export async function withoutForeign(ctx: Needs<'db' | 'actor'>, graph: Graph, before?: Graph) {
  const usable = await queries.usableIds(ctx.db, ctx.actor.user_id, namedIds(graph));
  const { credentials, workflows } = namedIds(before ?? { nodes: [], edges: [] });
  for (const id of [...credentials, ...workflows]) usable.add(id.toLowerCase());
  return clearForeign(graph, usable);
}

/** Everything that the check of a graph finds, so that its owner sees it before the first run. */
export function graphWarnings({ nodes, edges }: Graph): ImportLine[] {
  const found = problems({ nodes, edges } as WorkflowDocument, catalog);
  const nodeAt = new Map(nodes.map(({ id }, index) => [id, index]));
  const edgeAt = new Map(edges.map(({ id }, index) => [id, index]));
  return found.map(({ node_id, edge_id, field, message, severity }) => {
    const place =
      edge_id === undefined ? `nodes.${nodeAt.get(node_id ?? '')}` : `edges.${edgeAt.get(edge_id)}`;
    return { field: field === null ? place : `${place}.${field}`, message, severity };
  });
}

/** Nothing of a file is changed without a line. */
export const handleWarnings = (document: WorkflowDocument): ImportWarning[] =>
  respelledHandles(document, catalog).map(({ index, written, port }) => ({
    field: `edges.${index}.sourceHandle`,
    message: `The handle "${written}" is called "${port}" here and was renamed`,
  }));

function buildTexts(body: ImportBody, imported: ReadExport) {
  const given = body.document ? body.name : undefined;
  const origin = body.file_name ? `Imported from ${body.file_name}` : '';
  return {
    name: given || imported.name || nameFromFile(body.file_name),
    description: (imported.description || origin).slice(0, 10_000) || null,
  };
}

/** The graph of a document, without what only its author could see, and everything that was changed for that. */
async function readOwn(ctx: DocumentReader, document: unknown, place: readonly string[] = ['body']) {
  const imported = await read(ctx, document, place);
  const { nodes, edges } = imported.document;
  const { graph: own, warnings: cleared } = await withoutForeign(ctx, cleanGraph({ nodes, edges }, place));
  const { graph, warnings: copied } = await withKnownSkills(ctx, own);
  const renamed = handleWarnings(imported.document);
  return { imported, graph, cleared, warnings: [...imported.warnings, ...renamed, ...cleared, ...copied] };
}

/** A missing value is empty text in n8n. Settings belong to the workflow that takes the nodes, so its owner has to choose. */
const STRICT_LINE: ImportWarning = {
  field: 'settings.strict_references',
  message:
    'A reference without a value is empty in n8n; here its text stays. Turn on "Strict references" in the settings of the workflow to have such a node fail instead',
};

/** The graph of an exported file, for the canvas of a workflow that exists. Stores nothing. */
export async function convertWorkflow(
  ctx: DocumentReader & Needs<'now'>,
  document: unknown,
): Promise<Graph & { report: ImportReport | null }> {
  const { imported, graph, warnings } = await readOwn(ctx, document, ['body', 'document']);
  const lines = sortImportLines([...warnings, ...(imported.is_converted ? [STRICT_LINE] : [])]);
  const { nodes, edges } = graph;
  return { nodes, edges, report: makeImportReport(lines, { nodes, at: new Date(ctx.now()) }) };
}

/**
 * Creates a workflow from an exported file: nodes and edges alone, with a name, a copied selection, or a whole record,
 * given as it is or as `document`. Nothing of it runs.
 */
export async function importWorkflow(
  ctx: Writer,
  body: ImportBody,
  { draft }: { draft?: boolean | undefined } = {},
): Promise<{ workflow: Workflow; warnings: ImportWarning[] }> {
  const { imported, graph: own, cleared, warnings: changed } = await readOwn(ctx, body.document ?? body);
  // Nothing of a file is lost for a schedule that cannot be published; a warning names it.
  const as_draft = (draft ?? imported.is_converted) || findUnreadableSchedule(own) !== undefined;
  const { graph, ids } = withNewAddresses(own);
  const moved = addressWarnings(own, ids);
  // References that were cleared have their lines already.
  const named = new Set(cleared.map(({ field }) => field.replace('.data.', '.')));
  const problems = graphWarnings(graph).filter(({ field }) => !named.has(field));
  const found = [...changed, ...moved, ...problems];
  const settings = withRenamedNodes(readSettings(imported.settings, found), ids);
  const warnings = sortImportLines(found);
  const texts = cleanJson(buildTexts(body, imported), ['body']);
  const input = { ...texts, graph, settings, as_draft, import_lines: warnings };
  const workflow = await addWorkflow(ctx, input, 'workflow.imported');
  return { workflow, warnings };
}

export interface ExportedFile {
  readonly file_name: string;
  readonly content: string;
}

/** The file that editors of the field read, with name and description inside. No setting and no secret leaves. */
export async function exportWorkflow(
  ctx: Needs<'db' | 'actor'>,
  id: string,
  which: { draft?: boolean | undefined },
): Promise<ExportedFile> {
  const state = await readState(ctx, id, which);
  const { graph } = shown(state, which.draft === true);
  const { nodes, edges } = exportDocument((await withSkillCopies(ctx, graph)) as WorkflowDocument);
  const { name, description } = state.visible.row;
  return {
    file_name: exportFileName(name),
    content: `${JSON.stringify({ name, description: description ?? '', nodes, edges }, null, 2)}\n`,
  };
}
