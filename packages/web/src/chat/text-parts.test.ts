import fc from 'fast-check';
import { expect, test } from 'vitest';
import { joinReply, splitReply } from './reply.ts';
import { getParts, type Part } from './text-parts.ts';

const names = new Set(['alice', 'böb', 'v1.2', 'a-b']);
const parts = (text: string) => getParts(text, (name) => names.has(name));
const shown = (part: Part) =>
  part.kind === 'text' ? part.text : part.kind === 'link' ? `[${part.href}]` : `{${part.name}}`;
const read = (text: string) => parts(text).map(shown).join('');

test.each([
  ['see https://example.com/a?b=c#d now', 'see [https://example.com/a?b=c#d] now'],
  ['HTTP://EXAMPLE.com.', '[http://example.com/].'],
  ['(https://example.com/a_(b))!', '([https://example.com/a_(b)])!'],
  ['https://example.com, https://example.org', '[https://example.com/], [https://example.org/]'],
  ['http://127.0.0.1:3030/x', '[http://127.0.0.1:3030/x]'],
])('the address is a link: %s', (text, expected) => {
  expect(read(text)).toBe(expected);
});

test('a link shows where it leads: letters of other scripts in a host are shown by their code', () => {
  // The first letter is Cyrillic.
  expect(read('https://аpple.com/')).toBe('[https://xn--pple-43d.com/]');
  expect(read('https://example.com/\u00e4')).toBe('[https://example.com/%C3%A4]');
  // A circled number and a full-width dot, which a host does not keep.
  expect(read('https://①example．com')).toBe('[https://1example.com/]');
});

test.each([
  'javascript:alert(1)',
  'data:text/html,x',
  'ftp://example.com',
  'file:///etc/passwd',
  'http://',
  'https://good.com@evil.com/',
  'https://user:secret@evil.com/',
  'xhttps://example.com',
  `https://example.com/${'x'.repeat(500)}`,
  `https://example.com/${'ä'.repeat(200)}`,
])('no link: %s', (text) => {
  expect(parts(text)).toEqual([{ kind: 'text', text }]);
});

test.each([
  ['https://good.com\\@evil.com', '[https://good.com/]\\@evil.com'],
  ['https://good.com\\u{202e}moc', '[https://good.com/]\\u{202e}moc'],
  ['https://good.com\u200d.evil.com', '[https://good.com/]\u200d.evil.com'],
])('an address ends where it would be read as another: %s', (text, expected) => {
  expect(read(text)).toBe(expected);
});

test('names that accounts use are mentions, without what ends a sentence', () => {
  expect(read('@alice, @böb. and @v1.2!')).toBe('{alice}, {böb}. and {v1.2}!');
  expect(read('@alice-- @a-b-')).toBe('{alice}-- {a-b}-');
  for (const text of ['@alic', '@alicex', 'x@alice', '@@alice', 'https//x/@alice', '@constructor'])
    expect(read(text)).toBe(text);
});

test('a text of links alone has a bound', () => {
  const found = parts('http://a.b '.repeat(180));
  expect(found.filter(({ kind }) => kind === 'link')).toHaveLength(30);
  expect(found.at(-1)?.kind).toBe('text');
});

test('whatever is written, links have one of two schemes, and everything else is shown as it was written', () => {
  const piece = fc.oneof(
    fc.constantFrom('http://', 'https://', 'javascript:', '@', 'alice', '/', '\\', '.', '(', ')', ' ', '\u202e', 'é'),
    fc.string({ unit: 'binary', maxLength: 6 }),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
      const text = pieces.join('');
      for (const part of parts(text)) {
        if (part.kind === 'link') expect(part.href).toMatch(/^https?:\/\/[^@/\\]+(\/|$)[\x21-\x7e]*$/);
        else expect(text).toContain(part.kind === 'text' ? part.text : `@${part.name}`);
      }
    }),
  );
});

test('a reply names the message that it answers in its first line, and is read back', () => {
  expect(splitReply('> #12\nyes')).toEqual({ to: 12n, text: 'yes' });
  expect(splitReply('> #0\none\ntwo')).toEqual({ to: 0n, text: 'one\ntwo' });
  for (const text of [
    '> #12',
    '> #12\n',
    '> 12\nyes',
    '> #012\nyes',
    ' > #1\nyes',
    'yes\n> #1\nno',
    `> #${'9'.repeat(30)}\nx`,
  ])
    expect(splitReply(text)).toEqual({ to: undefined, text });
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }), fc.string({ minLength: 1 }), (to, text) => {
      expect(splitReply(joinReply({ to, text }))).toEqual({ to, text });
    }),
  );
});
