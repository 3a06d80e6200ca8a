import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Input } from './input.ts';
import { InvalidData } from './invalid-data.ts';
import { parseInput } from './parse-input.ts';
import { ifValid, list, mapped, object, optional, readEach, strictObject, validItems } from './shapes.ts';
import { bool, shortText, text, unsigned } from './values.ts';

const shape = strictObject(
  {
    some_name: text,
    ics20_fee: optional(unsigned(64)),
    flags: optional(list(bool, 3), []),
    inner: optional(object({ size: mapped(unsigned(32), Number) })),
  },
  { aliases: { old_name: 'some_name' } },
);

function getMessages(read: () => unknown): string[] {
  try {
    read();
  } catch (error) {
    if (error instanceof InvalidData) return error.message.split('\n');
    throw error;
  }
  return [];
}
const messages = (value: unknown) => getMessages(() => shape(new Input(value, 'root')));

test('reads either spelling and other names, and null as absent', () => {
  const value = { some_name: 'a', ics20_fee: 7, flags: [true], inner: null };
  expect(shape(new Input({ someName: null, some_name: 'a' }, ''))).toMatchObject({ someName: 'a' });
  const found = { someName: 'a', ics20Fee: 7n, flags: [true], inner: undefined };
  expect(shape(new Input(value, ''))).toEqual(found);
  expect(
    shape(new Input({ oldName: 'a', ics20Fee: '18446744073709551615', inner: { size: 1n, more: 1 } }, '')),
  ).toEqual({
    someName: 'a',
    ics20Fee: (1n << 64n) - 1n,
    flags: [],
    inner: { size: 1 },
  });
});

test.each<[string, unknown, string]>([
  ['a missing member', {}, 'root.some_name: expected text, got nothing'],
  ['a null for a required member', { some_name: null }, 'root.some_name: expected text, got null'],
  [
    'an unknown key',
    { some_name: 'a', other: 1 },
    'root.other: expected a known key: some_name, ics20_fee, flags, inner',
  ],
  [
    'both spellings',
    { some_name: 'a', someName: 'b' },
    'root.someName: expected one spelling of this key; "some_name" is there too',
  ],
  [
    'a number that is too large',
    { some_name: 'a', ics20_fee: '18446744073709551616' },
    'root.ics20_fee: expected a whole number from 0 to 2^64 - 1, got "18446744073709551616"',
  ],
  [
    'a fraction',
    { some_name: 'a', ics20_fee: 1.5 },
    'root.ics20_fee: expected a whole number from 0 to 2^64 - 1, got 1.5',
  ],
  [
    'a number that a double has rounded',
    { some_name: 'a', ics20_fee: 2 ** 60 },
    'root.ics20_fee: expected a whole number from 0 to 2^64 - 1, got 1152921504606847000',
  ],
  [
    'one bad item of a list',
    { some_name: 'a', flags: [true, 'x', false] },
    'root.flags[1]: expected true or false, got "x"',
  ],
  [
    'a list that is too long',
    { some_name: 'a', flags: Array(4).fill(true) },
    'root.flags: expected a list of at most 3, got a list of 4',
  ],
  [
    'a mistake far inside',
    { some_name: 'a', inner: { size: 'x' } },
    'root.inner.size: expected a whole number from 0 to 2^32 - 1, got "x"',
  ],
  [
    'a name that every object has',
    { some_name: 'a', constructor: 1 },
    'root.constructor: expected a known key: some_name, ics20_fee, flags, inner',
  ],
])('names %s by its path', (_, value, message) => {
  expect(messages(value)).toEqual([message]);
});

test('names all mistakes at once', () => {
  expect(messages({ flags: [1, true, 'x'], inner: [], more: 1 })).toHaveLength(5);
});

test('a member that only the prototype has is absent', () => {
  const input = new Input({}, 'x');
  for (const name of ['constructor', '__proto__', 'toString']) expect(input.at(name).value).toBeUndefined();
  const polluted = parseInput('{"__proto__": {"some_name": "a"}}', 'root');
  expect(getMessages(() => shape(polluted))).toHaveLength(2);
});

test.each([
  ['a long text', 'x'.repeat(1_000_000)],
  ['a long key', { ['y'.repeat(1_000_000)]: 1 }],
  ['a key that breaks the line', { '\n\u001b[31m': 1 }],
  ['a long list', Array(1_000_000).fill('x')],
  ['a long number', 10n ** 100_000n],
  [
    'a list of mistakes',
    { some_name: 'a', flags: {}, ...Object.fromEntries(Array.from({ length: 5_000 }, (_, i) => [i, i])) },
  ],
])('the message about %s is short', (_, value) => {
  const lines = messages(value);
  expect(lines.length).toBeGreaterThan(0);
  expect(lines.length).toBeLessThanOrEqual(100);
  for (const line of lines) expect(line).toMatch(/^[\x20-\x7e…]{1,250}$/);
});

test('stops reading a list after a hundred mistakes', () => {
  let read = 0;
  const bad = (input: Input) => {
    read += 1;
    return input.text();
  };
  const items = new Input(Array(100_000).fill(1), 'list').list();
  expect(getMessages(() => readEach(items, bad))).toHaveLength(100);
  expect(read).toBe(100);
});

test('JSON is refused with its beginning, and where it nests too deep', () => {
  expect(getMessages(() => parseInput('<html>', 'GET /'))).toEqual(['GET /: expected JSON, got "<html>"']);
  expect(getMessages(() => parseInput('['.repeat(1_000_000), 'GET /'))).toEqual([
    'GET /: expected at most 64 levels of nesting',
  ]);
});

test('the bounds of a text count bytes', () => {
  expect(shortText(2)(new Input('é', ''))).toBe('é');
  expect(getMessages(() => shortText(2)(new Input('éa', 'name')))).toEqual([
    'name: expected text of 1 to 2 bytes, got "éa"',
  ]);
});

test('what is found wrong with a value that was read has its path', () => {
  const even = mapped(unsigned(32), (value, input) => (value % 2n === 0n ? value : input.fail('an even number')));
  const input = new Input([2, 3], 'numbers');
  expect(getMessages(() => list(even)(input))).toEqual(['numbers[1]: expected an even number, got 3']);
  expect(getMessages(() => input.refuse('numbers differ'))).toEqual(['numbers: numbers differ']);
});

test('lenient readers leave out what does not fit, and hide no other error', () => {
  expect(ifValid(text)(new Input(1, ''))).toBeUndefined();
  expect(ifValid(text)(new Input('a', ''))).toBe('a');
  expect(validItems(text)(new Input(['a', 1, null, 'b'], ''))).toEqual(['a', 'b']);
  for (const none of [undefined, null, 'a', {}]) expect(validItems(text)(new Input(none, ''))).toEqual([]);
  const broken = () => {
    throw new TypeError('a bug');
  };
  expect(() => ifValid(broken)(new Input(1, ''))).toThrow(TypeError);
});

test('no value makes a reader throw anything but its own error', () => {
  fc.assert(
    fc.property(fc.anything(), (value) => {
      messages(value);
      for (const read of [(i: Input) => i.big(), (i: Input) => i.integer(), (i: Input) => i.members(), text]) {
        getMessages(() => read(new Input(value, 'x')));
      }
    }),
  );
});
