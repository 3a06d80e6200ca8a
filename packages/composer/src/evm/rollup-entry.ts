import { parser, type Schema } from '@switchyard/service/settings';

/** An EVM node whose pending transactions are submitted for a rollup. */
export interface RollupEntry {
  /** Its SHA-256 is the rollup's id. */
  readonly name: string;
  /** WebSocket; may hold a secret in user, path or query. */
  readonly url: string;
}

/** `name::ws://host:port`, separated by commas; each name once. */
export const rollupEntries: Schema<readonly RollupEntry[]> = parser(
  'entries NAME::WS_URL, separated by commas, each name once',
  'flame::ws://127.0.0.1:8546',
  (text) => {
    const entries: RollupEntry[] = [];
    for (const part of text.split(',').map((each) => each.trim())) {
      if (part === '') continue;
      const entry = parseEntry(part);
      if (entry === undefined || entries.some(({ name }) => name === entry.name)) return undefined;
      entries.push(entry);
    }
    return entries;
  },
);

function parseEntry(text: string): RollupEntry | undefined {
  const at = text.indexOf('::');
  const name = text.slice(0, at).trim();
  const url = text.slice(at + 2).trim();
  if (at < 1 || name === '' || !/^wss?:\/\//i.test(url) || !URL.canParse(url)) return undefined;
  return { name, url };
}

/** Part of the URL that may be seen: neither user nor path nor query. */
export function shownUrl({ url }: RollupEntry): string {
  const { protocol, host } = new URL(url);
  return `${protocol}//${host}`;
}
