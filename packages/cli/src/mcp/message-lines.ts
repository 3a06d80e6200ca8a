import { Transform } from 'node:stream';

/** Longer lines are answered with an error, and not kept. */
export const MAX_LINE_BYTES = 262_144;
const NEWLINE = 10;

/**
 * Passes on the lines that are messages of JSON-RPC. Any other is answered with an error: the library behind would end with it.
 *
 * @param answer Takes the answer, which is a line.
 */
export function messageLines(answer: (line: string) => void): Transform {
  let pieces: Buffer[] = [];
  let length = 0;
  const take = (piece: Buffer): void => {
    length += piece.length;
    if (length <= MAX_LINE_BYTES) pieces.push(piece);
    else pieces = [];
  };
  /** @returns the line that has ended, if it is to be passed on. */
  const end = (): string | undefined => {
    const text = Buffer.concat(pieces).toString();
    const problem =
      length > MAX_LINE_BYTES
        ? parseError(`got a line of ${length}`)
        : text.trim() === ''
          ? undefined
          : problemOf(text);
    [pieces, length] = [[], 0];
    if (problem !== undefined) answer(`${JSON.stringify({ jsonrpc: '2.0', id: null, error: problem })}\n`);
    return problem === undefined && text !== '' ? `${text}\n` : undefined;
  };
  return new Transform({
    transform(chunk: Buffer, _, done) {
      let from = 0;
      for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, from)) {
        take(chunk.subarray(from, at));
        const line = end();
        if (line !== undefined) this.push(line);
        from = at + 1;
      }
      take(chunk.subarray(from));
      done();
    },
    flush: (done) => done(null, end()),
  });
}

const parseError = (got: string) => ({
  code: -32_700,
  message: `parse error: expected a JSON message in a line of at most ${MAX_LINE_BYTES} bytes, ${got}`,
});

function problemOf(text: string): { readonly code: number; readonly message: string } | undefined {
  let message: unknown;
  try {
    message = JSON.parse(text);
  } catch {
    return parseError('got text that is no JSON');
  }
  const isMessage =
    typeof message === 'object' && message !== null && 'jsonrpc' in message && message.jsonrpc === '2.0';
  return isMessage ? undefined : { code: -32_600, message: 'invalid request: expected an object with jsonrpc "2.0"' };
}
