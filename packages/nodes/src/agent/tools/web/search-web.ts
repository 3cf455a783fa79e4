import { type Json, NodeFailure, readText } from '@millrace/engine';
import { buildConnection } from '../../../kit/integration/call-json.ts';
import { createCaller } from '../../../kit/integration/run-caller.ts';
import { searchCredentials } from '../../credential.ts';
import { type AgentCall, orFailedResult, type Tool, type Used, usedInOneStep } from '../tool.ts';
import { MOST_HITS, searchWeb } from './providers.ts';

const FIELD = 'webSearchCredentialId';
const USUAL_HITS = 5;

/** `web_search`, when the agent has a search service. */
export async function searchTools(call: AgentCall): Promise<Tool[]> {
  const id = call.params.webSearchCredentialId;
  if (id === '') return [];
  const { type, values } = await call.services.credential(id);
  const service = searchCredentials.find((one) => one.type === type);
  if (!service) throw notSearching(type);
  const connection = { ...buildConnection(service.title, service, values), sign_in: FIELD };
  const search = async (query: string, count: number, signal: AbortSignal): Promise<Json> => {
    const timeout_ms = call.params.toolTimeoutSeconds * 1_000;
    return searchWeb(createCaller(call, signal), connection, { type, query, count, timeout_ms });
  };
  return [
    {
      definition: {
        name: 'web_search',
        description:
          'Searches the web and returns titles, addresses and short texts of pages, the best first.',
        input_schema: {
          type: 'object',
          properties: {
            query: { type: 'string', description: 'Words to search for' },
            count: {
              type: 'integer',
              description: `Number of pages, at most ${MOST_HITS}; ${USUAL_HITS} by default`,
            },
          },
          required: ['query'],
          additionalProperties: false,
        },
      },
      source: 'web',
      is_parallel: true,
      touches: 'reads',
      is_outside: true,
      use: ({ query, count }, key) =>
        orFailedResult(
          call,
          call.step<Used>(key, 'read', ({ signal }) =>
            usedInOneStep(call, async () => ({
              result: {
                results: await search(readText(query), readHitCount(count), signal),
              },
            })),
          ),
        ),
    },
  ];
}

function readHitCount(count: Json | undefined): number {
  const wanted = typeof count === 'number' ? Math.trunc(count) : USUAL_HITS;
  return Math.min(Math.max(wanted, 1), MOST_HITS);
}

function notSearching(type: string): NodeFailure {
  const titles = searchCredentials.map(({ title }) => title).join(', ');
  return new NodeFailure({
    kind: 'credential',
    message: `The credential is of type ${type}, which does not search the web; choose one of ${titles}`,
    field: FIELD,
    final: true,
  });
}
