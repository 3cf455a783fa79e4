import { createStore } from 'zustand';
import { hasFailedStyles, loadFailedStyles } from './failed-styles.ts';

const LOOK_MS = 1_500;
/** A server that takes longer to answer is as good as none. */
const ANSWER_MS = 10_000;

/** True while a part of the app that was asked for cannot be loaded, because the server does not answer. */
export const awaitedServer = createStore<{ isAwaited: boolean }>(() => ({ isAwaited: false }));

async function isServerThere(): Promise<boolean> {
  try {
    const { ok, type } = await fetch('/', {
      method: 'HEAD',
      cache: 'no-store',
      redirect: 'manual',
      signal: AbortSignal.timeout(ANSWER_MS),
    });
    // A proxy whose session has ended leads to its sign-in at another origin; loading the page again leads there, too.
    return ok || type === 'opaqueredirect';
  } catch {
    return false;
  }
}

let answer: Promise<void> | undefined;

async function waitForServer(): Promise<void> {
  awaitedServer.setState({ isAwaited: true });
  do await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  while (!(await isServerThere()));
  awaitedServer.setState({ isAwaited: false });
  answer = undefined;
}

/**
 * Loads a part of the app. While the server does not answer it waits and tries again, so that the page stays as it is;
 * reloading it would replace it by the browser's own error page. A part that is missing on a server that answers, as after
 * an update, is an error.
 */
export async function loadCode<Module>(load: () => Promise<Module>): Promise<Module> {
  if (hasFailedStyles()) await loadFailedStyles();
  try {
    return await load();
  } catch (error) {
    if (await isServerThere()) {
      if (!hasFailedStyles()) throw error;
      await loadFailedStyles();
      return load();
    }
    answer ??= waitForServer();
    await answer;
    return loadCode(load);
  }
}
