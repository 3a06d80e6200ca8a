import type { Token } from '@switchyard/explorer/contract';
import type { NameUse } from '../../ui/look-alike.ts';

/* Names in the rows of a list, those of their first users first. */

/** The newest message is the first row. */
export const namesOfMessages = (
  rows: readonly { readonly sender: string; readonly address: string }[],
): readonly NameUse[] => rows.map(({ sender, address }): NameUse => [sender, address]).reverse();

/** The token with the most transfers is the first row. */
export const namesOfTokens = (rows: readonly Pick<Token, 'name' | 'symbol' | 'address'>[]): readonly NameUse[] =>
  rows.flatMap(({ name, symbol, address }) =>
    [name, symbol].flatMap((each): NameUse[] => (each ? [[each, address]] : [])),
  );
