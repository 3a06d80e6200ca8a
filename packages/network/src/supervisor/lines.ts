import { StringDecoder } from 'node:string_decoder';

/** Longer lines are cut into pieces of this many characters, so that a service cannot fill our memory with one line. */
const LONGEST = 16_384;

/** Cuts a stream of bytes into lines. */
export function createLineCutter(onLine: (line: string) => void) {
  const decoder = new StringDecoder('utf8');
  let rest = '';
  const take = (text: string) => {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) onLine(line.endsWith('\r') ? line.slice(0, -1) : line);
    while (rest.length > LONGEST) {
      onLine(rest.slice(0, LONGEST));
      rest = rest.slice(LONGEST);
    }
  };
  return {
    push: (chunk: Uint8Array) => take(decoder.write(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength))),
    /** Hands over the rest, a line without an end. */
    end() {
      take(decoder.end());
      if (rest !== '') onLine(rest);
      rest = '';
    },
  };
}
