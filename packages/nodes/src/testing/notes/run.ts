import { isJsonObject } from '@millrace/engine';
import { implement } from '../../implement.ts';
import { buildConnection, callJson, path } from '../../kit/integration/call-json.ts';
import { choicesFrom } from '../../kit/integration/choices.ts';
import { requiredText } from '../../kit/integration/object-input.ts';
import { collect, listIn, nextLink } from '../../kit/integration/paging.ts';
import { createCaller, readCredential } from '../../kit/integration/run-caller.ts';
import { notesCredential } from './credential.ts';
import { notes } from './definition.ts';

export const runNotes = implement(
  notes,
  async (call) => {
    const { params } = call;
    const caller = createCaller(call);
    const connection = {
      ...buildConnection('Notes', notesCredential, await readCredential(call, notesCredential)),
      // The server applies calls with the same key once, so a crash in the middle does no harm.
      idempotency_header: 'Idempotency-Key',
    };
    switch (params.notesOperation) {
      case 'listNotes': {
        const found = await collect(async (next: string | undefined) => {
          const answer = await callJson(caller, connection, { path: next ?? '/notes', effect: 'read' });
          return {
            items: listIn('Notes', answer.body),
            next: nextLink(answer, connection.service.base_url),
          };
        }, params.notesLimit);
        return { output: { notes: found, count: found.length } };
      }
      case 'createNote': {
        const book = requiredText(params, 'notesBook');
        const { body } = await callJson(caller, connection, {
          method: 'POST',
          path: path`/books/${book}/notes`,
          body: { text: params.notesText },
          effect: 'idempotent',
        });
        return { output: { note: body } };
      }
      default:
        return params.notesOperation satisfies never;
    }
  },
  {
    choices: {
      async books({ caller, config }, request) {
        const connection = buildConnection('Notes', notesCredential, config);
        const { body } = await callJson(caller, connection, { path: '/books', effect: 'read' });
        return choicesFrom(listIn('Notes', body), request, (book) =>
          isJsonObject(book) ? { value: book['id'], label: book['name'] } : {},
        );
      },
    },
  },
);
