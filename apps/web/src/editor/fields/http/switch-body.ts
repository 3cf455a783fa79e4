import type { FormBody, PartRow } from '@millrace/nodes/curl-form';

export const EMPTY_PART: PartRow = { name: '', value: '', filename: '', type: '', is_file: false };

type Kind = FormBody['kind'];
type BodyWith<K extends Kind> = Extract<FormBody, { kind: K }>;

/**
 * A body of another kind. Texts and fields that both kinds have stay; what only the new one has is as it was left.
 *
 * @param left the bodies that were shown in this form, the present one at the end
 */
export function switchBody(kind: Kind, left: readonly FormBody[]): FormBody {
  const findLast = <K extends Kind>(...kinds: K[]): BodyWith<K> | undefined =>
    left.findLast((body): body is BodyWith<K> => kinds.includes(body.kind as K));
  const text = findLast('json', 'raw')?.text ?? '';
  const rows = findLast('form', 'multipart')?.rows ?? [];
  switch (kind) {
    case 'none':
      return { kind };
    case 'json':
      return { kind, text, type: findLast('json')?.type ?? 'application/json' };
    case 'raw':
      return { kind, text, type: findLast('raw')?.type ?? 'text/plain' };
    case 'form': {
      const before = findLast('form');
      const wasRaw = (name: string) => before?.rows.find((row) => row.name === name)?.raw ?? false;
      const pairs = rows.map(({ name, value }) => ({ name, value, raw: wasRaw(name) }));
      return { kind, rows: pairs, type: before?.type ?? '' };
    }
    case 'multipart': {
      const before = findLast('multipart');
      const part = (name: string) => before?.rows.find((row) => row.name === name) ?? EMPTY_PART;
      return { kind, rows: rows.map(({ name, value }) => ({ ...part(name), name, value })) };
    }
    case 'file':
      return findLast('file') ?? { kind, file: '', type: '' };
    default:
      return kind satisfies never;
  }
}
