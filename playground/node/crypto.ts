import { sha256 } from '@noble/hashes/sha2.js';
import { Buffer } from 'buffer';

/** SHA-256, as `node:crypto` has it. */
export function createHash(_name: 'sha256') {
  const state = sha256.create();
  const hash = {
    update(data: string | Uint8Array) {
      state.update(typeof data === 'string' ? new TextEncoder().encode(data) : data);
      return hash;
    },
    digest(encoding?: 'hex') {
      const bytes = Buffer.from(state.digest());
      return encoding === undefined ? bytes : bytes.toString(encoding);
    },
  };
  return hash;
}

export const randomBytes = (length: number): Buffer => Buffer.from(crypto.getRandomValues(new Uint8Array(length)));
export const randomUUID = (): string => crypto.randomUUID();
export const timingSafeEqual = (left: Uint8Array, right: Uint8Array): boolean => Buffer.compare(left, right) === 0;
