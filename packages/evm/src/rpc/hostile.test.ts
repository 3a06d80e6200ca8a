import { bytesToHex } from '@switchyard/protocol/ethereum';
import { JsonRpcError, RPC } from '@switchyard/service';
import { memoryLogger } from '@switchyard/service/testing';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { testChain } from '../testing.ts';
import { testMethods, testRpc } from './testing/test-rpc.ts';

/** Stores 1 in slot 0 and emits a log without topics. */
const CODE = Buffer.from('600a600c600039600a6000f3600160005560006000a000', 'hex');

type Kind = 'address' | 'hash' | 'block' | 'number' | 'call' | 'options' | 'overrides' | 'filter' | 'list';

/** Kinds of parameters that methods take, by position; now and then, any value at all is put in place of one. */
const SHAPES: readonly { readonly of: RegExp; readonly kinds: readonly (readonly Kind[])[] }[] = [
  {
    of: /call$|estimate|AccessList|simulate|fill|traceCall/i,
    kinds: [['call'], ['call', 'block', 'overrides', 'overrides'], ['call', 'block', 'options']],
  },
  { of: /trace_callMany/, kinds: [['list', 'block']] },
  { of: /storageRangeAt/, kinds: [['hash', 'number', 'address', 'hash', 'number']] },
  { of: /Logs|[Ff]ilter|subscribe/, kinds: [['filter'], ['filter', 'filter']] },
  { of: /StorageValues/, kinds: [['overrides', 'block']] },
  { of: /feeHistory/, kinds: [['number', 'block', 'list']] },
  { of: /ByAddress|Sender|Creator|contentFrom/, kinds: [['address'], ['address', 'number', 'number']] },
  { of: /search/, kinds: [['address', 'number', 'number']] },
  {
    of: /ByNumber|Block|trace_block|RawHeader|RawReceipts|Refusals/,
    kinds: [['block'], ['block', 'number'], ['block', 'number', 'number'], ['block', 'options'], ['block', 'list']],
  },
  {
    of: /Hash|Transaction$|Receipt$|Error$|Internal|Status|Raw/,
    kinds: [['hash'], ['hash', 'number'], ['hash', 'options'], ['hash', 'list']],
  },
  {
    of: /Balance|Count|Code|Proof|StorageAt/,
    kinds: [['address'], ['address', 'block'], ['address', 'number', 'block'], ['address', 'list', 'block']],
  },
];

/** A chain of two blocks, and values of each kind that mean something to it. */
async function world() {
  const chain = await testChain();
  const [alice, bob] = [chain.account(0), chain.account(1)];
  const { block, receipts } = await chain.sequence([alice.transfer(bob.address, 5n), alice.deploy(CODE)]);
  const contract = receipts[1]?.contractAddress ?? alice.address;
  const later = await chain.sequence([bob.call(contract, new Uint8Array()), bob.transfer(alice.address, 1n)]);
  const word = bytesToHex(new Uint8Array(32));
  const call = { to: contract, from: bob.address };
  const known: Readonly<Record<Kind, readonly unknown[]>> = {
    address: [alice.address, bob.address, contract, `0x${'0'.repeat(40)}`],
    hash: [block.hash, word, ...[...block.transactions, ...later.block.transactions].map(({ hash }) => hash)],
    block: ['0x0', '0x1', '0x2', 1, 'latest', 'pending', 'earliest', 'safe', { blockHash: block.hash }, block.hash],
    number: ['0x0', '0x1', 0, 1, 25, true, false, `0x${'f'.repeat(16)}`, `0x${'f'.repeat(64)}`, -1, 1.5, 1e300],
    call: [
      ...[
        call,
        { ...call, gas: '0xffff', value: '0x1' },
        { data: bytesToHex(CODE) },
        { data: '0xfe' },
        { to: contract },
        {},
      ],
      ...[
        { ...call, maxFeePerGas: '0x1' },
        { ...call, gasPrice: '0x5f5e10000', nonce: '0x9', chainId: '0x539' },
      ],
      ...[{ blockStateCalls: [{ calls: [call] }] }, { blockStateCalls: [{ blockOverrides: { number: '0xff' } }] }],
      { ...call, accessList: [{ address: contract, storageKeys: [word] }], input: '0x', type: '0x1' },
    ],
    options: [
      ...[
        { tracer: 'callTracer', tracerConfig: { withLog: true } },
        { tracer: 'prestateTracer' },
        { enableMemory: true },
      ],
      ...[{ tracer: 'prestateTracer', tracerConfig: { diffMode: true } }, { tracer: '4byteTracer' }, { tracer: 'x' }],
      ...[{ stateOverrides: { [contract]: { code: '0x00' } } }, { blockOverrides: { number: '0x1', time: '0x1' } }, {}],
    ],
    overrides: [
      ...[{ [contract]: { balance: '0x1', code: '0x00', state: { [word]: word } } }, { [contract]: { nonce: '0x1' } }],
      ...[{ [contract]: [word] }, { number: '0xff', time: '0x1', gasLimit: '0x1', baseFeePerGas: '0x0' }, {}],
    ],
    filter: [
      ...[{ fromBlock: '0x0', address: contract }, { topics: [null] }, { blockHash: block.hash }, {}],
      ...[{ fromBlock: '0x2', toBlock: '0x1' }, 'newHeads', 'logs'],
    ],
    list: [['trace'], ['trace', 'vmTrace', 'stateDiff'], [word], [20, 80], [], ['0x1', word]],
  };
  return { chain, known };
}

test('no parameters make a method fail with an internal error', { timeout: 120_000 }, async () => {
  const { chain, known } = await world();
  const { log, lines } = memoryLogger();
  const rpc = testRpc(chain, log);
  // Sending is the pool's, and this one is only a list.
  const methods = Object.keys(testMethods(chain)).filter((name) => !name.startsWith('eth_sendRaw'));
  const anything = fc.oneof(fc.constantFrom(...Object.values(known).flat()), fc.jsonValue());
  const value = (kind: Kind) =>
    fc.oneof({ weight: 6, arbitrary: fc.constantFrom(...known[kind]) }, { weight: 1, arbitrary: anything });
  const wanted = fc.constantFrom(...methods).chain((method) => {
    const shapes = SHAPES.filter(({ of: item }) => item.test(method)).flatMap(({ kinds }) => kinds);
    const shaped = fc.constantFrom(...shapes, []).chain((shape) => fc.tuple(...shape.map(value)));
    return fc.tuple(
      fc.constant(method),
      fc.oneof({ weight: 5, arbitrary: shaped }, { weight: 1, arbitrary: fc.array(anything, { maxLength: 5 }) }),
    );
  });
  await fc.assert(
    fc.asyncProperty(wanted, async ([method, sent]) => {
      const code = await rpc(method, ...sent).then(
        () => undefined,
        (error: unknown) => (error instanceof JsonRpcError ? error.code : String(error)),
      );
      expect({ code, logged: lines.map(({ err }) => err) }).not.toMatchObject({ code: RPC.internal });
    }),
    { numRuns: 1_500 },
  );
});
