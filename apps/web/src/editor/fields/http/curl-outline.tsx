import { outlineCurl } from '@millrace/nodes/curl';
import { TriangleAlert } from 'lucide-react';
import { useMemo } from 'react';
import { usePanelTexts } from '../../panel/texts/use-panel-texts.ts';
import { ExpressionPreview } from '../expression/expression-preview.tsx';

/** The request that a curl command will send, part by part, with the values that its expressions have now. */
export function CurlOutline({ node_id, text }: { node_id: string; text: string }) {
  const t = usePanelTexts('fields');
  const outline = useMemo(() => outlineCurl(text), [text]);
  if (text.trim() === '') return null;
  if ('problem' in outline) {
    return (
      <p className="flex items-start gap-1.5 text-sm text-danger">
        <TriangleAlert className="mt-0.5 size-3.5 shrink-0" aria-hidden />
        {outline.problem}
      </p>
    );
  }
  const parts = [
    ...outline.query.map((query) => ({ name: t('curl_query'), text: query })),
    ...outline.headers.map((header) => ({ name: t('curl_header'), text: header })),
    ...outline.body.map((body) => ({ name: t('curl_body'), text: body })),
  ];
  return (
    <section
      aria-label={t('curl_request')}
      className="min-w-0 rounded-m border border-line bg-sunken px-2.5 py-1.5 text-sm"
    >
      <p className="font-mono break-words">
        <span className="mr-1.5 font-semibold">{outline.method ?? '…'}</span>
        {outline.url}
      </p>
      <ExpressionPreview node_id={node_id} text={outline.url} mode="template" />
      {parts.length > 0 ? (
        <dl className="mt-1 grid grid-cols-[auto_minmax(0,1fr)] gap-x-2">
          {parts.map((part, index) => (
            // oxlint-disable-next-line react/no-array-index-key -- an argument has no identity but its place
            <div key={index} className="contents">
              <dt className="text-faint">{part.name}</dt>
              <dd className="min-w-0">
                <span className="block font-mono break-words">{part.text}</span>
                <ExpressionPreview node_id={node_id} text={part.text} mode="template" />
              </dd>
            </div>
          ))}
        </dl>
      ) : null}
      {outline.ignored.length > 0 ? (
        <p className="mt-1 text-warning">{t('curl_ignored', { options: outline.ignored.join(' ') })}</p>
      ) : null}
    </section>
  );
}
