/** @jsxImportSource preact */
import './styles/chat.css';
import { render } from 'preact';
import { closeOnEscape } from './embedded.ts';
import { ChatPage } from './page/chat-page.tsx';
import { readInfo } from './portal/requests.ts';
import { locale } from './texts.ts';
import { followSystemTheme } from './theme.ts';

const slug = decodeURIComponent(window.location.pathname.split('/')[2] ?? '');
const first = readInfo(slug);
// Shown by the page; a failure before that is not unhandled.
first.catch(() => undefined);

document.documentElement.lang = locale;
followSystemTheme();
closeOnEscape();

const root = document.getElementById('root');
if (!root) throw new Error('the page has no element #root');
root.replaceChildren();
render(<ChatPage slug={slug} first={first} />, root);
