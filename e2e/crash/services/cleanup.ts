const tasks = new Set<() => void>();

/** Registers what must not outlive the harness, however it ends. The returned function forgets it. */
export function atExit(task: () => void): () => void {
  tasks.add(task);
  return () => void tasks.delete(task);
}

process.on('exit', () => {
  for (const task of tasks) task();
});
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => process.exit(1));
