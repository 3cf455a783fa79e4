export interface ToastOptions {
  /** Offers to take the action back; a toast with a button is shown longer. */
  undo?: { label: string; run: () => void };
  /** A further step, such as "Open". */
  action?: { label: string; run: () => void };
  detail?: string;
}

export interface Toast extends ToastOptions {
  kind: 'done' | 'note' | 'failed';
  text: string;
}

let show: ((toast: Toast) => void) | undefined;
const waiting: Toast[] = [];

/** Connects the host, which is loaded after the first paint; what came earlier is shown now. */
export function connectToastHost(host: (toast: Toast) => void): () => void {
  show = host;
  for (const toast of waiting.splice(0)) host(toast);
  return () => {
    show = undefined;
  };
}

function send(kind: Toast['kind'], text: string, options: ToastOptions): void {
  const message: Toast = { kind, text, ...options };
  if (show) show(message);
  else waiting.push(message);
}

/** Short messages at the lower edge, announced politely to screen readers. */
export const toast = {
  done: (text: string, options: ToastOptions = {}) => send('done', text, options),
  note: (text: string, options: ToastOptions = {}) => send('note', text, options),
  failed: (text: string, options: ToastOptions = {}) => send('failed', text, options),
};

/** Shows why a request was refused, in the words of its error. */
export const showFailure = (error: Error): void => toast.failed(error.message);
