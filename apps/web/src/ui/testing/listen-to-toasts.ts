import { connectToastHost, type Toast } from '../overlays/toast.ts';

/** Hands on the toasts of a test. Those that an earlier file of the same process left waiting are dropped. */
export function listenToToasts(host: (toast: Toast) => void): () => void {
  connectToastHost(() => undefined)();
  return connectToastHost(host);
}
