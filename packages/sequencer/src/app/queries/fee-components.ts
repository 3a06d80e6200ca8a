import { ACTION_KINDS, feeNameOf } from '@switchyard/protocol';
import { snakeCase } from '@switchyard/service/input';
import { feeComponents } from '../tables/fees.ts';
import type { QueryRoute } from './route.ts';

/** The price list. JSON, unlike every other answer, as the wire has it. */
export const feeComponentsQuery: QueryRoute = {
  path: 'fees/components',

  answer({ snapshot }) {
    const members = ACTION_KINDS.map((kind) => {
      const row = feeComponents.get(snapshot, kind);
      // Written by hand because the amounts have up to 39 digits, which a JSON number of this language cannot hold.
      const value = row === undefined ? '"not set"' : `{"base":${row.base},"multiplier":${row.multiplier}}`;
      return `"${snakeCase(feeNameOf(kind))}":${value}`;
    });
    return new TextEncoder().encode(`{${members.join(',')}}`);
  },
};
