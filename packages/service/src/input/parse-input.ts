import { parseJson } from './exact-json.ts';
import { Input } from './input.ts';
import { InvalidData, shown, unexpected } from './invalid-data.ts';
import { isNestedDeeper } from './json.ts';

const MAX_DEPTH = 64;

/** Text without the byte order mark that some editors put before it, and that JSON does not allow. */
export const withoutMark = (text: string): string => text.replace(/^\ufeff/, '');

/**
 * JSON text from outside, ready to be read.
 *
 * @param name Its source, for the messages.
 * @throws {InvalidData} if it is not JSON, or nests deeper than `maxDepth`. The bound on its length is the caller's.
 */
export function parseInput(text: string, name: string, maxDepth = MAX_DEPTH): Input {
  if (isNestedDeeper(text, maxDepth))
    throw new InvalidData([unexpected(name, `at most ${maxDepth} levels of nesting`)]);
  try {
    return new Input(parseJson(withoutMark(text)), name);
  } catch (error) {
    throw new InvalidData([unexpected(name, 'JSON', shown(text))], { cause: error });
  }
}
