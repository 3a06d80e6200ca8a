/** Stands between a CometBFT and an engine and records their exchange: how `testdata/abci-exchange.json` was made. */

import { connect, createServer } from 'node:net';
import { FrameReader } from './frames.ts';

/** A start of the node, on nothing or on its stored data, or one request with its answer, in base64, in the order of the answers. */
export type Recorded =
  | { readonly start: 'new' | 'again' }
  | readonly [connection: number, request: string, answer: string];

/** Passes on everything from one socket to the other, until the process ends. */
export function recordBetween(outside: string, inside: string, into: Recorded[]): Promise<void> {
  let connections = 0;
  const server = createServer((comet) => {
    const connection = connections++;
    const engine = connect(inside);
    const [requests, answers] = [new FrameReader(), new FrameReader()];
    const open: Uint8Array[] = [];
    comet.on('data', (chunk: Uint8Array) => {
      requests.push(chunk);
      for (let frame = requests.next(); frame !== undefined; frame = requests.next()) open.push(Uint8Array.from(frame));
      engine.write(chunk);
    });
    engine.on('data', (chunk: Uint8Array) => {
      answers.push(chunk);
      for (let frame = answers.next(); frame !== undefined; frame = answers.next()) {
        const request = open.shift() ?? new Uint8Array();
        into.push([connection, Buffer.from(request).toString('base64'), Buffer.from(frame).toString('base64')]);
      }
      comet.write(chunk);
    });
    for (const socket of [comet, engine]) {
      socket.on('error', () => undefined);
      socket.on('close', () => {
        comet.destroy();
        engine.destroy();
      });
    }
  });
  server.unref();
  return new Promise((resolve) => server.listen(outside, resolve));
}
