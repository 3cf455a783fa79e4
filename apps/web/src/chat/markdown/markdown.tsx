/** @jsxImportSource preact */
import { lexer, type Token, type Tokens } from 'marked';
import type { ComponentChildren } from 'preact';
import { useMemo } from 'preact/hooks';
import { t } from '../texts.ts';
import { linkAddress, pictureAddress } from './addresses.ts';
import { CodeBlock } from './code-block.tsx';
import { withoutEntities } from './entities.ts';
import { Picture } from './picture.tsx';

const HEADINGS = ['h2', 'h3', 'h4', 'h5', 'h6'] as const;

/** Headings of an answer lie below those of the page. */
function Heading({ depth, tokens }: Tokens.Heading) {
  const Tag = HEADINGS[Math.min(depth, HEADINGS.length) - 1] ?? 'h6';
  return <Tag dir="auto">{all(tokens)}</Tag>;
}

function List({ ordered, start, items }: Tokens.List) {
  const children = items.map((item, at) => (
    <li key={at} dir="auto">
      {item.task ? <span aria-hidden="true">{item.checked ? '☑ ' : '☐ '}</span> : null}
      {all(item.tokens)}
    </li>
  ));
  return ordered ? (
    <ol start={typeof start === 'number' ? start : 1} dir="auto">
      {children}
    </ol>
  ) : (
    <ul dir="auto">{children}</ul>
  );
}

function Table({ header, rows, align }: Tokens.Table) {
  const style = (at: number) => (align[at] ? { textAlign: align[at] } : undefined);
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls must be reachable by keyboard
    <div class="scrolls" role="region" aria-label={t('table')} tabIndex={0}>
      <table>
        <thead>
          <tr>
            {header.map((cell, at) => (
              <th key={at} style={style(at)} dir="auto" scope="col">
                {all(cell.tokens)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, line) => (
            <tr key={line}>
              {row.map((cell, at) => (
                <td key={at} style={style(at)} dir="auto">
                  {all(cell.tokens)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Link({ href, children }: { href: string; children: ComponentChildren }) {
  const address = linkAddress(href, window.location.href);
  if (address === undefined) return <>{children}</>;
  return (
    <a href={address} target="_blank" rel="noopener noreferrer nofollow">
      {children}
    </a>
  );
}

function Image({ href, text }: Tokens.Image) {
  const name = withoutEntities(text) || t('image');
  const src = pictureAddress(href, window.location.href);
  return src === undefined ? <Link href={href}>{name}</Link> : <Picture src={src} name={name} />;
}

function one(token: Token): ComponentChildren {
  switch (token.type) {
    case 'space':
    case 'def':
      return null;
    case 'heading':
      return <Heading {...(token as Tokens.Heading)} />;
    case 'paragraph':
      return <p dir="auto">{all(token.tokens)}</p>;
    case 'list':
      return <List {...(token as Tokens.List)} />;
    case 'blockquote':
      return <blockquote dir="auto">{all(token.tokens)}</blockquote>;
    case 'code':
      return <CodeBlock text={(token as Tokens.Code).text} language={(token as Tokens.Code).lang ?? ''} />;
    case 'table':
      return <Table {...(token as Tokens.Table)} />;
    case 'hr':
      return <hr />;
    case 'br':
      return <br />;
    case 'strong':
      return <strong>{all(token.tokens)}</strong>;
    case 'em':
      return <em>{all(token.tokens)}</em>;
    case 'del':
      return <del>{all(token.tokens)}</del>;
    case 'codespan':
      return <code dir="ltr">{(token as Tokens.Codespan).text}</code>;
    case 'link':
      return <Link href={(token as Tokens.Link).href}>{all(token.tokens)}</Link>;
    case 'image':
      return <Image {...(token as Tokens.Image)} />;
    case 'checkbox':
      return null;
    case 'escape':
      return (token as Tokens.Escape).text;
    case 'text':
      return token.tokens ? all(token.tokens) : withoutEntities((token as Tokens.Text).text);
    default:
      // HTML is shown as it is written, apart from the line break that tables need.
      return /^<br\s*\/?>$/i.test(token.raw.trim()) ? <br /> : token.raw;
  }
}

const all = (tokens: readonly Token[] | undefined): ComponentChildren => (tokens ?? []).map(one);

/** Markdown (GFM) as elements, never as HTML text, so that nothing in it can run. */
export function Markdown({ text }: { text: string }) {
  const body = useMemo(() => all(lexer(text, { gfm: true, breaks: true })), [text]);
  return <div class="markdown">{body}</div>;
}
