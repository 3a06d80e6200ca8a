import { createClient } from '@connectrpc/connect';
import { ownComposer } from '@switchyard/protocol/gen';
import { afterEach, describe, expect, test } from 'vitest';
import { serveGrpc } from '../grpc/server.ts';
import { grpcTransport } from '../grpc/transport.ts';
import { Links, type Repeat } from '../links.ts';
import { eventually } from '../testing.ts';
import { jsonRpcClient } from './client.ts';

const { SubmissionService } = ownComposer;

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

/** A call that the server counts, and answers with that number. */
type Call = (signal?: AbortSignal) => Promise<unknown>;

async function byGrpc(links: Links, caller: Links, count: () => Promise<number>): Promise<Call> {
  const { url, close } = await serveGrpc({
    ...{ listen: { host: '127.0.0.1', port: 0 }, name: 'X', services: [SubmissionService], graceMs: 0, links },
    routes: (router) =>
      void router.service(SubmissionService, {
        submitBatch: () => ({}),
        getSubmission: async () => ({ state: { case: 'sequenced', value: { height: BigInt(await count()) } } }),
        async *listPending() {},
      }),
  });
  const transport = grpcTransport(url, { links: caller });
  closers.push(close, () => transport.close());
  const client = createClient(SubmissionService, transport);
  return async (signal) => {
    const { state } = await client.getSubmission({}, signal === undefined ? {} : { signal });
    return state.case === 'sequenced' ? Number(state.value.height) : undefined;
  };
}

async function byJsonRpc(links: Links, caller: Links, count: () => Promise<number>): Promise<Call> {
  const url = 'http://127.0.0.1:1';
  const answer = async (body: string) =>
    JSON.stringify({ jsonrpc: '2.0', id: JSON.parse(body).id, result: await count() });
  closers.push(links.addRpc(url, { maxBodyBytes: 1_000, answer }));
  const client = jsonRpcClient(url, { links: caller });
  return (signal) => client.call('count', {}, signal);
}

describe.each([
  ['gRPC', byGrpc],
  ['JSON-RPC', byJsonRpc],
])('calls by %s', (_, serve) => {
  async function repeated(repeat: Repeat) {
    const wanted: string[][] = [];
    const ways = {
      travel: () => undefined,
      repeats(from: string, to: string) {
        wanted.push([from, to]);
        return repeat;
      },
    };
    const links = new Links({ isOpen: () => false, ways });
    const caller = links.of('caller');
    let calls = 0;
    const call = await serve(links.of('server'), caller, async () => {
      calls += 1;
      return calls;
    });
    return { call, caller, asked: wanted, calls: () => calls };
  }

  test.each([
    ['first', 1],
    ['second', 2],
  ] as const)('that are repeated are executed twice, and the %s answer is given', async (answered, expected) => {
    const { call, asked: wanted, calls } = await repeated({ afterMs: 20, answered });
    expect(await call()).toBe(expected);
    await eventually(() => expect(calls()).toBe(2));
    expect(wanted).toEqual([['caller', 'server']]);
  });

  test('arrive a second time although the part that made them has ended', async () => {
    const { call, caller, calls } = await repeated({ afterMs: 20, answered: 'first' });
    expect(await call()).toBe(1);
    caller.cutOff();
    await eventually(() => expect(calls()).toBe(2));
  });

  test('whose caller waits no longer are executed all the same, where their answer is not given', async () => {
    const { call, calls } = await repeated({ afterMs: 20, answered: 'second' });
    const over = new AbortController();
    const answer = call(over.signal);
    over.abort(new Error('enough'));
    await expect(answer).rejects.toThrow('enough');
    expect(calls()).toBe(1);
  });
});
