import {
  type Address,
  type Denom,
  formatAddress,
  parseAnyAddress,
  parseDenom,
  type Reader,
} from '@switchyard/protocol';
import { parser } from '@switchyard/service/input';
import { addressJson, required } from './scalars.ts';
import { Mismatch, type Type } from './type.ts';

/* Accounts and assets as text, which bodies of a given wire form have. */

/** An account with the prefix that it was written with: a message whose field 2 is bech32m text. See the example of {@link record}. */
export const textAddress: Type<Address> = required({
  description: { type: 'textAddress' },
  maxBytes: 96,
  write: (writer, number, { account, prefix }) =>
    void writer.message(number, (message) => message.string(ADDRESS_TEXT, formatAddress(account, prefix))),
  read(reader) {
    const message = reader.message('Address');
    const isText = message.next() && message.field === ADDRESS_TEXT;
    const found = isText ? parseAnyAddress(message.string()) : undefined;
    if (found === undefined || message.next())
      throw new Mismatch('a message of one field, 2', `field ${message.field}`);
    return found;
  },
  json: addressJson<Address>(parseAnyAddress),
  toJson: ({ account, prefix }) => formatAddress(account, prefix),
});

const ADDRESS_TEXT = 2;

/** The text of an address that comes in pieces: the last one counts. */
export function readAddressText(message: Reader, before: string): string {
  let text = before;
  while (message.next()) {
    if (message.field === ADDRESS_TEXT) text = message.string();
    else message.skip();
  }
  return text;
}

/** An asset by its name, or by `ibc/` and its id. See the example of {@link record}. */
export const textAsset: Type<Denom> = required({
  description: { type: 'textAsset' },
  maxBytes: 1_024,
  write: (writer, number, { text }) => void writer.string(number, text),
  read: (reader) => parseDenom(reader.string()),
  json: parser<Denom>('the name of an asset', 'nria', parseDenom, { examples: ['nria'] }),
  toJson: ({ text }) => text,
});
