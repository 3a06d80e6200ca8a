/** Innermost calls, which lead to the line that threw. */
const MAX_FRAMES = 6;

/** One line on a bug for the people who have to find it: the messages of an error and of its causes, and the stack of the first cause. */
export function failureText(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.cause !== undefined) return `${error.message}: ${failureText(error.cause)}`;
  const frames = (error.stack ?? '').split('\n').filter((line) => /^\s+at /.test(line));
  return [`${error.name}: ${error.message}`, ...frames.slice(0, MAX_FRAMES).map((line) => line.trim())].join(' ');
}
