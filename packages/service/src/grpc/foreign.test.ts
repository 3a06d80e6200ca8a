import * as grpc from '@grpc/grpc-js';
import { ownComposer } from '@switchyard/protocol/gen';
import { GrpcReflection } from 'grpc-js-reflection-client';
import { afterEach, expect, test } from 'vitest';
import { Health } from '../gen/grpc/health/v1/health_pb.ts';
import { serveGrpc } from './server.ts';

const { SubmissionService } = ownComposer;
const closers: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

/** A client that knows nothing but the address, and is not ours. */
async function stranger(version?: 'v1' | 'v1alpha') {
  const server = await serveGrpc({
    listen: { host: '127.0.0.1', port: 0 },
    name: 'X_GRPC_ADDR',
    services: [SubmissionService],
    graceMs: 50,
    routes: (router) =>
      void router.service(SubmissionService, {
        submitBatch: ({ data }) => ({ refusals: data.map((each, index) => ({ index, reason: String(each.length) })) }),
        getSubmission: () => ({ state: { case: 'refused', value: { reason: 'malformed' } } }),
        async *listPending() {
          for (let size = 0; size < 3; size += 1) yield { data: [new Uint8Array(size * 100_000)] };
        },
      }),
  });
  const address = `127.0.0.1:${server.port}`;
  const reflection = new GrpcReflection(address, grpc.credentials.createInsecure(), {}, version);
  closers.push(server.close);
  return { address, reflection };
}

test.each(['v1', 'v1alpha'] as const)('lists services over reflection %s', async (version) => {
  const { reflection } = await stranger(version);
  expect(await reflection.listServices()).toEqual([
    'switchyard.composer.v1.SubmissionService',
    'grpc.health.v1.Health',
    'grpc.reflection.v1.ServerReflection',
    'grpc.reflection.v1alpha.ServerReflection',
  ]);
});

test('lists the methods of a service', async () => {
  const { reflection } = await stranger();
  const methods = await reflection.listMethods('switchyard.composer.v1.SubmissionService');
  expect(methods.map(({ name }) => name)).toEqual(SubmissionService.methods.map(({ name }) => name));
  expect(methods.map(({ name }) => name)).toContain('SubmitBatch');
});

// biome-ignore lint/suspicious/noExplicitAny: a client built from descriptors has no types
type Untyped = any;

async function untypedClient(symbol: string): Promise<Untyped> {
  const { reflection, address } = await stranger();
  const descriptor = await reflection.getDescriptorBySymbol(symbol);
  const root: Untyped = descriptor.getPackageObject({ keepCase: true, enums: String, bytes: Array });
  const Service: Untyped = symbol.split('.').reduce((part, name) => part[name], root);
  const client: Untyped = new Service(address, grpc.credentials.createInsecure());
  closers.push(() => client.close());
  return client;
}

test('a client built from what reflection answers makes unary calls', async () => {
  const client = await untypedClient(SubmissionService.typeName);
  const call = (method: string, request: object) =>
    new Promise((resolve, reject) =>
      client[method](request, (error: unknown, answer: unknown) => (error === null ? resolve(answer) : reject(error))),
    );
  expect(await call('SubmitBatch', { data: [Buffer.alloc(10), Buffer.alloc(2_000)] })).toEqual({
    refusals: [{ reason: '10' }, { index: 1, reason: '2000' }],
  });
  expect(await call('GetSubmission', {})).toEqual({ refused: { reason: 'malformed' } });
});

test('and reads streams', async () => {
  const client = await untypedClient(SubmissionService.typeName);
  const sizes: number[] = [];
  for await (const { data } of client.ListPending({})) sizes.push(data[0].length);
  expect(sizes).toEqual([0, 100_000, 200_000]);
});

test('and asks for health', async () => {
  const client = await untypedClient(Health.typeName);
  const answer = await new Promise((resolve, reject) =>
    client.Check({}, (error: unknown, value: unknown) => (error === null ? resolve(value) : reject(error))),
  );
  expect(answer).toEqual({ status: 'SERVING' });
});
