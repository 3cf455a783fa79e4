import { createStore } from 'zustand';

const LOOK_MS = 1_500;

/** True while a part of the app that was asked for cannot be loaded, because the server does not answer. */
export const awaitedServer = createStore<{ isAwaited: boolean }>(() => ({ isAwaited: false }));

async function isServerThere(): Promise<boolean> {
  try {
    return (await fetch('/', { method: 'HEAD', cache: 'no-store' })).ok;
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
  try {
    return await load();
  } catch (error) {
    if (await isServerThere()) throw error;
    answer ??= waitForServer();
    await answer;
    return load();
  }
}
