import { Agent, request } from 'node:http';
import { gzipSync } from 'node:zlib';
import { type Attack, type AttackContext, lanes, type Service } from '../attack.ts';

const ANSWER_MS = 10_000;

export interface Post {
  readonly path: string;
  readonly body: Uint8Array | string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sends the body in pieces of this length, with no length before it. */
  readonly pieces?: number;
}

/** One POST; its answer is read and thrown away. */
export function post(
  context: AttackContext,
  service: Service,
  agent: Agent,
  { path, body, headers, pieces }: Post,
): Promise<void> {
  const { ports, from, over, count } = context;
  return new Promise((resolve, reject) => {
    const length = pieces === undefined ? { 'content-length': String(Buffer.byteLength(body)) } : {};
    const outgoing = request(
      {
        ...{ host: '127.0.0.1', port: ports[service], path, method: 'POST', agent, localAddress: from, signal: over },
        headers: { 'content-type': 'application/json', ...length, ...headers },
        timeout: ANSWER_MS,
      },
      (incoming) => {
        incoming.on('data', () => undefined);
        incoming.on('end', resolve);
        incoming.on('error', reject);
      },
    );
    outgoing.on('error', reject);
    outgoing.on('timeout', () => outgoing.destroy());
    count();
    if (pieces === undefined) outgoing.end(body);
    else {
      const bytes = Buffer.from(body);
      for (let at = 0; at < bytes.length; at += pieces) outgoing.write(bytes.subarray(at, at + pieces));
      outgoing.end();
    }
  });
}

/** Repeats the same POST, or one made again each time, in this many lanes. */
export const posts =
  (service: Service, count: number, make: (context: AttackContext) => () => Post): Attack =>
  async (context) => {
    const agent = new Agent({ keepAlive: true, maxSockets: count, localAddress: context.from });
    const next = make(context);
    try {
      await lanes(count, context, () => post(context, service, agent, next()));
    } finally {
      agent.destroy();
    }
  };

const always = (value: Post) => () => () => value;

/** Pieces of a few bytes: each costs the server a turn. */
export const chunkedBatches = posts(
  'messenger',
  8,
  always({ path: '/v1/transactions:batch', body: new Uint8Array(400_000), pieces: 40 }),
);

export const bigBodies = posts(
  'messenger',
  8,
  always({ path: '/v1/transactions:batch', body: new Uint8Array(8_000_000).fill(1) }),
);

/** 50 MB of zeros in 50 kB. */
export const compressedBombs = posts('messenger', 8, () => {
  const body = gzipSync(new Uint8Array(50_000_000));
  return () => ({ path: '/v1/transactions:batch', body, headers: { 'content-encoding': 'gzip' } });
});

export const rpcPosts = (service: Service, count: number, body: () => string): Attack =>
  posts(service, count, () => {
    const text = body();
    return () => ({ path: '/', body: text });
  });

export const deepJson = (service: Service): Attack =>
  rpcPosts(service, 8, () => '['.repeat(500_000) + ']'.repeat(500_000));

export const hugeBatches = (service: Service, method: string): Attack =>
  rpcPosts(service, 8, () =>
    JSON.stringify(Array.from({ length: 10_000 }, (_, id) => ({ jsonrpc: '2.0', id, method, params: [] }))),
  );

const call = (method: string, ...params: readonly unknown[]) =>
  JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });

/** JUMPDEST, then a jump back to it, until the gas is used. */
const ENDLESS = '0x5b600056';
const CODE_AT = '0x00000000000000000000000000000000000000f1';
const ENDLESS_STATE = { [CODE_AT]: { code: ENDLESS } };

export const callLoops = rpcPosts('evm', 8, () =>
  call('eth_call', { to: CODE_AT, gas: '0x2faf080' }, 'latest', ENDLESS_STATE),
);

export const simulations = rpcPosts('evm', 8, () => {
  const calls = Array.from({ length: 20 }, () => ({ to: CODE_AT, gas: '0x2faf080' }));
  const blockStateCalls = Array.from({ length: 20 }, () => ({ stateOverrides: ENDLESS_STATE, calls }));
  return call('eth_simulateV1', { blockStateCalls }, 'latest');
});

export const wideLogs = rpcPosts('evm', 16, () => call('eth_getLogs', { fromBlock: '0x0', toBlock: 'latest' }));

/** Filters that are never polled. */
export const filters = rpcPosts('evm', 16, () => call('eth_newFilter', { fromBlock: '0x0', toBlock: 'latest' }));
