import { object, text } from '@switchyard/service/input';
import { readJson, whole } from '../../dev/files/read-json.ts';

/** A block of the local layer that conductors are given: what they read is proven from it on. */
export interface TrustedBlock {
  readonly height: number;
  /** 64 hex digits. */
  readonly hash: string;
}

/** Conductors take no newer block from one that is seven days old, and may be started some days after this. */
const OLD_MS = 3 * 24 * 3_600_000;

const block = object({ height: whole, hash: text, time: text });
const status = object({ first: block, newest: block });

/**
 * The first block, or the newest one where that is old.
 *
 * @param body Status page of the local layer.
 * @param nowMs The time of day.
 * @returns undefined where it is something else.
 */
export function trustedBlock(body: string, nowMs: number): TrustedBlock | undefined {
  const read = readJson(body, status);
  if (read === undefined) return undefined;
  const { height, hash } = nowMs - Date.parse(read.first.time) < OLD_MS ? read.first : read.newest;
  return /^[0-9a-f]{64}$/.test(hash) ? { height, hash } : undefined;
}
