/** @jsxImportSource preact */
import './styles/chat.css';
import { PORTAL_PREVIEW_SLUG } from '@millrace/contracts';
import { render } from 'preact';
import { closeOnEscape } from './embedded.ts';
import { ChatPage } from './page/chat-page.tsx';
import { PreviewPage } from './page/preview-page.tsx';
import { readInfo } from './portal/requests.ts';
import { locale } from './texts.ts';
import { followSystemTheme } from './theme.ts';

const slug = decodeURIComponent(window.location.pathname.split('/')[2] ?? '');
const first = slug === PORTAL_PREVIEW_SLUG ? undefined : readInfo(slug);
// Shown by the page; a failure before that is not unhandled.
first?.catch(() => undefined);

document.documentElement.lang = locale;
followSystemTheme();
closeOnEscape();

const root = document.getElementById('root');
if (!root) throw new Error('the page has no element #root');
root.replaceChildren();
render(first ? <ChatPage slug={slug} first={first} /> : <PreviewPage />, root);
