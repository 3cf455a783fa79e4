import Markdown, { type Components } from 'react-markdown';
import rehypeSanitize from 'rehype-sanitize';
import remarkGfm from 'remark-gfm';

const COMPONENTS: Components = {
  a: ({ children, href }) => (
    <a href={href} target="_blank" rel="noreferrer noopener" className="text-accent-text underline">
      {children}
    </a>
  ),
  // A picture from another host would tell that host who reads.
  img: ({ alt, src }) =>
    typeof src === 'string' && src.startsWith('data:') ? (
      <img src={src} alt={alt ?? ''} />
    ) : (
      <em>{alt ?? src}</em>
    ),
};

/** Markdown as React elements, never as HTML text. Load it lazily. */
export default function MarkdownView({ text }: { text: string }) {
  return (
    <div className="markdown">
      <Markdown remarkPlugins={[remarkGfm]} rehypePlugins={[rehypeSanitize]} components={COMPONENTS}>
        {text}
      </Markdown>
    </div>
  );
}
