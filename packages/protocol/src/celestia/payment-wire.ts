/** Body and authorization of a payment as messages of Cosmos. @see cosmos-sdk, proto/cosmos/tx/v1beta1/tx.proto */

import { Reader } from '../bytes/reader.ts';
import { Writer } from '../bytes/writer.ts';
import { Rejected } from '../errors.ts';
import { decodePayForBlobs, encodePayForBlobs, PAY_FOR_BLOBS_URL, type PayForBlobs } from './pay-for-blobs.ts';

const PUBLIC_KEY_URL = '/cosmos.crypto.secp256k1.PubKey';
const SIGN_MODE_DIRECT = 1;
const DENOM = 'utia';
const NONE: Uint8Array = new Uint8Array();

export interface PaymentTerms {
  /** Transactions of the payer before this one. */
  readonly sequence: bigint;
  readonly gasLimit: bigint;
  /** In utia, for all of the gas limit. */
  readonly fee: bigint;
  /** The last height at which it can be included; 0 for none. */
  readonly timeoutHeight: bigint;
}

export interface Payment extends PaymentTerms {
  readonly message: PayForBlobs;
  /** Compressed, 33 bytes: of the payer. */
  readonly publicKey: Uint8Array;
}

export function encodeBody(message: PayForBlobs, { timeoutHeight }: PaymentTerms): Uint8Array {
  const value = encodePayForBlobs(message);
  return new Writer(value.length + 64)
    .message(1, (any) => any.string(1, PAY_FOR_BLOBS_URL).bytes(2, value))
    .uint64(3, timeoutHeight)
    .finish();
}

export function encodeAuthorization(publicKey: Uint8Array, { sequence, gasLimit, fee }: PaymentTerms): Uint8Array {
  return new Writer(192)
    .message(1, (info) =>
      info
        .message(1, (any) => any.string(1, PUBLIC_KEY_URL).message(2, (key) => key.bytes(1, publicKey)))
        .message(2, (mode) => mode.message(1, (single) => single.uint32(1, SIGN_MODE_DIRECT)))
        .uint64(3, sequence),
    )
    .message(2, (paid) => paid.message(1, (coin) => coin.string(1, DENOM).string(2, String(fee))).uint64(2, gasLimit))
    .finish();
}

export function decodeBody(bytes: Uint8Array): Pick<Payment, 'message' | 'timeoutHeight'> {
  const reader = new Reader(bytes, 'TxBody');
  const messages: PayForBlobs[] = [];
  let timeoutHeight = 0n;
  while (reader.next()) {
    if (reader.field === 1) messages.push(decodePayForBlobs(anyOf(reader.message('Any'), PAY_FOR_BLOBS_URL)));
    else if (reader.field === 2) reader.string();
    else if (reader.field === 3) timeoutHeight = reader.uint64();
    else throw unexpected(reader, 'TxBody');
  }
  const [message, ...more] = messages;
  if (message === undefined || more.length > 0) throw malformed('TxBody', 'one message');
  return { message, timeoutHeight };
}

export function decodeAuthorization(bytes: Uint8Array): Omit<Payment, 'message' | 'timeoutHeight'> {
  const reader = new Reader(bytes, 'AuthInfo');
  let signer: Pick<Payment, 'publicKey' | 'sequence'> | undefined;
  let paid: Pick<Payment, 'fee' | 'gasLimit'> | undefined;
  while (reader.next()) {
    if (reader.field === 1 && signer === undefined) signer = decodeSignerInfo(reader.message('SignerInfo'));
    else if (reader.field === 2) paid = decodeFee(reader.message('Fee'));
    else throw unexpected(reader, 'AuthInfo');
  }
  if (signer === undefined || paid === undefined) throw malformed('AuthInfo', 'one signer and a fee');
  return { ...signer, ...paid };
}

function decodeSignerInfo(reader: Reader): Pick<Payment, 'publicKey' | 'sequence'> {
  let [publicKey, mode] = [NONE, 0];
  let sequence = 0n;
  while (reader.next()) {
    if (reader.field === 1) {
      const key = new Reader(anyOf(reader.message('Any'), PUBLIC_KEY_URL), 'PubKey');
      while (key.next()) {
        if (key.field === 1) publicKey = key.bytes();
        else throw unexpected(key, 'PubKey');
      }
    } else if (reader.field === 2) mode = decodeMode(reader.message('ModeInfo'));
    else if (reader.field === 3) sequence = reader.uint64();
    else throw unexpected(reader, 'SignerInfo');
  }
  if (mode !== SIGN_MODE_DIRECT) throw malformed('ModeInfo', 'the direct mode');
  return { publicKey, sequence };
}

function decodeMode(reader: Reader): number {
  let mode = 0;
  while (reader.next()) {
    if (reader.field !== 1) throw unexpected(reader, 'ModeInfo');
    const single = reader.message('Single');
    while (single.next()) {
      if (single.field === 1) mode = single.uint32();
      else throw unexpected(single, 'Single');
    }
  }
  return mode;
}

function decodeFee(reader: Reader): Pick<Payment, 'fee' | 'gasLimit'> {
  let fee = 0n;
  let gasLimit = 0n;
  while (reader.next()) {
    if (reader.field === 1) fee += decodeCoin(reader.message('Coin'));
    else if (reader.field === 2) gasLimit = reader.uint64();
    // Payer and granter, which pay for another: neither read nor written here.
    else throw unexpected(reader, 'Fee');
  }
  return { fee, gasLimit };
}

function decodeCoin(reader: Reader): bigint {
  let [denom, amount] = ['', ''];
  while (reader.next()) {
    if (reader.field === 1) denom = reader.string();
    else if (reader.field === 2) amount = reader.string();
    else throw unexpected(reader, 'Coin');
  }
  // A bound for strangers' texts: 78 digits are 256 bits.
  if (denom !== DENOM || !/^\d{1,78}$/.test(amount)) throw malformed('Coin', `an amount of ${DENOM}`);
  return BigInt(amount);
}

/** The value of an Any, which must be of the type. */
function anyOf(reader: Reader, url: string): Uint8Array {
  let [got, value] = ['', NONE];
  while (reader.next()) {
    if (reader.field === 1) got = reader.string();
    else if (reader.field === 2) value = reader.bytes();
    else throw unexpected(reader, 'Any');
  }
  if (got !== url) throw malformed('Any', url);
  return value;
}

export function malformed(message: string, expected: string): Rejected {
  return new Rejected('malformed', { message, expected });
}

/** Validators refuse fields that they do not know, and so must a program that stands in for them. */
export function unexpected(reader: Reader, message: string): Rejected {
  return new Rejected('malformed', { message, problem: 'unexpected field', field: reader.field });
}
