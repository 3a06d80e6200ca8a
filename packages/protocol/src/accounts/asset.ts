import { Rejected } from '../errors.ts';
import { type AssetId, assetIdFromTrace } from './ids.ts';

/** An asset as a transaction names it: by its trace, or by the hash of its trace. Both name the same asset. */
export interface Denom {
  /** The trace as given, or `ibc/` and 64 lower-case hex digits. */
  readonly text: string;
  readonly id: AssetId;
  readonly form: 'trace' | 'ibc';
}

const IBC_PREFIX = 'ibc/';
// ASCII without white space; control characters are excluded as well, since they are invisible.
const TRACE = /^[!-~]+$/;

/** Denominations parsed lately, since most transactions name the same few. All are forgotten when there are too many. */
const known = new Map<string, Denom>();
const MAX_KNOWN = 256;
/** Longer ones are not kept: texts of strangers must not take memory. */
const LONGEST_KNOWN = 128;

/** @throws {Rejected} `malformed` if the text is neither form. */
export function parseDenom(text: string): Denom {
  const before = known.get(text);
  if (before !== undefined) return before;
  const denom = parse(text);
  if (text.length <= LONGEST_KNOWN) {
    if (known.size >= MAX_KNOWN) known.clear();
    known.set(text, denom);
  }
  return denom;
}

function parse(text: string): Denom {
  if (text.startsWith(IBC_PREFIX)) {
    const hash = text.slice(IBC_PREFIX.length);
    if (!/^[0-9a-fA-F]{64}$/.test(hash)) throw malformed(text, 'ibc/ and 64 hex digits');
    const id = hash.toLowerCase() as AssetId; // 64 hex digits, just checked
    return { text: ibcForm(id), id, form: 'ibc' };
  }
  const segments = text.split('/');
  if (!TRACE.test(text)) throw malformed(text, 'ASCII without white space');
  if (segments.length % 2 !== 1 || segments.includes('')) throw malformed(text, 'port/channel pairs and a name');
  return { text, id: assetIdFromTrace(text), form: 'trace' };
}

export function ibcForm(id: AssetId): string {
  return IBC_PREFIX + id;
}

function malformed(text: string, expected: string): Rejected {
  return new Rejected('malformed', { asset: text.slice(0, 100), expected });
}
