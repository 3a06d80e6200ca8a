import { Failure } from '@switchyard/service/failure';
import { parseJson, readText } from '../files/files.ts';
import { valueAt } from '../files/toml.ts';

/** @throws {Failure} when the file has none. */
export function validatorPublicKey(path: string): string {
  return validatorPublicKeyIn(readText(path), path);
}

/** @throws {Failure} */
export function validatorPublicKeyIn(text: string, path: string): string {
  const value = valueAt(parseJson(text, path), ['pub_key', 'value']);
  if (typeof value !== 'string' || Buffer.from(value, 'base64').length !== 32) {
    throw new Failure(`${path}: pub_key.value: expected 32 bytes in base64`);
  }
  return value;
}
