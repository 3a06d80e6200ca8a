const MAX_CAUSES = 5;
const MAX_LENGTH = 2_000;

/** One line on the failure and its cause: the messages of an error and its causes, without a stack trace. */
export function errorLine(error: unknown): string {
  const parts: string[] = [];
  let current: unknown = error;
  while (current !== undefined && current !== null && parts.length < MAX_CAUSES) {
    const part = getMessage(current);
    // A wrapper often repeats its cause; saying it once is enough.
    if (part !== '' && !parts.some((earlier) => earlier.includes(part))) parts.push(part);
    current = current instanceof Error ? (current.cause ?? getFirst(current)) : undefined;
  }
  const line = (parts.length === 0 ? 'unknown error' : parts.join(': ')).replace(/\s*[\r\n]+\s*/g, ' ');
  return line.length > MAX_LENGTH ? `${line.slice(0, MAX_LENGTH)}...` : line;
}

function getMessage(value: unknown): string {
  if (!(value instanceof Error)) return String(value);
  if (value.message !== '') return value.message;
  return value instanceof AggregateError ? '' : value.name;
}

/** Connecting to a name with several addresses fails with one error for each. */
function getFirst(error: Error): unknown {
  return error instanceof AggregateError ? error.errors[0] : undefined;
}
