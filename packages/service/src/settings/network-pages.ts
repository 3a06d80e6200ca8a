import { parser, type Schema } from '../input/schema.ts';
import { optional } from '../input/shapes.ts';
import { field } from './config.ts';
import { httpUrl } from './parsers.ts';

/** Kinds of pages, with their default titles. */
const TITLES = { start: 'Start page', chat: 'Chat', explorer: 'Explorer', faucet: 'Faucet', api: 'API' } as const;

export interface NetworkPage {
  readonly kind: keyof typeof TITLES;
  readonly title: string;
  /** Address for browsers, which may differ from that for processes. */
  readonly url: string;
}

/** The pages of a network, which lead to each other. */
export interface NetworkPages {
  readonly network: string;
  readonly pages: readonly NetworkPage[];
}

const MAX_PAGES = 32;
const MAX_TITLE = 40;
const MAX_URL = 500;

const isKind = (text: string): text is NetworkPage['kind'] => Object.hasOwn(TITLES, text);

function findPage(name: string, text: string): NetworkPage | undefined {
  const [, kind = '', title = ''] = /^(\w+)(?:\s+(.*))?$/.exec(name) ?? [];
  const url = httpUrl.fromText(text);
  if (!isKind(kind) || url === undefined || title.length > MAX_TITLE || url.length > MAX_URL) return undefined;
  return { kind, title: title === '' ? TITLES[kind] : title, url };
}

const networkPages: Schema<NetworkPages> = parser(
  `network=NAME, then at most ${MAX_PAGES} pages as KIND=URL or KIND TITLE=URL, separated by commas, each KIND one of ${Object.keys(TITLES).join(', ')}`,
  'network=local,chat=http://127.0.0.1:3030,faucet Sequencer faucet=http://127.0.0.1:3034',
  (text) => {
    const [first, ...items] = text.split(',').map((item) => {
      const [, name = '', value = ''] = /^([^=]*)=(.*)$/.exec(item.trim()) ?? [];
      return [name.trim(), value.trim()] as const;
    });
    if (first?.[0] !== 'network' || first[1] === '' || first[1].length > MAX_TITLE) return undefined;
    const pages = items.map(([name, url]) => findPage(name, url)).filter((page) => page !== undefined);
    return pages.length < items.length || pages.length > MAX_PAGES ? undefined : { network: first[1], pages };
  },
);

/** Text of the setting. What separates its parts is no part of a name. */
export function networkPagesText({ network, pages }: NetworkPages): string {
  const word = (text: string) => text.replaceAll(/[,=]/g, ' ').trim().slice(0, MAX_TITLE);
  const items = pages.slice(0, MAX_PAGES).map(({ kind, title, url }) => {
    const name = title === '' || title === TITLES[kind] ? kind : `${kind} ${word(title)}`;
    return `${name}=${url.replaceAll(',', '%2C')}`;
  });
  return [`network=${word(network)}`, ...items].join(',');
}

/** The explorer of a network, unless a setting of its own names another. */
export const explorerIn = (pages: NetworkPages | undefined): string | undefined =>
  pages?.pages.find(({ kind }) => kind === 'explorer')?.url;

/** One setting of every process that serves a page. */
export const pagesField = field('SWITCHYARD_PAGES', optional(networkPages), {
  help: 'name and pages of the network, as browsers reach them, for the menu of the page that is served here; without it the page has no menu',
});
