import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { create } from '@bufbuild/protobuf';
import { Code, ConnectError, createClient, type HandlerContext } from '@connectrpc/connect';
import { Rejected } from '@switchyard/protocol';
import { ownComposer } from '@switchyard/protocol/gen';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { refusalReason } from '../http/refusal.ts';
import { isTransportFailure, TransportFailure } from '../http/transport-failure.ts';
import { Links } from '../links.ts';
import { Authenticator } from '../peer-auth/authenticator.ts';
import { type Caller, getCaller } from '../peer-auth/caller.ts';
import { newSecret, SecretFile } from '../peer-auth/secret-file.ts';
import type { Listen } from '../settings/parsers.ts';
import { eventually, memoryLogger } from '../testing.ts';
import { type GrpcOptions, serveGrpc } from './server.ts';
import { grpcTransport, type TransportOptions } from './transport.ts';

/* One contract for calls to another process and for those to another part of this one. */

const { SubmissionService } = ownComposer;
const directory = mkdtempSync(join(tmpdir(), 'linked-'));
afterAll(() => rmSync(directory, { recursive: true }));
const secretFile = (name: string) => {
  const path = join(directory, name);
  writeFileSync(path, newSecret(), { mode: 0o600 });
  return new SecretFile(path, 'X_SECRET_FILE');
};
const secret = secretFile('secret');
const otherSecret = secretFile('other');

const closers: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

type Answer = { reason: string };
interface Handlers {
  readonly call?: (hash: Uint8Array, context: HandlerContext) => Promise<Answer> | Answer;
  readonly list?: (context: HandlerContext) => AsyncIterable<{ data: Uint8Array[] }>;
}

const never = (): Promise<never> => new Promise(() => undefined);
const bytes = (...values: number[]) => ({ data: [Uint8Array.from(values)] });
const code = (error: unknown) => Code[ConnectError.from(error).code];
const toFailure = (call: Promise<unknown>): Promise<ConnectError | undefined> =>
  call.then(
    () => undefined,
    (error: unknown) => ConnectError.from(error),
  );
/** Status and cause of a call that got no answer. */
const getLoss = async (call: Promise<unknown>): Promise<unknown> => {
  const error = await toFailure(call);
  return [error && code(error), isTransportFailure(error)];
};
const LOST = ['Unavailable', true];

/** Resolves when a handler's signal has aborted. */
function stopped() {
  let stop: () => void = () => undefined;
  const over = new Promise<void>((resolve) => {
    stop = resolve;
  });
  return { over, watch: ({ signal }: HandlerContext) => signal.addEventListener('abort', stop) };
}

describe.each([
  ['another process', (): Links | undefined => undefined, '127.0.0.1'],
  ['another part of this process', () => new Links(), 'this process'],
] as const)('a call to %s', (_, createLinks, address) => {
  function network() {
    const links = createLinks();
    const serve = async ({ call, list }: Handlers = {}, options: Partial<GrpcOptions> = {}) => {
      const server = await serveGrpc({
        listen: { host: '127.0.0.1', port: 0 },
        name: 'X',
        services: [SubmissionService],
        graceMs: 0,
        links,
        routes: (router) =>
          void router.service(SubmissionService, {
            submitBatch: ({ data }) => ({
              refusals: data.map((each, index) => ({ index, reason: String(each.length) })),
            }),
            async getSubmission({ hash }, context) {
              return { state: { case: 'refused', value: (await call?.(hash, context)) ?? { reason: '' } } };
            },
            async *listPending(__, context) {
              yield* list?.(context) ?? [];
            },
          }),
        ...options,
      });
      closers.push(server.close);
      return server;
    };
    const connect = (url: string, options: TransportOptions = {}) => {
      const transport = grpcTransport(url, { timeoutMs: 5_000, links, ...options });
      closers.push(transport.close);
      return { transport, client: createClient(SubmissionService, transport) };
    };
    const start = async (handlers?: Handlers, options?: Partial<GrpcOptions>) => {
      const server = await serve(handlers, options);
      return { ...connect(server.url), server };
    };
    return { serve, connect, start };
  }
  const start = (...options: Parameters<ReturnType<typeof network>['start']>) => network().start(...options);
  type Client = Awaited<ReturnType<typeof start>>['client'];

  async function getList(client: Client, options?: Parameters<Client['listPending']>[1]): Promise<number[]> {
    const seen: number[] = [];
    for await (const { data } of client.listPending({}, options)) seen.push(...data.flatMap((each) => [...each]));
    return seen;
  }

  test('is answered, with many and with long messages', async () => {
    const { client } = await start();
    expect(await client.submitBatch({ data: [new Uint8Array(5), new Uint8Array(3 * 1_048_576)] })).toMatchObject({
      refusals: [
        { index: 0, reason: '5' },
        { index: 1, reason: '3145728' },
      ],
    });
    expect((await client.getSubmission({})).state).toMatchObject({ case: 'refused', value: { reason: '' } });
  });

  test('carries headers both ways', async () => {
    const { client } = await start({
      call(hash, { requestHeader, responseHeader, responseTrailer }) {
        responseHeader.set('x-head', 'h');
        responseTrailer.set('x-trail', 't');
        return { reason: `${hash.length} ${requestHeader.get('idempotency-key')}` };
      },
    });
    const seen: (string | null)[] = [];
    const answer = await client.getSubmission(
      { hash: new Uint8Array(3) },
      {
        headers: { 'Idempotency-Key': 'a' },
        onHeader: (headers) => void seen.push(headers.get('x-head')),
        onTrailer: (trailers) => void seen.push(trailers.get('x-trail')),
      },
    );
    expect([answer.state.value, seen]).toMatchObject([{ reason: '3 a' }, ['h', 't']]);
  });

  test.each([
    ['a refusal', new Rejected('malformed', { field: 'hash' }), 'InvalidArgument', /hash/, 'malformed'],
    ['a status', new ConnectError('größer\nas 100 %', Code.OutOfRange), 'OutOfRange', /^größer\nas 100 %$/, undefined],
    ['any other error', new Error('password is 123'), 'Internal', /^internal error$/, undefined],
    ['a loss behind the server', new TransportFailure('lost'), 'Internal', /^internal error$/, undefined],
    [
      'a status for a loss behind the server',
      new ConnectError('no answer', Code.Unavailable, undefined, undefined, new TransportFailure('lost')),
      'Unavailable',
      /^no answer$/,
      undefined,
    ],
  ] as const)('gets %s as its status', async (__, thrown, status, message, reason) => {
    const { log, lines } = memoryLogger();
    const fail = () => {
      throw thrown;
    };
    const { client } = await start(
      {
        call: fail,
        async *list() {
          yield bytes(1);
          fail();
        },
      },
      { log },
    );
    for (const call of [() => client.getSubmission({}), () => getList(client)]) {
      const error = await toFailure(call());
      expect([error && code(error), refusalReason(error), isTransportFailure(error)]).toEqual([status, reason, false]);
      expect(error?.rawMessage).toMatch(message);
      expect(JSON.stringify(error?.cause) ?? '').not.toContain('password');
    }
    expect(lines.some(({ level }) => level === 'error')).toBe(status === 'Internal');
  });

  test('keeps the metadata of a status', async () => {
    const { client } = await start({
      call() {
        throw new ConnectError('no', Code.Aborted, { 'x-why': 'because' });
      },
    });
    expect((await toFailure(client.getSubmission({})))?.metadata.get('x-why')).toBe('because');
  });

  test.each([
    ['of its own', 20, 5_000],
    ['of its transport', undefined, 20],
  ])('has a deadline %s, which aborts the handler', async (__, timeoutMs, standardMs) => {
    const handler = stopped();
    let left: number | undefined;
    const { serve, connect } = network();
    const { url } = await serve({
      call(___, context) {
        left = context.timeoutMs();
        handler.watch(context);
        return never();
      },
    });
    const { client } = connect(url, { timeoutMs: standardMs });
    const call = client.getSubmission({}, timeoutMs === undefined ? {} : { timeoutMs });
    expect(await getLoss(call)).toEqual(['DeadlineExceeded', true]);
    // A machine that is busy may be late with the call as well.
    if (left === undefined) return;
    expect(left).toBeLessThanOrEqual(20);
    await handler.over;
  });

  test('with more time than a timer can measure is answered', async () => {
    const { client } = await start({ call: () => ({ reason: 'here' }) });
    const { state } = await client.getSubmission({}, { timeoutMs: 2 ** 31 + 1_000 });
    expect(state.value).toMatchObject({ reason: 'here' });
  });

  test('of a stream has a deadline too', async () => {
    const handler = stopped();
    const { client } = await start({
      async *list(context) {
        handler.watch(context);
        yield bytes(1);
        await never();
      },
    });
    expect(await getLoss(getList(client, { timeoutMs: 50 }))).toEqual(['DeadlineExceeded', true]);
    await handler.over;
  });

  test('that was canceled before it began does not reach the server', async () => {
    let calls = 0;
    const { client } = await start({
      call() {
        calls += 1;
        return { reason: '' };
      },
    });
    const reason = new Error('enough');
    const error = await toFailure(client.getSubmission({}, { signal: AbortSignal.abort(reason) }));
    expect([error && code(error), error?.cause, isTransportFailure(error)]).toEqual(['Canceled', reason, false]);
    await client.getSubmission({});
    expect(calls).toBe(1);
  });

  test('that is canceled keeps the reason, and aborts the handler', async () => {
    const stop = new AbortController();
    const handler = stopped();
    const { client } = await start({
      call(__, context) {
        handler.watch(context);
        stop.abort(reason);
        return never();
      },
    });
    const reason = new Error('enough');
    const error = await toFailure(client.getSubmission({}, { signal: stop.signal }));
    expect([error && code(error), error?.cause, isTransportFailure(error)]).toEqual(['Canceled', reason, false]);
    await handler.over;
  });

  test('leaves nothing at the signal of its caller', async () => {
    const { client } = await start({
      async *list() {
        yield bytes(1);
      },
    });
    const { signal } = new AbortController();
    const listeners = new Map<string, number>();
    const count = (by: number) => (type: string) => void listeners.set(type, (listeners.get(type) ?? 0) + by);
    for (const [name, by] of [
      ['addEventListener', 1],
      ['removeEventListener', -1],
    ] as const) {
      const real = signal[name].bind(signal) as (...args: unknown[]) => void;
      Object.defineProperty(signal, name, {
        value: (type: string, ...rest: unknown[]) => {
          count(by)(type);
          real(type, ...rest);
        },
      });
    }
    await client.getSubmission({}, { signal });
    expect(Math.max(0, ...listeners.values())).toBe(0);
  });

  test('whose server closes is lost, and so is a stream', async () => {
    const handler = stopped();
    const { client, server } = await start({
      call(__, context) {
        handler.watch(context);
        return never();
      },
      async *list() {
        yield bytes(1);
        await never();
      },
    });
    const stream = client.listPending({})[Symbol.asyncIterator]();
    await stream.next();
    const losses = [client.getSubmission({}), stream.next()].map(getLoss);
    // The server has both calls before it closes.
    await client.submitBatch({});
    await server.close();
    expect(await Promise.all(losses)).toEqual([LOST, LOST]);
  });

  test('may still be answered by a server that closes', async () => {
    const { client, server } = await start(
      {
        call: (__, { signal }) =>
          new Promise((resolve) => {
            signal.addEventListener('abort', () => setImmediate(() => resolve({ reason: 'stopped' })));
            void server.close();
          }),
      },
      { graceMs: 5_000 },
    );
    expect((await client.getSubmission({})).state.value).toMatchObject({ reason: 'stopped' });
    await server.close();
  });

  test('of a stream ends with its handler where the server closes', async () => {
    const { client, server } = await start(
      {
        async *list({ signal }) {
          yield bytes(1);
          await new Promise((resolve) => signal.addEventListener('abort', resolve));
          yield bytes(2);
        },
      },
      { graceMs: 5_000 },
    );
    const stream = client.listPending({})[Symbol.asyncIterator]();
    await stream.next();
    const rest = [stream.next(), stream.next()].map((each) => each.then(({ value }) => value?.data[0]?.[0]));
    await client.submitBatch({});
    await server.close();
    expect(await Promise.all(rest)).toEqual([2, undefined]);
  });

  test('of a stream whose handler fails while the server closes gets its status', async () => {
    const { client, server } = await start(
      {
        async *list({ signal }) {
          yield bytes(1);
          await new Promise((__, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
        },
      },
      { graceMs: 5_000 },
    );
    const stream = client.listPending({})[Symbol.asyncIterator]();
    await stream.next();
    const loss = getLoss(stream.next());
    await client.submitBatch({});
    await server.close();
    expect(await loss).toEqual(['Internal', false]);
  });

  test('whose transport closes is lost, and so is a stream; later ones are not', async () => {
    const { client, transport } = await start({
      call: (hash) => (hash.length === 0 ? never() : { reason: 'later' }),
      async *list() {
        yield bytes(1);
        await never();
      },
    });
    const stream = client.listPending({})[Symbol.asyncIterator]();
    await stream.next();
    const losses = [client.getSubmission({}), stream.next()].map(getLoss);
    await client.submitBatch({});
    transport.close();
    expect(await Promise.all(losses)).toEqual([LOST, LOST]);
    expect((await client.getSubmission({ hash: Uint8Array.of(1) })).state.value).toMatchObject({ reason: 'later' });
  });

  test('finds a server that is away, comes later, and restarts', async () => {
    const { serve, connect } = network();
    const path = join(directory, `${address.replaceAll(' ', '-')}.sock`);
    const listen: Listen = { host: '', port: 0, path };
    const { client } = connect(`unix:${path}`);
    expect([await getLoss(client.getSubmission({})), await getLoss(getList(client))]).toEqual([LOST, LOST]);
    for (const reason of ['first', 'second']) {
      const server = await serve(
        {
          call: () => ({ reason }),
          async *list() {
            yield bytes(reason.length);
          },
        },
        { listen },
      );
      expect((await client.getSubmission({})).state.value).toMatchObject({ reason });
      expect(await getList(client)).toEqual([reason.length]);
      await server.close();
      expect([await getLoss(client.getSubmission({})), await getLoss(getList(client))]).toEqual([LOST, LOST]);
    }
  });

  test('for a method that the server does not have is unimplemented', async () => {
    const { serve, connect } = network();
    const { url } = await serve({}, { routes: () => undefined, services: [] });
    const { client } = connect(url);
    for (const call of [() => client.getSubmission({}), () => getList(client)]) {
      expect(await getLoss(call())).toEqual(['Unimplemented', false]);
    }
  });

  test('of a stream gets its values in their order, and then its end', async () => {
    const { client } = await start({
      async *list() {
        for (let value = 0; value < 100; value += 1) {
          if (value % 10 === 0) await new Promise((resolve) => setImmediate(resolve));
          yield bytes(value);
        }
      },
    });
    expect(await getList(client)).toEqual(Array.from({ length: 100 }, (__, value) => value));
  });

  test('of a stream gets an error after the values before it', async () => {
    const { client } = await start({
      async *list() {
        yield bytes(1);
        yield bytes(2);
        throw new Rejected('expired');
      },
    });
    const seen: number[] = [];
    const read = async () => {
      for await (const { data } of client.listPending({})) seen.push(data[0]?.[0] ?? -1);
    };
    expect([refusalReason(await toFailure(read())), seen]).toEqual(['expired', [1, 2]]);
  });

  test('of a stream that is canceled ends at once with the reason, and aborts its signal', async () => {
    const stop = new AbortController();
    const handler = stopped();
    const { client } = await start({
      async *list(context) {
        handler.watch(context);
        yield bytes(1);
        await never();
      },
    });
    const stream = client.listPending({}, { signal: stop.signal })[Symbol.asyncIterator]();
    await stream.next();
    const next = toFailure(stream.next());
    stop.abort(new Error('enough'));
    const error = await next;
    expect([error && code(error), isTransportFailure(error)]).toEqual(['Canceled', false]);
    await handler.over;
  });

  test('of a stream that is canceled between two values ends its generator and aborts its signal', async () => {
    const stop = new AbortController();
    const handler = stopped();
    let ended = false;
    const { client, server } = await start(
      {
        async *list(context) {
          handler.watch(context);
          try {
            for (;;) {
              yield bytes(1);
              await new Promise((resolve) => setImmediate(resolve));
            }
          } finally {
            ended = true;
          }
        },
      },
      { graceMs: 5_000 },
    );
    const stream = client.listPending({}, { signal: stop.signal })[Symbol.asyncIterator]();
    await stream.next();
    stop.abort();
    await handler.over;
    await eventually(() => ended);
    await server.close();
  });

  test('of a stream that was canceled before does not reach the server', async () => {
    let streams = 0;
    const { client } = await start({
      async *list() {
        streams += 1;
        yield bytes(1);
      },
    });
    const error = await toFailure(getList(client, { signal: AbortSignal.abort() }));
    expect(error && code(error)).toBe('Canceled');
    expect([await getList(client), streams]).toEqual([[1], 1]);
  });

  describe('where callers are authenticated', () => {
    async function authenticated() {
      const { serve, connect } = network();
      const callers: Caller[] = [];
      const settings = { rule: 'X_AUTH', secret: 'X_SECRET_FILE' };
      const { url } = await serve(
        {
          call(__, context) {
            callers.push(getCaller(context));
            return { reason: '' };
          },
          async *list(context) {
            callers.push(getCaller(context));
            yield bytes(1);
          },
        },
        { auth: { authenticator: new Authenticator({ rule: 'secret', secret, settings }), tls: undefined } },
      );
      return { callers, connect: (shown?: SecretFile) => connect(url, { credentials: { secret: shown } }) };
    }

    test('needs the secret', async () => {
      const { callers, connect } = await authenticated();
      for (const shown of [undefined, otherSecret]) {
        const { client } = connect(shown);
        for (const call of [() => client.getSubmission({}), () => getList(client)]) {
          expect(await getLoss(call())).toEqual(['Unauthenticated', false]);
        }
      }
      expect(callers).toEqual([]);
      const { client } = connect(secret);
      await client.getSubmission({});
      expect(await getList(client)).toEqual([1]);
      expect(callers).toMatchObject([
        { credential: 'secret', address },
        { credential: 'secret', address },
      ]);
    });

    test('comes over the connection of its transport, until that closes', async () => {
      const { callers, connect } = await authenticated();
      const [one, other] = [connect(secret), connect(secret)];
      await one.client.getSubmission({});
      await getList(one.client);
      await other.client.getSubmission({});
      const [first, second, foreign] = callers.map(({ connection }) => connection);
      expect([first === second, first === foreign, first?.isClosed]).toEqual([true, false, false]);
      one.transport.close();
      await eventually(() => first?.isClosed === true);
      await one.client.getSubmission({});
      const later = callers.at(-1)?.connection;
      expect([later === first, later?.isClosed, foreign?.isClosed]).toEqual([false, false, false]);
    });
  });
});

test('a stream within this process whose reader stops ends its generator and aborts its signal', async () => {
  const links = new Links();
  const handler = stopped();
  let ended = false;
  const { url, close } = await serveGrpc({
    listen: { host: '127.0.0.1', port: 0 },
    ...{ name: 'X', services: [SubmissionService], graceMs: 0, links },
    routes: (router) =>
      void router.service(SubmissionService, {
        async *listPending(_, context) {
          handler.watch(context);
          try {
            for (;;) yield bytes(1);
          } finally {
            ended = true;
          }
        },
      }),
  });
  closers.push(close);
  const input = (async function* () {
    yield create(ownComposer.ListPendingRequestSchema);
  })();
  const transport = grpcTransport(url, { links });
  closers.push(transport.close);
  // A reader of the client of Connect cannot stop: it gets no `return`, and over the wire its stream stays open.
  const { message } = await transport.stream(
    SubmissionService.method.listPending,
    ...[undefined, undefined, undefined],
    input,
  );
  for await (const _ of message) break;
  await handler.over;
  expect(ended).toBe(true);
});
