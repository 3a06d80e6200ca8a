import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { abci } from '@switchyard/protocol/gen';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { AbciEvent, TxResult } from '../../app/types.ts';
import { FLUSHED, readFrequent, writeChecked, writeResults } from './frequent.ts';
import { encodeRequest } from './testing.ts';

const { NEW, RECHECK } = abci.CheckTxType;
const respond = (value: abci.Response['value']) =>
  toBinary(abci.ResponseSchema, create(abci.ResponseSchema, { value }));
const plain = (bytes: Uint8Array | undefined) => Buffer.from(bytes ?? []).toString('hex');

test('a request to check a transaction is read as generated code reads it', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 1, maxLength: 40_000 }), fc.boolean(), (tx, recheck) => {
      const read = readFrequent(encodeRequest({ case: 'checkTx', value: { tx, type: recheck ? RECHECK : NEW } }));
      expect(read?.case === 'checkTx' && { ...read, tx: plain(read.tx) }).toEqual({
        case: 'checkTx',
        tx: plain(tx),
        recheck,
      });
    }),
  );
});

test('a flush is read, and answered as generated code writes it', () => {
  expect(readFrequent(encodeRequest({ case: 'flush', value: {} }))).toEqual({ case: 'flush' });
  expect(plain(FLUSHED)).toBe(plain(respond({ case: 'flush', value: create(abci.ResponseFlushSchema) })));
});

test('whatever is of another form is left to generated code', () => {
  const whole = encodeRequest({ case: 'checkTx', value: { tx: Uint8Array.of(1, 2, 3), type: RECHECK } });
  for (let length = 0; length < whole.length; length += 1) {
    const cut = readFrequent(whole.subarray(0, length));
    expect(cut, `${length} bytes`).toBeUndefined();
  }
  expect(readFrequent(encodeRequest({ case: 'echo', value: { message: 'a' } }))).toBeUndefined();
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 30 }), (bytes) => {
      const read = readFrequent(Uint8Array.of(0x42, ...bytes));
      if (read === undefined) return;
      const generated = fromBinary(abci.RequestSchema, Uint8Array.of(0x42, ...bytes)).value;
      expect(generated.case).toBe(read.case);
      if (generated.case === 'checkTx' && read.case === 'checkTx')
        expect([plain(read.tx), read.recheck]).toEqual([plain(generated.value.tx), generated.value.type === RECHECK]);
    }),
  );
});

test('verdicts are written as generated code writes them', () => {
  fc.assert(
    fc.property(fc.nat(30), fc.string(), fc.string({ maxLength: 300 }), (code, info, log) => {
      const generated = respond({ case: 'checkTx', value: create(abci.ResponseCheckTxSchema, { code, info, log }) });
      expect(plain(writeChecked({ code, info, log }))).toBe(plain(generated));
    }),
  );
});

const getEvent = ({ type, attributes }: AbciEvent) =>
  create(abci.EventSchema, { type, attributes: attributes.map((each) => ({ ...each })) });

const events = fc.array(
  fc.record({
    type: fc.string(),
    attributes: fc.array(fc.record({ key: fc.string(), value: fc.string({ maxLength: 200 }), index: fc.boolean() }), {
      maxLength: 4,
    }),
  }),
  { maxLength: 3 },
);
const results: fc.Arbitrary<TxResult> = fc.record({
  code: fc.nat(30),
  data: fc.uint8Array({ maxLength: 40 }),
  log: fc.string(),
  info: fc.string(),
  gasWanted: fc.bigInt(0n, 1n << 62n),
  gasUsed: fc.bigInt(0n, 1n << 62n),
  events,
  codespace: fc.string(),
});

test('results of a block are written as generated code writes them', () => {
  fc.assert(
    fc.property(events, fc.array(results, { maxLength: 5 }), (blockEvents, txResults) => {
      const generated = create(abci.ResponseFinalizeBlockSchema, {
        events: blockEvents.map(getEvent),
        txResults: txResults.map(({ events: own, ...result }) =>
          create(abci.ExecTxResultSchema, { ...result, events: own.map(getEvent) }),
        ),
      });
      expect(plain(writeResults({ events: blockEvents, txResults }))).toBe(
        plain(toBinary(abci.ResponseFinalizeBlockSchema, generated)),
      );
    }),
  );
});
