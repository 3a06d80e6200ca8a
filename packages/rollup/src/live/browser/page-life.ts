interface Opened {
  close(): void;
}

/**
 * Has something open while the page is. A page that is left, and that may come back by the history, has nothing open: a connection or a
 * lock of its own would be lost to the pages that stay.
 *
 * @param isPaused Whether a page in the background has nothing open either.
 */
export function whilePageIsOpen<T extends Opened>(open: () => T, isPaused = false) {
  let opened: T | undefined;
  const stop = () => {
    opened?.close();
    opened = undefined;
  };
  const start = () => {
    if (!isPaused || !document.hidden) opened ??= open();
  };
  const turn = () => {
    if (document.hidden && isPaused) stop();
    else start();
  };
  window.addEventListener('pagehide', stop);
  window.addEventListener('pageshow', start);
  document.addEventListener('visibilitychange', turn);
  start();
  return {
    get: () => opened,
    close() {
      window.removeEventListener('pagehide', stop);
      window.removeEventListener('pageshow', start);
      document.removeEventListener('visibilitychange', turn);
      stop();
    },
  };
}
