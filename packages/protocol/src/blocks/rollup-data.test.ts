import { create, toBinary } from '@bufbuild/protobuf';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatAddress } from '../accounts/address.ts';
import { fromHex, rollupIdBytes, toHex } from '../accounts/ids.ts';
import { decodeMessage } from '../bytes/message.ts';
import { u128ToWire } from '../bytes/uint128.ts';
import { Writer } from '../bytes/writer.ts';
import { Rejected } from '../errors.ts';
import { DepositSchema, RollupDataSchema } from '../gen/astria/sequencerblock/v1/block_pb.ts';
import { anyBytes, anyDamaged, anyDeposit, encodeSequencedData } from '../testing.ts';
import { type Deposit, decodeRollupData, depositFromWire, encodeDeposit } from './rollup-data.ts';

const depositToWire = (deposit: Deposit) =>
  create(DepositSchema, {
    bridgeAddress: { bech32m: formatAddress(deposit.bridge.account, deposit.bridge.prefix) },
    rollupId: { inner: rollupIdBytes(deposit.rollup) },
    amount: u128ToWire(deposit.amount),
    asset: deposit.asset,
    destinationChainAddress: deposit.destination,
    sourceTransactionId: { inner: deposit.sourceTransaction },
    sourceActionIndex: deposit.sourceAction,
  });

/** Outcome of a decoder: a deposit, or that it was refused. */
function outcome(decode: () => unknown): unknown {
  try {
    return decode();
  } catch (error) {
    if (!(error instanceof Rejected)) throw error;
    return 'refused';
  }
}

test('deposits are decoded as generated code does it: damaged, in pieces, with values that repeat, and with byte order marks', () => {
  const marked = anyDeposit.map((deposit) => ({ ...deposit, destination: `\ufeff${deposit.destination}` }));
  const valid = fc.oneof(anyDeposit, marked).map((deposit) => toBinary(DepositSchema, depositToWire(deposit)));
  const pieces = fc.tuple(valid, valid).map(([one, other]) => Uint8Array.of(...one, ...other));
  fc.assert(
    fc.property(fc.oneof(valid, pieces, anyDamaged(valid), anyDamaged(pieces), anyBytes()), (bytes) => {
      const wrapped = new Writer().bytesAlways(2, bytes).finish();
      const expected = outcome(() => ({
        kind: 'deposit',
        deposit: depositFromWire(decodeMessage(DepositSchema, bytes)),
      }));
      expect(outcome(() => decodeRollupData(wrapped))).toEqual(expected);
    }),
    { numRuns: 5_000 },
  );
});

// sequencer.md appendix A, "Block holding only that transaction".
test('the published datum is wrapped as published', () => {
  expect(toHex(encodeSequencedData(new TextEncoder().encode('hello')))).toBe('0a0568656c6c6f');
});

test('data and deposits come back, and are encoded as the protobuf library does it', () => {
  fc.assert(
    fc.property(anyBytes({ maxLength: 300 }), anyDeposit, (data, deposit) => {
      const encoded = encodeSequencedData(data);
      expect(decodeRollupData(encoded)).toEqual({ kind: 'sequencedData', data });
      const wrapped = create(RollupDataSchema, { value: { case: 'sequencedData', value: data } });
      expect(encoded).toEqual(toBinary(RollupDataSchema, wrapped));

      const lock = encodeDeposit(deposit);
      expect(decodeRollupData(lock)).toEqual({ kind: 'deposit', deposit });
      const message = create(RollupDataSchema, { value: { case: 'deposit', value: depositToWire(deposit) } });
      expect(lock).toEqual(toBinary(RollupDataSchema, message));
    }),
  );
});

test.each([
  ['nothing', ''],
  ['price feed data', '1a020a00'],
  ['something newer', '22020a00'],
])('%s is unknown, not an error', (_, hex) => {
  expect(decodeRollupData(fromHex(hex))).toEqual({ kind: 'unknown' });
});

test('of several values the last one counts', () => {
  expect(decodeRollupData(fromHex('1200 0a0101'.replace(' ', '')))).toEqual({
    kind: 'sequencedData',
    data: Uint8Array.of(1),
  });
  expect(decodeRollupData(fromHex('0a01011a00'))).toEqual({ kind: 'unknown' });
});

test.each([
  ['bridge address', { bridgeAddress: undefined }],
  ['rollup id', { rollupId: undefined }],
  ['amount', { amount: undefined }],
  ['source transaction', { sourceTransactionId: undefined }],
])('a deposit without its %s is malformed', (part, change) => {
  const [deposit] = fc.sample(anyDeposit, 1);
  if (deposit === undefined) throw new Error('a sample was asked for');
  const bytes = toBinary(DepositSchema, { ...depositToWire(deposit), ...change } as ReturnType<typeof depositToWire>);
  const data = Uint8Array.of(
    0x12,
    ...(bytes.length < 128 ? [bytes.length] : [(bytes.length & 127) | 128, bytes.length >> 7]),
    ...bytes,
  );
  expect(() => decodeRollupData(data)).toThrow(`part ${part}, expected present`);
});

test('damaged data are refused and nothing else is thrown', () => {
  const valid = fc.oneof(anyDeposit.map(encodeDeposit), anyBytes().map(encodeSequencedData));
  fc.assert(
    fc.property(fc.oneof(anyBytes(), anyDamaged(valid)), (bytes) => {
      try {
        expect(decodeRollupData(bytes).kind).toMatch(/sequencedData|deposit|unknown/);
      } catch (error) {
        if (!(error instanceof Rejected)) throw error;
      }
    }),
    { numRuns: 1000 },
  );
});
