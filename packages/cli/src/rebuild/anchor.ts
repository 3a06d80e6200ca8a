import { usage } from '@switchyard/service/failure';

/** A block that a person knows to be right. */
export interface Anchor {
  readonly height: number;
  /** 64 hex digits in lower case. */
  readonly hash: string;
}

/** @throws {Failure} */
export function heightAndHash(option: string, text: string): Anchor {
  const [, height = '', hash = ''] = /^([1-9]\d{0,14}):([0-9a-fA-F]{64})$/.exec(text) ?? [];
  if (hash === '')
    throw usage(`${option}: expected HEIGHT:HASH with 64 hex digits, got ${JSON.stringify(text.slice(0, 80))}`);
  return { height: Number(height), hash: hash.toLowerCase() };
}
