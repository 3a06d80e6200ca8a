/**
 * Parts that describe the settings of a process. They load in a few milliseconds, so that the command line can ask every
 * process which settings it has, and need nothing of the code that reads them.
 */

export { didYouMean, nearest } from './input/nearest.ts';
export { type Env, parser, type Schema, withFacts } from './input/schema.ts';
export { list, optional } from './input/shapes.ts';
export { bool, integer, shortText, text, unsigned, words } from './input/values.ts';
export { clientAuthFields, serverAuthFields } from './peer-auth/fields.ts';
export { scrubField } from './process/scrub.ts';
export {
  type ConfigOf,
  describeFields,
  type Field,
  type FieldTable,
  field,
  InvalidConfig,
  loadConfig,
} from './settings/config.ts';
export { BadKeyFile, parseKeyFile } from './settings/key-file.ts';
export {
  explorerIn,
  type NetworkPage,
  type NetworkPages,
  networkPagesText,
  pagesField,
} from './settings/network-pages.ts';
export { optionNames } from './settings/option-names.ts';
export * from './settings/parsers.ts';
export { allOr, retentionFields } from './settings/retention.ts';
export { isS3Url, parseS3Url, pathOrS3Url, s3UrlText } from './settings/s3-url.ts';
export { standardFields } from './settings/standard-fields.ts';
export type { LogFilter } from './telemetry/log-filter.ts';
