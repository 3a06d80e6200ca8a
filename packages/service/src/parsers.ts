import { homedir } from 'node:os';
import { resolve } from 'node:path';

/** Turns the text of one setting into a value. */
export interface Parser<T> {
  /** What a good value looks like, to complete the phrase "expected ...". */
  readonly expects: string;
  /** A good value, shown where a setting is missing. */
  readonly example: string;
  /** True where the text must never be shown, not even to say that it is wrong. */
  readonly secret: boolean;
  /** True where an unset variable is a value too (`undefined`). */
  readonly optional: boolean;
  /** Throws, or returns `undefined` where the parser is not optional, on text that does not fit. */
  parse(text: string, env: Env): T | undefined;
}

/** An environment as a process gets it. */
export type Env = Readonly<Record<string, string | undefined>>;

/** Where to listen. Port 0 lets the system choose. */
export interface Listen {
  readonly host: string;
  readonly port: number;
  /** A unix socket, in place of host and port. */
  readonly path?: string;
}

/** Keeps a value out of logs, JSON and error messages. */
export class Secret<T> {
  readonly #value: T;

  constructor(value: T) {
    this.#value = value;
  }

  reveal(): T {
    return this.#value;
  }

  toString(): string {
    return '[secret]';
  }

  toJSON(): string {
    return '[secret]';
  }

  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return '[secret]';
  }
}

/** A parser from a function that answers `undefined` for text that does not fit. */
export function parser<T>(
  expects: string,
  example: string,
  parse: (text: string, env: Env) => T | undefined,
): Parser<T> {
  return { expects, example, secret: false, optional: false, parse };
}

/** `host:port`; an IPv6 host stands in brackets. */
export const listen: Parser<Listen> = parser('host:port with a port from 0 to 65535', '127.0.0.1:8080', (text) => {
  const match = /^(?:\[([0-9A-Fa-f:.]+)\]|([^\s:/[\]]+)):(\d{1,5})$/.exec(text);
  const host = match?.[1] ?? match?.[2];
  const port = Number(match?.[3]);
  return host !== undefined && port <= 65_535 ? { host, port } : undefined;
});

/** The same, or `unix:` and the absolute path of a socket. */
export const listenOrUnix: Parser<Listen> = parser(
  'host:port with a port from 0 to 65535, or unix:/path',
  '127.0.0.1:8080',
  (text, env) => {
    const path = unixPath(text);
    return path === undefined ? listen.parse(text, env) : { host: '', port: 0, path };
  },
);

/** The path of a URL such as `unix:/run/rollup.sock`; undefined for any other. */
export function unixPath(url: string): string | undefined {
  return /^unix:(?:\/\/(?=\/))?(\/.{1,90})$/.exec(url)?.[1];
}

/** An http or https URL, or `unix:` and the absolute path of a socket. */
export const grpcUrl: Parser<string> = parser(
  'an http:// or https:// URL, or unix:/path',
  'http://127.0.0.1:50051',
  (text, env) => (unixPath(text) === undefined ? httpUrl.parse(text, env) : text),
);

/** An http or https URL, without a slash at the end. */
export const httpUrl: Parser<string> = parser('an http:// or https:// URL', 'http://127.0.0.1:26657', (text) => {
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) return undefined;
  return text.replace(/\/+$/, '');
});

/** A host name without a port, `*.domain` for all names below a domain, or `*`. */
export const hostName: Parser<string> = parser('host names without a port, *.domain or *', 'node.example', (text) =>
  /^(?:\*|(?:\*\.)?[\w-]+(?:\.[\w-]+)*\.?)$/.test(text) ? text.toLowerCase() : undefined,
);

/** The origin of a web page as browsers send it, or `*`. */
export const pageOrigin: Parser<string> = parser('origins of web pages or *', 'https://wallet.example', (text) => {
  if (text === '*') return text;
  const bare = text.replace(/\/$/, '');
  if (!URL.canParse(bare)) return undefined;
  const { origin } = new URL(bare);
  return origin === 'null' || origin.toLowerCase() !== bare.toLowerCase() ? undefined : origin;
});

/** A path; `~` is the home directory, `$VAR` and `${VAR}` come from the environment, the rest is relative to the working directory. */
export const path: Parser<string> = parser(
  'a path, in which every $VARIABLE is set',
  '~/.switchyard/data',
  (text, env) => {
    if (text === '') return undefined;
    const expanded = expandPath(text, env);
    return expanded === undefined ? undefined : resolve(expanded);
  },
);

/** Text that is not empty. */
export const text: Parser<string> = parser('text', 'text', (value) => (value === '' ? undefined : value));

const BOOLEANS: ReadonlyMap<string, boolean> = new Map([
  ...['1', 'true', 'on', 'yes'].map((word) => [word, true] as const),
  ...['0', 'false', 'off', 'no'].map((word) => [word, false] as const),
]);

/** `1 true on yes` or `0 false off no`, in any letter case. */
export const bool: Parser<boolean> = parser('true or false', 'true', (value) => BOOLEANS.get(value.toLowerCase()));

/** A decimal integer; `_` may group digits. Bounds are inclusive. */
export function integer({
  min = 0,
  max = Number.MAX_SAFE_INTEGER,
}: {
  min?: number;
  max?: number;
} = {}): Parser<number> {
  const range = max === Number.MAX_SAFE_INTEGER ? `an integer, at least ${min}` : `an integer from ${min} to ${max}`;
  return parser(range, String(min), (value) => {
    if (!/^-?\d+(_\d+)*$/.test(value)) return undefined;
    const number = Number(value.replaceAll('_', ''));
    return Number.isSafeInteger(number) && number >= min && number <= max ? number : undefined;
  });
}

/** One of a few words, letter case ignored; the value is the word as listed. */
export function oneOf<const W extends string>(...words: readonly [W, ...W[]]): Parser<W> {
  return parser(`one of ${words.join(', ')}`, words[0], (value) =>
    words.find((word) => word.toLowerCase() === value.toLowerCase()),
  );
}

/** Items between commas; empty items are left out, so empty text is an empty list. */
export function list<T>(item: Parser<T>): Parser<readonly T[]> {
  return parser(`a list, separated by commas, of ${item.expects}`, item.example, (value, env) => {
    const items: T[] = [];
    for (const part of value.split(',').map((each) => each.trim())) {
      if (part === '') continue;
      const parsed = item.parse(part, env);
      if (parsed === undefined) return undefined;
      items.push(parsed);
    }
    return items;
  });
}

/** One URL or several, separated by commas. */
export const httpUrls: Parser<readonly string[]> = {
  ...list(httpUrl),
  expects: 'one or more http:// or https:// URLs, separated by commas',
  parse(text, env) {
    const urls = list(httpUrl).parse(text, env);
    return urls === undefined || urls.length === 0 ? undefined : urls;
  },
};

/** Exactly `length` bytes in hexadecimal, with or without 0x. */
export function hexBytes(length: number): Parser<Uint8Array> {
  return parser(`${length} bytes in hexadecimal (${2 * length} digits)`, '00'.repeat(length), (value) => {
    const digits = value.replace(/^0x/i, '');
    if (digits.length !== 2 * length || !/^[0-9a-f]*$/i.test(digits)) return undefined;
    return Uint8Array.from(Buffer.from(digits, 'hex'));
  });
}

/** Hides the value from everything that prints, and its text from error messages. */
export function secret<T>(inner: Parser<T>): Parser<Secret<T>> {
  return {
    ...inner,
    secret: true,
    parse(value, env) {
      const parsed = inner.parse(value, env);
      return parsed === undefined ? undefined : new Secret(parsed);
    },
  };
}

/** Unset and empty both mean `undefined`. */
export function optional<T>(inner: Parser<T>): Parser<T | undefined> {
  return { ...inner, optional: true };
}

/** `undefined` where a variable in the path is not set: a path with a hole in it would be a different path. */
function expandPath(value: string, env: Env): string | undefined {
  let missing = false;
  const home = env.HOME ?? homedir();
  const expanded = value
    .replace(/^~(?=$|\/)/, () => home)
    .replace(/\$(?:\{(\w+)\}|(\w+))/g, (_, braced: string | undefined, bare: string | undefined) => {
      const found = env[braced ?? bare ?? ''];
      if (found === undefined) missing = true;
      return found ?? '';
    });
  return missing ? undefined : expanded;
}
