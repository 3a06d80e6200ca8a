import { HttpError } from '@switchyard/service';
import type { RollupDefinition } from '../definition.ts';
import { entriesPart } from './entries-part.ts';
import { type Asked, MOST_ROWS } from './live-contract.ts';
import type { Part } from './part.ts';
import { receiptsPart } from './receipts-part.ts';
import { rowsPart } from './rows-part.ts';
import { eventsPart } from './transaction-events.ts';

/** The part that a client asks for. @throws {HttpError} @throws {InvalidData} if the rollup has none of it. */
export function toPart(definition: RollupDefinition, asked: Asked): Part {
  const { eventsJson, select } = definition;
  if (asked.kind === 'receipts') return receiptsPart(definition, asked.receipts);
  if (asked.kind === 'events') {
    if (eventsJson === undefined) throw new HttpError(404, 'not-found', 'events: this rollup has none');
    return eventsPart(eventsJson, { kinds: new Set(asked.kinds), account: asked.account });
  }
  if (select === undefined) throw new HttpError(404, 'not-found', 'table: this rollup has no tables of schemas');
  const { table, index, prefixInput, limit, newest } = asked;
  if (newest === undefined) return rowsPart(select.rows(table, index, prefixInput), limit ?? MOST_ROWS);
  if ([index, prefixInput, limit].some((each) => each !== undefined))
    throw new HttpError(400, 'malformed', 'newest: expected neither index, prefix nor limit with it');
  return entriesPart(select.entries(table), newest);
}
