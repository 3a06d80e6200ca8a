/**
 * Takes a step again and again, never two at the same time.
 *
 * @param step Returns the milliseconds until the next one, or undefined after the last.
 * @returns ends it: a step that is under way is the last.
 */
export function repeat(step: (isOver: () => boolean) => Promise<number | undefined>): () => void {
  let isOver = false;
  let timer: number | undefined;
  const next = async () => {
    const pauseMs = await step(() => isOver);
    if (!isOver && pauseMs !== undefined) timer = window.setTimeout(() => void next(), pauseMs);
  };
  void next();
  return () => {
    isOver = true;
    window.clearTimeout(timer);
  };
}
