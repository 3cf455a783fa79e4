/** @jsxImportSource preact */
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Session } from '../conversation/storage.ts';
import { ApiError, getDetail, login } from '../portal/requests.ts';
import { t, timeText } from '../texts.ts';

interface LoginProps {
  slug: string;
  title: string;
  /** The last session has ended. */
  isOver: boolean;
  onSession: (session: Session) => void;
}

/** §5.5: the third failure bans; before that the server names the tries that are left. */
function refusalText(error: unknown): string {
  if (!(error instanceof ApiError)) return t('unreachable');
  if (error.status === 429) return t('banned', { time: timeText(error.wait_seconds ?? 60) });
  if (error.status !== 401) return getDetail(error) || t('unreachable');
  const left = error.body?.tries_left ?? 0;
  const tries = left === 0 ? '' : left === 1 ? t('tries_left_one') : t('tries_left_many', { count: left });
  return `${t('wrong_password')} ${tries}`.trim();
}

export function LoginForm({ slug, title, isOver, onSession }: LoginProps) {
  const [username, setUsername] = useState('');
  const [password, setPassword] = useState('');
  const [shows, setShows] = useState(false);
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState(isOver ? t('session_over') : '');
  const first = useRef<HTMLInputElement>(null);
  const secret = useRef<HTMLInputElement>(null);
  useEffect(() => {
    document.title = title;
    first.current?.focus();
  }, [title]);
  const submit = async () => {
    if (busy) return;
    if (username === '' || password === '') return (username === '' ? first : secret).current?.focus();
    setBusy(true);
    setProblem('');
    try {
      const { session_token, expires_at } = await login(slug, { username, password });
      onSession({ token: session_token, username, expires_at });
    } catch (error) {
      setProblem(refusalText(error));
      setBusy(false);
      secret.current?.select();
    }
  };
  return (
    <main class="centre">
      <form
        class="card"
        onSubmit={(event) => {
          event.preventDefault();
          void submit();
        }}
      >
        <h1 dir="auto">{title}</h1>
        <p>{t('sign_in_hint')}</p>
        <div class="field">
          <label for="username">{t('username')}</label>
          <input
            ref={first}
            id="username"
            name="username"
            autoComplete="username"
            autoCapitalize="none"
            spellcheck={false}
            maxLength={100}
            value={username}
            onInput={(event) => setUsername(event.currentTarget.value)}
          />
        </div>
        <div class="field">
          <label for="password">{t('password')}</label>
          <input
            {...(shows ? { type: 'text' } : { type: 'password' })}
            ref={secret}
            id="password"
            name="password"
            autoComplete="current-password"
            value={password}
            aria-describedby="login-problem"
            onInput={(event) => setPassword(event.currentTarget.value)}
          />
        </div>
        <label class="field is-switch">
          <input
            type="checkbox"
            checked={shows}
            onChange={(event) => setShows(event.currentTarget.checked)}
          />
          <span>{t('show_password')}</span>
        </label>
        <p id="login-problem" role="alert" class="notice">
          {problem}
        </p>
        <button type="submit" class="button is-primary" aria-disabled={busy}>
          {t('sign_in')}
        </button>
      </form>
    </main>
  );
}
