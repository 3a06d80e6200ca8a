import { isIP } from 'node:net';
import { homedir } from 'node:os';
import { resolve } from 'node:path';
import { type Env, parser, type Schema, withFacts } from '../input/schema.ts';
import { list } from '../input/shapes.ts';

/** An address to listen on. Port 0 lets the system choose. */
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

/** `host:port`; an IPv6 host stands in brackets. */
export const listen: Schema<Listen> = parser('host:port with a port from 0 to 65535', '127.0.0.1:8080', (text) => {
  const match = /^(?:\[([0-9A-Fa-f:.]+)\]|([^\s:/[\]]+)):(\d{1,5})$/.exec(text);
  const host = match?.[1] ?? match?.[2];
  const port = Number(match?.[3]);
  return host !== undefined && port <= 65_535 ? { host, port } : undefined;
});

/** `host:port`, or `unix:` and the absolute path of a socket. */
export const listenOrUnix: Schema<Listen> = parser(
  'host:port with a port from 0 to 65535, or unix:/path',
  '127.0.0.1:8080',
  (text, env) => {
    const path = unixPath(text);
    return path === undefined ? listen.fromText(text, env) : { host: '', port: 0, path };
  },
);

/** The path of a URL such as `unix:/run/rollup.sock`; undefined for any other. */
export function unixPath(url: string): string | undefined {
  return /^unix:(?:\/\/(?=\/))?(\/.{1,90})$/.exec(url)?.[1];
}

/** An http or https URL, or `unix:` and the absolute path of a socket. */
export const grpcUrl: Schema<string> = parser(
  'an http:// or https:// URL, or unix:/path',
  'http://127.0.0.1:50051',
  (text, env) => (unixPath(text) === undefined ? httpUrl.fromText(text, env) : text),
);

/** An http or https URL, without a slash at the end. */
export const httpUrl: Schema<string> = parser('an http:// or https:// URL', 'http://127.0.0.1:26657', (text) => {
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) return undefined;
  return text.replace(/\/+$/, '');
});

/** A host name without a port, `*.domain` for all names below a domain, or `*`. */
export const hostName: Schema<string> = parser('host names without a port, *.domain or *', 'node.example', (text) =>
  /^(?:\*|(?:\*\.)?[\w-]+(?:\.[\w-]+)*\.?)$/.test(text) ? text.toLowerCase() : undefined,
);

/** An address or a network of the network layer, or `*`. */
export const network: Schema<string> = parser('IP addresses, networks or *', '10.42.0.0/16', (text) => {
  const [, address = '', prefix = '0'] = /^([^/]*)(?:\/(\d{1,3}))?$/.exec(text) ?? [];
  const version = isIP(address);
  return text === '*' || (version !== 0 && Number(prefix) <= (version === 4 ? 32 : 128)) ? text : undefined;
});

/** The origin of a web page as browsers send it, or `*`. */
export const pageOrigin: Schema<string> = parser('origins of web pages or *', 'https://wallet.example', (text) => {
  if (text === '*') return text;
  const bare = text.replace(/\/$/, '');
  if (!URL.canParse(bare)) return undefined;
  const { origin } = new URL(bare);
  return origin === 'null' || origin.toLowerCase() !== bare.toLowerCase() ? undefined : origin;
});

/** A path; `~` is the home directory, `$VAR` and `${VAR}` come from the environment, the rest is relative to the working directory. */
export const path: Schema<string> = parser(
  'a path, in which every $VARIABLE is set',
  '~/.switchyard/data',
  (text, env) => {
    if (text === '') return undefined;
    const expanded = expandPath(text, env);
    return expanded === undefined ? undefined : resolve(expanded);
  },
);

/** One URL or several, separated by commas. */
export const httpUrls: Schema<readonly string[]> = parser(
  'one or more http:// or https:// URLs, separated by commas',
  httpUrl.example,
  (text) => {
    const urls = list(httpUrl).fromText(text);
    return urls?.length === 0 ? undefined : urls;
  },
);

/** Exactly `length` bytes in hexadecimal, with or without 0x. */
export function hexBytes(length: number): Schema<Uint8Array> {
  return parser(`${length} bytes in hexadecimal (${2 * length} digits)`, '00'.repeat(length), (value) => {
    const digits = value.replace(/^0x/i, '');
    if (digits.length !== 2 * length || !/^[0-9a-f]*$/i.test(digits)) return undefined;
    return Uint8Array.from(Buffer.from(digits, 'hex'));
  });
}

/** Hides the value from everything that prints, and its text from error messages. */
export function secret<T>(inner: Schema<T>): Schema<Secret<T>> {
  const { expects, example } = inner;
  const hidden = parser(expects, example, (value, env) => {
    const found = inner.fromText(value, env);
    return found === undefined ? undefined : new Secret(found);
  });
  return withFacts(hidden, { isSecret: true });
}

/** `undefined` if a variable in the path is not set: a path with a hole in it would be a different path. */
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
