/**
 * What a process describes its settings with. Loads in a few milliseconds, so that the command line can ask every process
 * which settings it has, and needs nothing of what reads them.
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
export { BadKeyFile, parseKeyFile } from './key-file.ts';
export { didYouMean, nearest } from './nearest.ts';
export * from './parsers.ts';
export { clientAuthFields, serverAuthFields } from './peer-auth/fields.ts';
export { allOr, retentionFields } from './retention.ts';
export { isS3Url, parseS3Url, pathOrS3Url, s3UrlText } from './s3-url.ts';
export { scrubField } from './scrub.ts';
export { standardFields } from './standard-fields.ts';
