import { AbiCoder, Interface } from 'ethers/abi';
import { id } from 'ethers/hash';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseAbi } from './abi.ts';
import { decodeCall, decodeLog, decodeRevert, findMethod } from './decode.ts';
import { STANDARD } from './standard.ts';
import { MAX_DECODED_BYTES } from './values.ts';

const getAbi = (...signatures: readonly string[]) => parseAbi(JSON.parse(new Interface(signatures).formatJson()));
const SOME = `0x${'ab'.repeat(20)}`;
const CHECKSUMMED = '0xABaBaBaBABabABabAbAbABAbABabababaBaBABaB';

test('a call is shown with its arguments by name, tuples and arrays by their parts', () => {
  const source = 'function order((address maker, uint256[2] amounts)[] orders, string note, bytes data, bool urgent)';
  const input = new Interface([source]).encodeFunctionData('order', [
    [[SOME, [1n, 2n ** 200n]]],
    '<b>',
    '0x0102',
    true,
  ]);
  expect(decodeCall([getAbi(source)], input)).toEqual({
    name: 'order',
    signature: 'order((address,uint256[2])[],string,bytes,bool)',
    arguments: [
      {
        name: 'orders',
        type: '(address,uint256[2])[]',
        value: [
          [
            { name: 'maker', type: 'address', value: CHECKSUMMED },
            { name: 'amounts', type: 'uint256[2]', value: ['1', String(2n ** 200n)] },
          ],
        ],
      },
      { name: 'note', type: 'string', value: '<b>' },
      { name: 'data', type: 'bytes', value: '0x0102' },
      { name: 'urgent', type: 'bool', value: true },
    ],
  });
});

test('of two ABIs with the same selector the one whose parameters fit the bytes is taken', () => {
  // transfer(address,uint256) and a function that was made to have its selector.
  const input = new Interface(['function transfer(address,uint256)']).encodeFunctionData('transfer', [SOME, 5]);
  const other = getAbi('function many_msg_babbage(bytes1)');
  expect(findMethod([other, STANDARD], input)).toBe('many_msg_babbage');
  expect(decodeCall([STANDARD], input)).toMatchObject({
    name: 'transfer',
    arguments: [{ name: 'to' }, { value: '5' }],
  });
});

test('a transfer of ERC-20 and one of ERC-721 differ in what is indexed', () => {
  const erc20 = new Interface(['event Transfer(address indexed from, address indexed to, uint256 value)']);
  const erc721 = new Interface(['event Transfer(address indexed from, address indexed to, uint256 indexed tokenId)']);
  const log20 = erc20.encodeEventLog('Transfer', [SOME, SOME, 7]);
  const log721 = erc721.encodeEventLog('Transfer', [SOME, SOME, 7]);
  const names = ({ topics, data }: { topics: string[]; data: string }) =>
    decodeLog([STANDARD], topics, data)?.arguments.map(({ name, value }) => [name, value]);
  expect(names(log20)).toEqual([
    ['from', CHECKSUMMED],
    ['to', CHECKSUMMED],
    ['value', '7'],
  ]);
  expect(names(log721)?.[2]).toEqual(['tokenId', '7']);
  // Neither has this number of topics.
  expect(decodeLog([STANDARD], log20.topics.slice(0, 2), log20.data)).toBeUndefined();
});

test('of an indexed text its hash is shown, and the order of parameters is kept', () => {
  const source = 'event Named(uint256 id, string indexed name, uint256 other)';
  const { topics, data } = new Interface([source]).encodeEventLog('Named', [1, 'abc', 2]);
  expect(decodeLog([getAbi(source)], topics, data)?.arguments).toEqual([
    { name: 'id', type: 'uint256', value: '1' },
    { name: 'name', type: 'string', value: topics[1] },
    { name: 'other', type: 'uint256', value: '2' },
  ]);
});

test.each([
  ['Error(string)', 'Error', ['not allowed']],
  ['Panic(uint256)', 'Panic', [17]],
  ['NotEnough(uint256,uint256)', 'NotEnough', [1, 2]],
])('a revert with %s is decoded', (signature, name, values) => {
  const source = `error ${signature}`;
  const data = new Interface([source]).encodeErrorResult(name, values);
  const abis = name === 'NotEnough' ? [getAbi(source)] : [STANDARD];
  expect(decodeRevert(abis, data)).toMatchObject({
    name,
    signature,
    arguments: values.map((value) => ({ value: String(value) })),
  });
});

// Defect: Text that is not UTF-8 left out
test('text that is no UTF-8 is shown as bytes, with the rest of the call', () => {
  const source = 'function f(uint256 a, string b)';
  const [selector] = getAbi(source).functions.keys();
  const encoded = AbiCoder.defaultAbiCoder().encode(['uint256', 'bytes'], [1, '0xff']);
  expect(decodeCall([getAbi(source)], `${selector}${encoded.slice(2)}`)?.arguments.map(({ value }) => value)).toEqual([
    '1',
    '0xff',
  ]);
});

// Defect: Parameter of type `function` hid its whole call, event or error
test('a function as a parameter is shown as address and selector, also in lists and topics', () => {
  const inputs = [
    { type: 'function', name: 'callback' },
    { type: 'function[]', name: 'others' },
    { type: 'uint256', name: 'a' },
  ];
  const abi = parseAbi([
    { type: 'function', name: 'f', inputs },
    { type: 'event', name: 'E', inputs: [{ type: 'function', name: 'callback', indexed: true }] },
  ]);
  const [selector = ''] = abi.functions.keys();
  const value = `${SOME}12345678`;
  const data = AbiCoder.defaultAbiCoder().encode(['bytes24', 'bytes24[]', 'uint256'], [value, [value], 7]);
  const shown = [
    { name: 'address', type: 'address', value: CHECKSUMMED },
    { name: 'selector', type: 'bytes4', value: '0x12345678' },
  ];
  expect(decodeCall([abi], `${selector}${data.slice(2)}`)).toEqual({
    name: 'f',
    signature: 'f(function,function[],uint256)',
    arguments: [
      { name: 'callback', type: 'function', value: shown },
      { name: 'others', type: 'function[]', value: [shown] },
      { name: 'a', type: 'uint256', value: '7' },
    ],
  });
  expect(selector).toBe(id('f(function,function[],uint256)').slice(0, 10));
  const [topic = ''] = abi.events.keys();
  expect(decodeLog([abi], [topic, `${value}${'00'.repeat(8)}`], '0x')?.arguments).toMatchObject([{ value: shown }]);
});

// Defect: Parameter of an unknown type hid its whole call, event or error
test('a parameter of an unknown type is shown as bytes, and the others by theirs', () => {
  const inputs = [
    { type: 'Lib.Colour', name: 'colour' },
    { type: 'uint257', name: 'wide' },
    { type: 'mapping(uint256 => address) storage', name: 'place' },
    { type: 'tuple', name: 't', components: [{ type: 'fixed128x18[]', name: 'odd' }] },
    { type: 'string', name: 'note' },
  ];
  const abi = parseAbi([
    { type: 'function', name: 'f', inputs },
    { type: 'error', name: 'Odd', inputs: [{ type: 'fixed128x18', name: '' }] },
    {
      type: 'event',
      name: 'Painted',
      inputs: [
        { type: 'Lib.Colour', name: 'colour', indexed: true },
        { type: 'bool', name: 'x' },
      ],
    },
  ]);
  const word = (value: number) => `0x${value.toString(16).padStart(64, '0')}`;
  const types = ['bytes32', 'bytes32', 'bytes32', 'tuple(bytes32[])', 'string'];
  const data = AbiCoder.defaultAbiCoder().encode(types, [word(2), word(3), word(4), [[word(5)]], 'red']);
  const [selector = ''] = abi.functions.keys();
  expect(decodeCall([abi], `${selector}${data.slice(2)}`)?.arguments.map(({ value }) => value)).toEqual([
    ...[word(2), word(3), word(4)],
    [{ name: 'odd', type: 'fixed128x18[]', value: [word(5)] }],
    'red',
  ]);
  const [topic = ''] = abi.events.keys();
  expect(decodeLog([abi], [topic, word(2)], word(1))?.arguments.map(({ value }) => value)).toEqual([word(2), true]);
  // The encoding cannot be known: the name is, and the bytes are.
  const [error = ''] = abi.errors.keys();
  expect(decodeRevert([abi], `${error}abcd`)).toMatchObject({
    name: 'Odd',
    arguments: [{ type: 'bytes', value: '0xabcd' }],
  });
});

// Defect: Anonymous events not decoded
test('an anonymous event is known where it is the only one that fits', () => {
  const event = (name: string, isIndexed: boolean) => ({
    ...{ type: 'event', name, anonymous: true },
    inputs: [
      { type: 'address', name: 'who', indexed: isIndexed },
      { type: 'uint256', name: 'amount' },
    ],
  });
  const who = `0x${SOME.slice(2).padStart(64, '0')}`;
  const amount = `0x${'5'.padStart(64, '0')}`;
  const abi = parseAbi([event('Paid', true), event('Given', false)]);
  expect(decodeLog([abi], [who], amount)).toMatchObject({
    signature: 'Paid(address,uint256)',
    arguments: [{ value: CHECKSUMMED }, { value: '5' }],
  });
  expect(decodeLog([abi], [], `${who}${amount.slice(2)}`)?.name).toBe('Given');
  expect(decodeLog([parseAbi([event('Paid', true), event('Given', true)])], [who], amount)).toBeUndefined();
});

// Defect: Long types repeated for each element of a decoded call
test('types that are long are not repeated without end', () => {
  const members = Array.from({ length: 60 }, (_, at) => ({ type: 'uint256[]', name: `member${at}` }));
  const long = Array.from({ length: 60 }, (_, at) => ({ type: 'tuple[]', name: `list${at}`, components: members }));
  const abi = parseAbi([{ type: 'function', name: 'f', inputs: [{ type: 'tuple[]', name: 'all', components: long }] }]);
  const [selector = ''] = abi.functions.keys();
  // Many elements without contents, whose offsets are those of one empty list.
  const word = (value: number) => value.toString(16).padStart(64, '0');
  const element = `${word(60 * 32).repeat(60)}${word(0)}`;
  const count = 12;
  const offsets = Array.from({ length: count }, (_, at) => word(32 * count + (at * element.length) / 2)).join('');
  const decoded = decodeCall([abi], `${selector}${word(32)}${word(count)}${offsets}${element.repeat(count)}`);
  expect(decoded?.name).toBe('f');
  expect(JSON.stringify(decoded?.arguments).length).toBeLessThan(300_000);
});

test.each([
  ['a huge array of fixed size', [{ type: 'uint256[99999]', name: '' }]],
  ['arrays whose product is huge', [{ type: 'uint256[999][999][999]', name: '' }]],
  ['a huge array around a tuple', [{ type: 'tuple[4000][4000]', name: '', components: [{ type: 'bool', name: '' }] }]],
  ['a tuple without members', [{ type: 'tuple[]', name: '', components: [] }]],
  ['a type that is markup', [{ type: '<b>', name: '' }]],
  ['no text as type', [{ type: 5 }]],
  ['tuples in tuples without end', [nested(40)]],
  ['too many parameters', Array.from({ length: 65 }, () => ({ type: 'bool', name: '' }))],
])('an item with %s is left out, and the others are kept', (_, inputs) => {
  const good = { type: 'function', name: 'good', inputs: [], outputs: [], stateMutability: 'view' };
  const { functions } = parseAbi([{ type: 'function', name: 'f', inputs }, good, null, 7]);
  expect([...functions.values()].map(({ name }) => name)).toEqual(['good']);
});

function nested(depth: number): object {
  return depth === 0 ? { type: 'bool', name: '' } : { type: 'tuple', name: '', components: [nested(depth - 1)] };
}

test('lists whose elements are all the same list are refused before they grow', () => {
  const source = 'function f(bytes[][][] a)';
  const [selector] = getAbi(source).functions.keys();
  const word = (value: number) => value.toString(16).padStart(64, '0');
  const length = 160;
  // Each element points behind the offsets of its list: four million values in 15 kB.
  const list = `${word(length)}${word(32 * length).repeat(length)}`;
  expect(decodeCall([getAbi(source)], `${selector}${word(32)}${list.repeat(3)}${word(0)}`)).toBeUndefined();
});

test('a long list is cut and what is missing is counted; more bytes than the bound are not decoded', () => {
  const source = 'function f(bool[] a)';
  const made = new Interface([source]);
  const call = (length: number) => made.encodeFunctionData('f', [Array.from({ length }, () => true)]);
  const value = decodeCall([getAbi(source)], call(1_010))?.arguments[0]?.value;
  expect(value).toEqual([...Array.from({ length: 999 }, () => true), '… 11 more']);
  expect(decodeCall([getAbi(source)], call(MAX_DECODED_BYTES / 32))).toBeUndefined();
});

test('whatever the bytes and the ABI are, decoding ends without an error', () => {
  const hex = fc.uint8Array({ maxLength: 400 }).map((bytes) => Buffer.from(bytes).toString('hex'));
  const type = fc.constantFrom(
    'uint256',
    'bytes',
    'string',
    'address[]',
    'bool[3]',
    'bytes[][]',
    'int8',
    'bytes4',
    'function',
    'Lib.E[2]',
    'tuple',
    'x',
  );
  const parameter = fc.record({
    type,
    name: fc.string(),
    indexed: fc.boolean(),
    components: fc.constant([{ type: 'string', name: 'a' }]),
  });
  const item = fc.record({
    type: fc.constantFrom('function', 'event', 'error', 'constructor', 'fallback'),
    name: fc.constantFrom('f', '', 'é', 'x'.repeat(300)),
    inputs: fc.oneof(fc.array(parameter, { maxLength: 4 }), fc.jsonValue()),
    outputs: fc.array(parameter, { maxLength: 2 }),
  });
  fc.assert(
    fc.property(fc.array(fc.oneof(item, fc.jsonValue())), hex, (items, data) => {
      const abi = parseAbi(items);
      for (const selector of abi.functions.keys()) decodeCall([abi], `${selector}${data}`);
      for (const selector of abi.errors.keys()) decodeRevert([abi], `${selector}${data}`);
      for (const topic of abi.events.keys()) decodeLog([abi], [topic, `0x${'11'.repeat(32)}`], `0x${data}`);
    }),
  );
});
