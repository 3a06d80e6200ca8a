/** The one reader for values from outside. Needs nothing of Node. */

export { isLoopbackHost } from '../peer-auth/loopback.ts';
export { hexData, hexQuantity } from './hex.ts';
export { Input, type Read } from './input.ts';
export { InvalidData, type Problem, problemText, shown, unexpected } from './invalid-data.ts';
export { parseInput } from './parse-input.ts';
export {
  all,
  flag,
  ifValid,
  list,
  type Members,
  mapped,
  type ObjectOf,
  type ObjectOptions,
  object,
  optional,
  parsed,
  readEach,
  shortText,
  snakeCase,
  strictObject,
  text,
  unsigned,
  validItems,
} from './shapes.ts';
