import { type Address, type Denom, parseAnyAddress, parseDenom, Reader, Rejected } from '@switchyard/protocol';
import type { TransactionBody } from '@switchyard/rollup';
import type { MessengerAction, SendText, Transfer } from './action.ts';
import { MAX_ACTIONS } from './limits.ts';

/*
 * The body of a transaction by hand, since every text passes here at least twice. A test holds it against the
 * generated code. Where the encoding allows a message to come in pieces, they are merged.
 */

/** @throws {Rejected} for bytes that are no body of at least one action. */
export function decodeBody(body: Uint8Array): TransactionBody<MessengerAction> {
  const reader = new Reader(body, 'TransactionBody');
  let params: Params | undefined;
  const actions: MessengerAction[] = [];
  while (reader.next()) {
    if (reader.field === 1) params = readParams(reader.message('TransactionParams'), params);
    else if (reader.field === 2) {
      if (actions.length === MAX_ACTIONS) throw new Rejected('too-large', { field: 'actions', limit: MAX_ACTIONS });
      actions.push(readAction(reader.message('Action')));
    } else reader.skip();
  }
  if (params === undefined) throw absent('params');
  if (actions.length === 0) throw new Rejected('empty', { field: 'actions' });
  return { ...params, actions };
}

interface Params {
  readonly nonce: number;
  readonly chainId: string;
}

function readParams(reader: Reader, before: Params = { nonce: 0, chainId: '' }): Params {
  let { nonce, chainId } = before;
  while (reader.next()) {
    if (reader.field === 1) nonce = reader.uint32();
    else if (reader.field === 2) chainId = reader.string();
    else reader.skip();
  }
  return { nonce, chainId };
}

/** The fields of an action as they stand there, before they are looked at. */
interface TransferFields {
  readonly to: string | undefined;
  readonly amount: bigint;
  readonly asset: string;
  readonly feeAsset: string;
}

interface TextFields {
  readonly text: string;
  readonly from: string;
  readonly feeAsset: string;
}

function readAction(reader: Reader): MessengerAction {
  let transfer: TransferFields | undefined;
  let text: TextFields | undefined;
  while (reader.next()) {
    if (reader.field === 1) {
      transfer = readTransfer(reader.message('Transfer'), transfer);
      text = undefined;
    } else if (reader.field === 2) {
      text = readText(reader.message('SendText'), text);
      transfer = undefined;
    } else reader.skip();
  }
  if (text !== undefined) return textOf(text);
  if (transfer !== undefined) return transferOf(transfer);
  throw absent('action');
}

function transferOf({ to, amount, asset, feeAsset }: TransferFields): Transfer {
  if (to === undefined) throw absent('to');
  const address: Address = parseAnyAddress(to);
  return { kind: 'transfer', to: address, amount, asset: denom(asset), feeAsset: denom(feeAsset) };
}

function textOf({ text, from, feeAsset }: TextFields): SendText {
  return { kind: 'sendText', text, name: from, feeAsset: denom(feeAsset) };
}

function readTransfer(
  reader: Reader,
  before: TransferFields = { to: undefined, amount: 0n, asset: '', feeAsset: '' },
): TransferFields {
  let { to, amount, asset, feeAsset } = before;
  while (reader.next()) {
    if (reader.field === 1) to = readAddress(reader.message('Address'), to);
    else if (reader.field === 2) amount = readAmount(reader.message('Uint128'), amount);
    else if (reader.field === 3) asset = reader.string();
    else if (reader.field === 4) feeAsset = reader.string();
    else reader.skip();
  }
  return { to, amount, asset, feeAsset };
}

function readText(reader: Reader, before: TextFields = { text: '', from: '', feeAsset: '' }): TextFields {
  let { text, from, feeAsset } = before;
  while (reader.next()) {
    if (reader.field === 1) text = reader.string();
    else if (reader.field === 2) from = reader.string();
    else if (reader.field === 3) feeAsset = reader.string();
    else reader.skip();
  }
  return { text, from, feeAsset };
}

function readAddress(reader: Reader, before = ''): string {
  let text = before;
  while (reader.next()) {
    if (reader.field === 2) text = reader.string();
    else reader.skip();
  }
  return text;
}

function readAmount(reader: Reader, before: bigint): bigint {
  let low = before & LOW_64;
  let high = before >> 64n;
  while (reader.next()) {
    if (reader.field === 1) low = reader.uint64();
    else if (reader.field === 2) high = reader.uint64();
    else reader.skip();
  }
  return (high << 64n) | low;
}

const LOW_64 = (1n << 64n) - 1n;

/** Nearly all transactions name the same few assets, and an asset's id costs a hash. Holds answers, no state. */
const knownDenoms = new Map<string, Denom>();
const MAX_KNOWN_DENOMS = 256;

function denom(text: string): Denom {
  const known = knownDenoms.get(text);
  if (known !== undefined) return known;
  const parsed = parseDenom(text);
  if (knownDenoms.size >= MAX_KNOWN_DENOMS) knownDenoms.clear();
  knownDenoms.set(text, parsed);
  return parsed;
}

function absent(part: string): Rejected {
  return new Rejected('malformed', { part, expected: 'present' });
}
