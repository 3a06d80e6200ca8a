import { ACTION_GROUPS, type ActionKind } from '@switchyard/protocol';
import { feeComponents } from '../tables/fees.ts';
import type { QueryRoute } from './route.ts';

/** The price list. JSON, unlike every other answer: so the wire has it. */
export const feeComponentsQuery: QueryRoute = {
  path: 'fees/components',

  answer({ snapshot }) {
    const members = Object.keys(ACTION_GROUPS).map((kind) => {
      const row = feeComponents.get(snapshot, kind);
      // Written by hand because the amounts have up to 39 digits, which a JSON number of this language cannot hold.
      const value = row === undefined ? '"not set"' : `{"base":${row.base},"multiplier":${row.multiplier}}`;
      return `"${wireName(kind)}":${value}`;
    });
    return new TextEncoder().encode(`{${members.join(',')}}`);
  },
};

function wireName(kind: string): string {
  const relay: ActionKind = 'ibc';
  return kind === relay ? 'ibc_relay' : kind.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
