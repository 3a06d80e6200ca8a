/** The one description of values from outside: `Schema`. Needs nothing of Node. */

export { Input, pathBelow, type Read } from './input.ts';
export { InvalidData, type Problem, problemText, shown, unexpected } from './invalid-data.ts';
export { jsonLine, jsonSpan } from './json-line.ts';
export { isLoopbackHost } from './loopback.ts';
export { parseInput, withoutMark } from './parse-input.ts';
export { type JsonSchema, parser, type Schema, schema, type TypeOf, withFacts } from './schema.ts';
export {
  all,
  ifValid,
  list,
  type Members,
  mapped,
  type ObjectOf,
  type ObjectOptions,
  object,
  optional,
  readEach,
  snakeCase,
  strictObject,
  validItems,
} from './shapes.ts';
export { bool, hexData, hexQuantity, integer, shortText, text, unsigned, words } from './values.ts';
