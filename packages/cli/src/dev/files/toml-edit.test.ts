import fc from 'fast-check';
import { parse } from 'smol-toml';
import { expect, test } from 'vitest';
import { removeTomlTable, setTomlString } from './toml-edit.ts';

const set = (text: string, path: string[], value: string) => setTomlString(text, 'f.toml', path, value);

const NETWORKS = `# my networks
[networks.local]   # the one at home
sequencer_chain_id = 'chain-0'
  rollup_name   =  "old"   # known to the composer, too
native_denom = "ntia"

# rollup_name = "not this one"
[networks.local.services.rollup]
name = "rollup"
args = [
  "rollup_name = x",
]

[networks."far.away"]
rollup_name = "other"
`;

test('replaces one value and leaves every other character', () => {
  const edited = set(NETWORKS, ['networks', 'local', 'rollup_name'], 'new');
  expect(edited).toBe(NETWORKS.replace('"old"', '"new"'));
});

test('finds keys without regard to letter case, and quoted table names', () => {
  expect(set(NETWORKS, ['Networks', 'LOCAL', 'Rollup_Name'], 'new')).toBe(NETWORKS.replace('"old"', '"new"'));
  expect(set(NETWORKS, ['networks', 'far.away', 'rollup_name'], 'x')).toBe(NETWORKS.replace('"other"', '"x"'));
});

test('keeps literal quotes where the value allows them', () => {
  expect(set(NETWORKS, ['networks', 'local', 'sequencer_chain_id'], 'a"b')).toContain(`sequencer_chain_id = 'a"b'`);
  expect(set(NETWORKS, ['networks', 'local', 'sequencer_chain_id'], "it's")).toContain(`sequencer_chain_id = "it's"`);
});

test('gives back the same text when the value is there already', () => {
  expect(set(NETWORKS, ['networks', 'local', 'rollup_name'], 'old')).toBe(NETWORKS);
});

test('replaces a number by the text of one', () => {
  expect(set('# ms\ninterval = 1000 # a second\n', ['interval'], '50')).toBe('# ms\ninterval = "50" # a second\n');
});

test('adds an absent key at the end of its table', () => {
  expect(set('a = "1"\n\n[t]\nb = "2"\n', ['c'], '3')).toBe('a = "1"\nc = "3"\n\n[t]\nb = "2"\n');
  expect(set('a = "1"\n[t]\nb = "2"\n\n[u]\n', ['t', 'c'], '3')).toBe('a = "1"\n[t]\nb = "2"\nc = "3"\n\n[u]\n');
  expect(set('', ['c'], '3')).toBe('c = "3"\n');
});

test('adds an absent table at the end', () => {
  expect(set('[networks.other]\nx = 1\n\n', ['networks', 'far.away', 'x'], '3')).toBe(
    '[networks.other]\nx = 1\n\n[networks."far.away"]\nx = "3"\n\n',
  );
});

test('removes a table with what is below it and the comment above it, and leaves every other character', () => {
  const added = `${NETWORKS}
# mine
[networks.mine]
note = """
[networks.local]
"""

# still mine
[networks.mine.services.rollup]
x = 1

# the next one
[networks.next]
`;
  expect(removeTomlTable(added, 'f.toml', ['networks', 'mine'])).toBe(`${NETWORKS}\n# the next one\n[networks.next]\n`);
  expect(() => removeTomlTable('networks = { mine = { x = 1 } }\n', 'f.toml', ['networks', 'mine'])).toThrow(
    'f.toml: networks.mine is written in a form that this tool does not edit: remove it by hand',
  );
});

test('is not misled by keys inside texts of several lines', () => {
  const text = 'note = """\nname = "no"\n"""\nname = "yes"\n';
  expect(set(text, ['name'], 'z')).toBe('note = """\nname = "no"\n"""\nname = "z"\n');
});

test.each([
  [
    'an inline table',
    'networks = { local = { rollup_name = "a" } }\n',
    'networks = { local = { rollup_name = "b" } }\n',
  ],
  ['a text of several lines', '[networks.local]\nrollup_name = """\na\n"""\n', '[networks.local]\nrollup_name = "b"\n'],
  ['a dotted key', '[networks]\nlocal.rollup_name = "a"\n', '[networks]\nlocal.rollup_name = "b"\n'],
])('edits %s', (_, text, edited) => {
  expect(set(text, ['networks', 'local', 'rollup_name'], 'b')).toBe(edited);
});

test('refuses to extend an inline table, with advice', () => {
  expect(() => set('networks = { local = { x = "a" } }\n', ['networks', 'local', 'rollup_name'], 'b')).toThrow(
    'f.toml: networks.local.rollup_name is written in a form that this tool does not edit: set it to "b" by hand',
  );
});

test('a comment between tables belongs to the one below; a text that looks like one does not', () => {
  const text = '[a]\nx = 1\n# of b\n[b]\nnote = """\n# no comment\n"""\n[c]\n';
  expect(removeTomlTable(text, 'f.toml', ['a'])).toBe(text.slice(text.indexOf('# of b')));
  expect(removeTomlTable(text, 'f.toml', ['c'])).toBe(text.slice(0, text.indexOf('[c]')));
});

test('a broken file is named with line and column', () => {
  expect(() => set('a = 1\nb = = 2\n', ['a'], '2')).toThrow(/^f\.toml:2:\d+: not valid TOML: /);
});

test('whatever the value, it is read back as it was given', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 30 }), (value) => {
      const edited = set(NETWORKS, ['networks', 'local', 'rollup_name'], value);
      expect(parse(edited)).toEqual(
        parse(NETWORKS.replace('"old"', () => JSON.stringify(value).replaceAll('\u007f', '\\u007F'))),
      );
    }),
  );
});
