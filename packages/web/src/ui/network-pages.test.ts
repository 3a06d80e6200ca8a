import { expect, test } from 'vitest';
import { asReached, currentPage, pagesFromJson } from './network-pages.ts';

const chat = { kind: 'chat', title: 'Chat', url: 'http://127.0.0.1:3030' };
const faucets = [3031, 3032].map((port) => ({ kind: 'faucet', title: `at ${port}`, url: `http://127.0.0.1:${port}` }));

test('only links that a browser may be sent to are pages, and nothing is hidden in their names', () => {
  const pages = ['javascript:alert(1)', 'data:text/html,x', 'http://', `http://h/${'x'.repeat(500)}`, 7].map((url) => ({
    ...chat,
    url,
  }));
  const answer = { network: 'a\u202eb', pages: [...pages, chat, 'x'] };
  expect(pagesFromJson(answer)).toEqual({ network: 'a\\u{202e}b', pages: [chat] });
});

test('there are at most 32', () => {
  const { pages } = pagesFromJson({ network: 'n', pages: Array.from({ length: 40 }, () => chat) });
  expect(pages).toHaveLength(32);
});

test('they keep the name by which the reader reached this machine', () => {
  const pages = [chat, { ...chat, url: 'https://chat.example/' }];
  const urls = (host: string) => asReached({ network: 'n', pages }, host).pages.map(({ url }) => url);
  expect(urls('localhost')).toEqual(['http://localhost:3030/', 'https://chat.example/']);
  expect(urls('10.0.0.7')).toEqual(['http://127.0.0.1:3030', 'https://chat.example/']);
});

test('the current one is at this address, or the only one of its kind', () => {
  const pages = { network: 'n', pages: [chat, ...faucets] };
  expect(currentPage(pages, 'faucet', 'http://127.0.0.1:3032/#x')).toBe(faucets[1]);
  expect(currentPage(pages, 'faucet', 'http://10.0.0.7/')).toBeUndefined();
  expect(currentPage(pages, 'chat', 'https://elsewhere.example/')).toBe(chat);
});
