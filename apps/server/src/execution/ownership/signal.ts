/** A value that many receive; receivers may come and leave while it is sent. */
export function createSignal<Args extends unknown[]>() {
  const receivers = new Set<(...args: Args) => void>();
  return {
    send: (...args: Args) => {
      for (const receive of Array.from(receivers)) receive(...args);
    },
    receive: (receive: (...args: Args) => void) => {
      receivers.add(receive);
      return () => void receivers.delete(receive);
    },
  };
}
