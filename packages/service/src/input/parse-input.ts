import { isNestedDeeper } from '../json.ts';
import { Input } from './input.ts';
import { InvalidData, shown, unexpected } from './invalid-data.ts';

const MAX_DEPTH = 64;

/**
 * JSON text from outside, ready to be read.
 *
 * @param name Where it comes from, for the messages.
 * @throws {InvalidData} where it is not JSON, or nests deeper than `maxDepth`. The bound on its length is the caller's.
 */
export function parseInput(text: string, name: string, maxDepth = MAX_DEPTH): Input {
  if (isNestedDeeper(text, maxDepth))
    throw new InvalidData([unexpected(name, `at most ${maxDepth} levels of nesting`)]);
  try {
    return new Input(JSON.parse(text), name);
  } catch (error) {
    throw new InvalidData([unexpected(name, 'JSON', shown(text))], { cause: error });
  }
}
