import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { type Random, seededRandom } from '@switchyard/service/testing';

/*
 * Raw bytes of HTTP/1, valid or nearly so, from a seed: requests sent ahead, answers that are not read, half bodies, upgrades,
 * trailers, chunk extensions, lengths that contradict each other, and connections that end at any moment.
 */

const PATHS = [
  ...['/', '/', '/healthz', '/readyz', '/metrics', '/v1/status', '/v1/openapi.json', '/v1/docs', '/genesis', '/status'],
  ...['/block', '/net_info', '/v1/blocks?limit=100', '/v1/texts?limit=1000', '/v1/events', '/websocket', '/nowhere'],
  ...['/grpc.health.v1.Health/Check', '/v1/transactions:batch', `/${'a'.repeat(9_000)}`, '*', 'http://127.0.0.1/', ''],
] as const;
const METHODS = [
  'GET',
  'GET',
  'GET',
  'HEAD',
  'POST',
  'POST',
  'PUT',
  'OPTIONS',
  'CONNECT',
  'PRI',
  'get',
  'G\0T',
] as const;

const call = (method: string, params: readonly unknown[]) => ({ jsonrpc: '2.0', id: 1, method, params });
const BODIES: readonly string[] = [
  '',
  '{}',
  'x'.repeat(60_000),
  '['.repeat(5_000),
  JSON.stringify(call('eth_getBlockByNumber', ['0x1', true])),
  JSON.stringify(Array.from({ length: 200 }, () => call('eth_getBlockByNumber', ['0x1', true]))),
  JSON.stringify(Array.from({ length: 100 }, () => call('genesis', []))),
  JSON.stringify(call('eth_subscribe', ['newHeads'])),
];

const HEADERS: readonly string[] = [
  'Connection: close',
  'Connection: keep-alive',
  'Connection: upgrade, close',
  'Expect: 100-continue',
  'Expect: the unexpected',
  'Content-Type: application/json',
  'Content-Type: application/grpc',
  'Content-Encoding: gzip',
  'Accept: text/event-stream',
  'Origin: null',
  'TE: trailers',
  'Transfer-Encoding: gzip, chunked',
  'Content-Length: 5\r\nContent-Length: 6',
  'Content-Length: -1',
  'Content-Length: 99999999999999999999',
  'Content-Length: 7\r\nTransfer-Encoding: chunked',
  'X-Forwarded-For: 10.0.0.1, ::1',
  'X-Folded: a\r\n b',
  'X-Nul: a\0b',
  ': no name',
  `X-Long: ${'b'.repeat(17_000)}`,
  'Upgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAoAAAAAIAAAAA',
];

const UPGRADE =
  'GET /websocket HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n';
const PREFACE = 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n';

function chunked(random: Random, body: string): string {
  const pieces: string[] = [];
  for (let at = 0; at < body.length && pieces.length < 200; ) {
    const length = random.between(1, random.chance(0.5) ? 16 : 30_000);
    const piece = body.slice(at, at + length);
    const extension = random.chance(0.2) ? `;${random.pick(['a=b', '"', 'x'.repeat(500)])}` : '';
    pieces.push(`${(piece.length + (random.chance(0.02) ? 1 : 0)).toString(16)}${extension}\r\n${piece}\r\n`);
    at += length;
  }
  const end = random.pick([
    '0\r\n\r\n',
    '0\r\n\r\n',
    '0\r\nX-Trailer: a\r\nHost: b\r\n\r\n',
    '0\r\n',
    'ffffffffffffffffff\r\n',
    '',
  ]);
  return pieces.join('') + end;
}

function request(random: Random): string {
  const body = random.pick(BODIES);
  const head = [
    `${random.pick(METHODS)} ${random.pick(PATHS)} HTTP/1.${random.pick(['1', '1', '1', '0', '7'])}`,
    ...(random.chance(0.95) ? ['Host: 127.0.0.1'] : []),
    ...(random.chance(0.3) ? [random.pick(HEADERS)] : []),
  ];
  const form = random.next();
  if (form < 0.4) return `${head.join('\r\n')}\r\n\r\n`;
  if (form < 0.7) {
    const stated = random.chance(0.8) ? body.length : random.between(0, 2 * body.length + 10);
    return `${head.join('\r\n')}\r\nContent-Length: ${stated}\r\n\r\n${body}`;
  }
  return `${head.join('\r\n')}\r\nTransfer-Encoding: chunked\r\n\r\n${chunked(random, body)}`;
}

/** Requests of well-behaved clients, many times: nothing before them ends the connection. */
const plain = (random: Random): string => {
  const [path, body] = [random.pick(PATHS.slice(0, 17)), random.pick(BODIES)];
  const get = `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`;
  return random.chance(0.6)
    ? get
    : `POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
};

function toBytes(random: Random): Buffer {
  const form = random.next();
  const many = <T>(make: () => T, most: number) => Array.from({ length: random.between(1, most) }, make);
  let text: string;
  if (form < 0.35) text = many(() => plain(random), random.chance(0.3) ? 100 : 8).join('');
  else if (form < 0.75) text = many(() => request(random), 8).join('');
  else if (form < 0.9) text = `${UPGRADE}${many(() => String.fromCharCode(random.between(0, 255)), 3_000).join('')}`;
  else if (form < 0.95) text = `${PREFACE}${many(() => String.fromCharCode(random.between(0, 255)), 3_000).join('')}`;
  else text = plain(random) + 'GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n'.repeat(1_500);
  const bytes = Buffer.from(text, 'latin1');
  if (random.chance(0.3))
    for (const at of many(() => random.between(0, bytes.length - 1), 4)) bytes[at] = random.between(0, 255);
  return random.chance(0.2) ? bytes.subarray(0, random.between(1, bytes.length)) : bytes;
}

const rest = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** One connection, from its first byte to its end. */
async function converse(port: number, random: Random): Promise<void> {
  const bytes = toBytes(random);
  const [reads, pieces, pauses] = [random.next(), random.between(1, 6), random.chance(0.5)];
  const [end, lastsMs] = [random.next(), random.pick([0, 1, 20, 200])];
  const cuts = Array.from({ length: pieces - 1 }, () => random.between(0, bytes.length)).sort((a, b) => a - b);
  const socket: Socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  // A refusal and a reset are answers.
  socket.on('error', () => undefined);
  if (reads < 0.5) socket.on('data', () => undefined);
  for (const [index, from] of [0, ...cuts].entries()) {
    socket.write(bytes.subarray(from, cuts[index] ?? bytes.length));
    if (pauses) await rest(1);
  }
  await Promise.race([closed, rest(lastsMs)]);
  // A connection that has not read reads now, or never.
  if (reads > 0.8) socket.resume();
  if (end < 0.4) socket.end();
  else if (end < 0.7) socket.resetAndDestroy();
  else socket.destroy();
  await Promise.race([closed, rest(200)]);
  socket.destroy();
}

export interface FuzzOptions {
  readonly ports: readonly number[];
  readonly seed: string;
  readonly seconds: number;
}

/** Connects to all ports in turn until the time is over. @returns how many connections that were. */
export async function fuzzHttp({ ports, seed, seconds }: FuzzOptions): Promise<number> {
  const end = performance.now() + seconds * 1_000;
  let count = 0;
  const lane = async (): Promise<void> => {
    while (performance.now() < end) {
      const number = count++;
      const port = ports[number % ports.length] ?? 0;
      await converse(port, seededRandom(`${seed}/${number}`));
    }
  };
  await Promise.all(Array.from({ length: 16 }, lane));
  return count;
}

/** TCP ports that a process listens on, as Linux shows them. */
export function getListeners(pid: number): readonly number[] {
  const own = new Set(
    readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
      try {
        return [/^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/${pid}/fd/${fd}`))?.[1] ?? ''];
      } catch {
        return [];
      }
    }),
  );
  return ['tcp', 'tcp6'].flatMap((table) =>
    readFileSync(`/proc/${pid}/net/${table}`, 'utf8')
      .split('\n')
      .slice(1)
      .flatMap((line) => {
        const [, local = '', , state, , , , , , inode = ''] = line.trim().split(/\s+/);
        return state === '0A' && own.has(inode) ? [Number.parseInt(local.split(':')[1] ?? '', 16)] : [];
      }),
  );
}
