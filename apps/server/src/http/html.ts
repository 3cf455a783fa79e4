import { createHash } from 'node:crypto';
import type { FastifyReply } from 'fastify';

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Text for elements and quoted attributes of a page. */
export const escaped = (text: string): string => text.replace(/[&<>"']/g, (sign) => ESCAPES[sign] ?? sign);

const LIGHT = `--canvas: oklch(0.982 0.003 210); --surface: oklch(1 0 0); --hover: oklch(0.955 0.005 210);
--line: oklch(0.915 0.006 210); --control-line: oklch(0.66 0.015 215);
--text: oklch(0.235 0.014 220); --text-soft: oklch(0.425 0.016 220);
--accent: oklch(0.495 0.092 212); --accent-hover: oklch(0.445 0.086 212); --on-accent: oklch(1 0 0);
--focus: oklch(0.58 0.12 220);
--danger: oklch(0.505 0.17 25); --danger-tint: oklch(0.962 0.021 20); --danger-line: oklch(0.84 0.08 22);`;

const DARK = `--canvas: oklch(0.172 0.007 215); --surface: oklch(0.2 0.008 215); --hover: oklch(0.248 0.01 215);
--line: oklch(0.275 0.01 215); --control-line: oklch(0.53 0.015 215);
--text: oklch(0.945 0.004 210); --text-soft: oklch(0.775 0.01 215);
--accent: oklch(0.77 0.105 205); --accent-hover: oklch(0.82 0.1 205); --on-accent: oklch(0.17 0.02 215);
--focus: oklch(0.75 0.11 212);
--danger: oklch(0.765 0.13 22); --danger-tint: oklch(0.268 0.05 20); --danger-line: oklch(0.44 0.09 22);`;

/** The look of the web app for pages that load nothing; the theme is that of the system. */
const STYLE = `:root { color-scheme: light dark; ${LIGHT} }
@media (prefers-color-scheme: dark) { :root { ${DARK} } }
body { margin: 0; background: var(--canvas); color: var(--text); font: 16px/1.5 "Inter Variable", system-ui, sans-serif; }
header { display: flex; align-items: center; gap: .625rem; padding: .75rem 1.5rem; background: var(--surface);
  border-bottom: 1px solid var(--line); font-size: 1.125rem; font-weight: 600; letter-spacing: -.025em; }
header svg { width: 1.5rem; height: 1.5rem; }
header rect { fill: var(--accent); }
header path { fill: none; stroke: var(--on-accent); stroke-width: 2; stroke-linejoin: round; stroke-linecap: round; }
main { max-width: 36rem; margin: 0 auto; padding: 2.5rem 1.5rem; overflow-wrap: anywhere; }
h1 { margin: 0 0 1rem; font-size: 1.5rem; line-height: 1.25; letter-spacing: -.02em; }
p, ul { margin: 0 0 1rem; }
small { display: block; color: var(--text-soft); font-size: .875rem; }
label { display: block; margin-bottom: 1rem; font-weight: 500; }
input { display: block; box-sizing: border-box; width: 100%; margin-top: .25rem; padding: .5rem .625rem; font: inherit;
  color: inherit; background: var(--surface); border: 1px solid var(--control-line); border-radius: 6px; }
button { min-height: 2.75rem; margin: .5rem .5rem 0 0; padding: .5rem 1.25rem; font: inherit; font-weight: 500; color: inherit;
  background: var(--surface); border: 1px solid var(--control-line); border-radius: 6px; cursor: pointer; }
button:hover { background: var(--hover); }
button.primary { background: var(--accent); border-color: var(--accent); color: var(--on-accent); }
button.primary:hover { background: var(--accent-hover); border-color: var(--accent-hover); }
:focus-visible { outline: 2px solid var(--focus); outline-offset: 2px; }
[role=alert] { padding: .5rem .75rem; color: var(--danger); background: var(--danger-tint);
  border: 1px solid var(--danger-line); border-radius: 6px; }`;

const MARK =
  '<svg viewBox="0 0 24 24" aria-hidden="true"><rect width="24" height="24" rx="6"/>' +
  '<path d="M5.2 16.8V8.6l3.4 3.8L12 8.6l3.4 3.8 3.4-3.8v8.2"/></svg>';

export interface PlainPage {
  readonly title: string;
  /** Markup under the title; what comes from outside is `escaped` in it. */
  readonly body: string;
  /** Origins besides our own that its form may lead to, as in `form-action`. */
  readonly form_targets?: string;
  /** Code of our own, the same for every answer, and the text that it reads as `document.currentScript.dataset.message`. */
  readonly script?: { readonly code: string; readonly message: string };
}

/** Sends a page that needs no script and loads nothing, in the look of the product. */
export function sendPlainPage(
  reply: FastifyReply,
  status: number,
  { title, body, form_targets = '', script }: PlainPage,
): FastifyReply {
  const digest = script && createHash('sha256').update(script.code).digest('base64');
  const policy = [
    "default-src 'none'",
    ...(digest === undefined ? [] : [`script-src 'sha256-${digest}'`]),
    "style-src 'unsafe-inline'",
    `form-action 'self' ${form_targets}`.trim(),
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ];
  return reply
    .code(status)
    .header('Content-Security-Policy', policy.join('; '))
    .header('Cache-Control', 'no-store')
    .header('X-Robots-Tag', 'noindex, nofollow')
    .type('text/html; charset=utf-8')
    .send(
      `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">` +
        `<title>${escaped(title)} · Millrace</title><style>${STYLE}</style></head><body>` +
        `<header>${MARK}Millrace</header><main><h1>${escaped(title)}</h1>${body}</main>` +
        (script ? `<script data-message="${escaped(script.message)}">${script.code}</script>` : '') +
        '</body></html>',
    );
}
