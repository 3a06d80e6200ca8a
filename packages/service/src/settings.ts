/**
 * Parts that describe the settings of a process. They load in a few milliseconds, so that the command line can ask every
 * process which settings it has, and need nothing of the code that reads them.
 */
export {
  type ConfigOf,
  describeFields,
  type Field,
  type FieldTable,
  field,
  InvalidConfig,
  loadConfig,
} from './config.ts';
export { type Env, parser, type Schema, withFacts } from './input/schema.ts';
export { list, optional } from './input/shapes.ts';
export { bool, integer, shortText, text, unsigned, words } from './input/values.ts';
export { BadKeyFile, parseKeyFile } from './key-file.ts';
export type { LogFilter } from './log-filter.ts';
export { didYouMean, nearest } from './nearest.ts';
export {
  explorerIn,
  type NetworkPage,
  type NetworkPages,
  networkPagesText,
  pagesField,
} from './network-pages.ts';
export { optionNames } from './option-names.ts';
export * from './parsers.ts';
export { clientAuthFields, serverAuthFields } from './peer-auth/fields.ts';
export { allOr, retentionFields } from './retention.ts';
export { isS3Url, parseS3Url, pathOrS3Url, s3UrlText } from './s3-url.ts';
export { scrubField } from './scrub.ts';
export { standardFields } from './standard-fields.ts';
