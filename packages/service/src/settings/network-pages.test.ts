import { expect, test } from 'vitest';
import { loadConfig } from './config.ts';
import { explorerIn, type NetworkPages, networkPagesText, pagesField } from './network-pages.ts';

const read = (text: string) => loadConfig({ pages: pagesField }, { SWITCHYARD_PAGES: text }).pages;

test('a text made of pages is read as those pages', () => {
  const pages: NetworkPages = {
    network: 'local',
    pages: [
      { kind: 'chat', title: 'Chat', url: 'http://127.0.0.1:3030' },
      { kind: 'faucet', title: 'Sequencer faucet', url: 'https://faucet.example/a%2Cb?c=d' },
    ],
  };
  expect(read(networkPagesText(pages))).toEqual(pages);
});

test('what separates parts of the text is no part of a name', () => {
  const text = networkPagesText({ network: 'a,b=c', pages: [{ kind: 'api', title: 'x,chat=y', url: 'http://h/' }] });
  expect(read(text)).toEqual({ network: 'a b c', pages: [{ kind: 'api', title: 'x chat y', url: 'http://h' }] });
});

test('it names the explorer, where there is one', () => {
  expect(explorerIn(read('network=n,explorer=http://h:1/x/'))).toBe('http://h:1/x');
  expect(explorerIn(read('network=n,chat=http://h'))).toBeUndefined();
});

test('it is optional', () => {
  expect(loadConfig({ pages: pagesField }, {}).pages).toBeUndefined();
});

test.each([
  ['no network', 'chat=http://h'],
  ['another kind', 'network=n,shop=http://h'],
  ['a script', 'network=n,chat=javascript:alert(1)'],
  ['no URL', 'network=n,chat'],
  ['a long title', `network=n,chat ${'x'.repeat(41)}=http://h`],
  ['a long URL', `network=n,chat=http://h/${'x'.repeat(500)}`],
  ['many pages', `network=n${',chat=http://h'.repeat(33)}`],
])('refuses %s', (_, text) => {
  expect(() => read(text)).toThrow(/SWITCHYARD_PAGES: expected network=NAME/);
});
