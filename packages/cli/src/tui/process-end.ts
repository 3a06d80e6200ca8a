/**
 * Restores the terminal however the process ends, and redraws when it continues after a pause.
 *
 * @returns what removes the listeners.
 */
export function restoreAtExit(restore: () => void, redraw: () => void): () => void {
  const abort = (signal: NodeJS.Signals) => {
    restore();
    process.off(signal, abort);
    process.kill(process.pid, signal);
  };
  const listeners = [
    ['exit', restore],
    ['uncaughtExceptionMonitor', restore],
    ['SIGQUIT', abort],
    ['SIGCONT', redraw],
  ] as const;
  for (const [event, listener] of listeners) process.on(event, listener);
  return () => {
    for (const [event, listener] of listeners) process.off(event, listener);
  };
}
