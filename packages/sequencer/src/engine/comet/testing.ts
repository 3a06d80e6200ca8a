/** A CometBFT for tests: one connection that sends given requests, and waits for the answers. */

import { connect, type Socket } from 'node:net';
import { create, fromBinary, type MessageInitShape, toBinary } from '@bufbuild/protobuf';
import { abci } from '@switchyard/protocol/gen';
import { FrameReader, framePrefix } from './frames.ts';

type Ask = NonNullable<MessageInitShape<typeof abci.RequestSchema>['value']>;

export interface TestConnection {
  readonly socket: Socket;
  /** Sends all at once; resolves with the answers, in order. Rejects when the connection ends before the last. */
  ask(...requests: Ask[]): Promise<abci.Response['value'][]>;
  /** Sends encoded requests; resolves with the encoded answers, in order. */
  askEncoded(requests: readonly Uint8Array[]): Promise<Uint8Array[]>;
  /** Resolves when the other side has ended it. */
  closed(): Promise<void>;
}

export const encodeRequest = (value: Ask): Uint8Array =>
  toBinary(abci.RequestSchema, create(abci.RequestSchema, { value }));

/** @param url `tcp://host:port` or `unix:///path`. */
export async function connectAbci(url: string): Promise<TestConnection> {
  const tcp = /^tcp:\/\/(.+):(\d+)$/.exec(url);
  const socket = connect(
    tcp === null ? { path: url.slice('unix://'.length) } : { host: tcp[1] ?? '', port: Number(tcp[2]) },
  );
  await new Promise<void>((resolve, reject) => {
    socket.once('connect', resolve);
    socket.once('error', reject);
  });
  socket.on('error', () => undefined);
  const reader = new FrameReader();
  const waiting: { resolve(frame: Uint8Array): void; reject(error: Error): void }[] = [];
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  socket.on('data', (chunk) => {
    // No encoding was set, so these are bytes.
    reader.push(chunk as Uint8Array);
    for (let frame = reader.next(); frame !== undefined; frame = reader.next()) waiting.shift()?.resolve(frame);
  });
  socket.once('close', () => {
    for (const { reject } of waiting.splice(0)) reject(new Error('the connection has ended'));
  });
  const askEncoded = (requests: readonly Uint8Array[]): Promise<Uint8Array[]> => {
    const answers = requests.map(() => new Promise<Uint8Array>((resolve, reject) => waiting.push({ resolve, reject })));
    socket.write(Buffer.concat(requests.flatMap((bytes) => [framePrefix(bytes.length), bytes])));
    return Promise.all(answers);
  };
  return {
    socket,
    askEncoded,
    ask: async (...requests) =>
      (await askEncoded(requests.map(encodeRequest))).map((bytes) => fromBinary(abci.ResponseSchema, bytes).value),
    closed: () => closed,
  };
}
