import { httpApi, Input, object, type Read, validItems } from '@switchyard/client/http-api';
import { useEffect, useState } from 'react';
import { shown } from './shown.ts';

const MAX_PAGES = 32;
const MAX_TEXT = 60;
const MAX_URL = 500;

const word: Read<string> = ({ value }) => (typeof value === 'string' ? shown(value.slice(0, MAX_TEXT)) : '');
/** Only URLs that a browser may open. */
const link: Read<string> = (input) => {
  const { value } = input;
  const isLink = typeof value === 'string' && value.length <= MAX_URL && /^https?:\/\//i.test(value);
  return isLink && URL.canParse(value) ? value : input.fail('an http:// or https:// URL');
};

const pagesRecord = object({ network: word, pages: validItems(object({ kind: word, title: word, url: link })) });

export type NetworkPages = ReturnType<typeof pagesRecord>;
export type NetworkPage = NetworkPages['pages'][number];

export const NO_PAGES: NetworkPages = { network: '', pages: [] };

export function pagesFromJson(value: unknown): NetworkPages {
  const { network, pages } = pagesRecord(new Input(value, 'pages'));
  return { network, pages: pages.slice(0, MAX_PAGES) };
}

const isThisMachine = (host: string) => /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(host);

/**
 * Pages with the host by which the reader came, if that and theirs name one machine: what a browser keeps for a page,
 * such as the key of the chat, belongs to one name.
 */
export function asReached({ network, pages }: NetworkPages, hostname: string): NetworkPages {
  if (!isThisMachine(hostname)) return { network, pages };
  return {
    network,
    pages: pages.map((page) => {
      const url = new URL(page.url);
      if (!isThisMachine(url.hostname)) return page;
      url.hostname = hostname;
      return { ...page, url: url.href };
    }),
  };
}

/** The page of this kind that is open: the one at this address, or the only one. */
export function currentPage({ pages }: NetworkPages, kind: string, href: string): NetworkPage | undefined {
  const same = pages.filter((page) => page.kind === kind);
  const { origin } = new URL(href);
  return same.find(({ url }) => new URL(url).origin === origin) ?? (same.length === 1 ? same[0] : undefined);
}

let wanted: Promise<NetworkPages> | undefined;

/** Asked for once in the life of a page. Without an answer there is no menu, and everything else works. */
const askPages = () =>
  httpApi('page', { url: new URL('.', location.href).href })('/pages.json').then(
    ({ value }) => asReached(pagesFromJson(value), location.hostname),
    () => NO_PAGES,
  );

/** The pages of the network that this one belongs to, as the process that serves it knows them. */
export function useNetworkPages(): NetworkPages {
  const [pages, setPages] = useState(NO_PAGES);
  useEffect(() => {
    wanted ??= askPages();
    void wanted.then(setPages);
  }, []);
  return pages;
}
