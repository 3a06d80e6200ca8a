/** Asks for each of `items`, some at a time, and keeps their order. */
export async function askAll<T, R>(items: readonly T[], ask: (item: T) => Promise<R>, atOnce = 16): Promise<R[]> {
  const answers = new Array<R>(items.length);
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let index = next++; index < items.length; index = next++) {
      const item = items[index];
      // The index is in range.
      answers[index] = await ask(item as T);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  return answers;
}

export const range = (from: number, to: number): number[] =>
  Array.from({ length: Math.max(0, to - from + 1) }, (_, index) => from + index);
