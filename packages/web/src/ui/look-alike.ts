/*
 * Names are chosen freely, so one can be made to look like another. Unicode Technical Standard 39 describes how: other
 * scripts have letters of the same shape. This knows letters that fonts draw alike, and marks names; it forbids none.
 */

/** Letters by the Latin ones of the same look, after compatibility forms, marks and case are gone. */
const SHAPES: Readonly<Record<string, string>> = {
  a: 'аαɑ',
  b: 'вьƅ',
  c: 'сϲⅽ',
  d: 'ԁɗ',
  e: 'еҽεєɛ',
  f: 'ſƒ',
  g: 'ɡց',
  h: 'һнհ',
  k: 'кκ',
  l: 'iіιӏı|1!ɩǀⅼꞁļł',
  m: 'мμ',
  n: 'пηո',
  o: '0оοσօ๐ഠ૦০ѳөø',
  p: 'рρþ',
  q: 'ԛգ',
  r: 'гᴦ',
  s: '5ѕꜱ',
  t: 'тτ',
  u: 'υսʋ',
  v: 'νѵ',
  w: 'ѡωա',
  x: 'хχ×',
  y: 'уγү',
  z: 'ᴢʐ',
  j: 'јϳ',
};
const LATIN = new Map(Object.entries(SHAPES).flatMap(([to, all]) => [...all].map((from) => [from, to] as const)));

/** Reduces a name to a form that it shares with names that people may take for it. */
export function nameSkeleton(name: string): string {
  const plain = name.normalize('NFKD').replace(/[\p{M}\p{Cf}\p{Cc}\s._\-\u2010-\u2015'’`]/gu, '');
  const letters = [...plain.toLowerCase()].map((letter) => LATIN.get(letter) ?? letter).join('');
  return letters.replaceAll('rn', 'm').replaceAll('vv', 'w').replaceAll('cl', 'd');
}

/** Scripts with letters that look like those of another of them. Those of East Asia are mixed with Latin in earnest. */
const ALIKE = 'Latin Cyrillic Greek Armenian Cherokee Coptic Lisu Georgian'
  .split(' ')
  .map((script) => new RegExp(`\\p{Script=${script}}`, 'u'));

export const mixesScripts = (name: string): boolean => ALIKE.filter((script) => script.test(name)).length > 1;

/** Why a name is in doubt: it looks like another account's name, or it mixes scripts. */
export type Doubt =
  | { readonly kind: 'look-alike'; readonly name: string; readonly address: string }
  | { readonly kind: 'mixed-scripts' };

/** A name with the address of the account that uses it. */
export type NameUse = readonly [name: string, address: string];

/**
 * The names that are in doubt. The first user of a name keeps it: the accounts of this browser, then the senders of
 * messages in their order.
 *
 * @returns by name and address, as `keyOfUse` joins them.
 */
export function getDoubts(own: readonly NameUse[], senders: Iterable<NameUse>): ReadonlyMap<string, Doubt> {
  const first = new Map<string, NameUse>();
  const doubts = new Map<string, Doubt>();
  const seen = new Set<string>();
  for (const use of [...own, ...senders]) {
    const [name, address] = use;
    const key = keyOfUse(name, address);
    if (seen.has(key)) continue;
    seen.add(key);
    const skeleton = nameSkeleton(name);
    const holder = first.get(skeleton) ?? use;
    first.set(skeleton, holder);
    if (holder[1] !== address) doubts.set(key, { kind: 'look-alike', name: holder[0], address: holder[1] });
    else if (mixesScripts(name)) doubts.set(key, { kind: 'mixed-scripts' });
  }
  return doubts;
}

export const keyOfUse = (name: string, address: string): string => `${address} ${name}`;
