import type { Socket } from 'node:net';
import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { abci } from '@switchyard/protocol/gen';
import type { EngineLog } from '../engine.ts';
import { BadFrame, FrameReader, framePrefix } from './frames.ts';
import type { Answer } from './handler.ts';

export interface ConnectionDeps {
  /** Answers one request. What it throws, other than `BadFrame`, ends the node. */
  answer(request: abci.Request['value']): Answer | Promise<Answer>;
  fail(error: unknown): void;
  readonly log: EngineLog;
}

/**
 * Answers the requests of one connection in the order in which they came, one at a time.
 *
 * @returns a promise of the end of the connection and of the last call that was under way.
 */
export async function serveConnection(socket: Socket, deps: ConnectionDeps): Promise<void> {
  const reader = new FrameReader();
  let working: Promise<void> | undefined;
  let over = false;

  async function work(): Promise<void> {
    // Answers of one read go out together.
    socket.cork();
    try {
      for (let frame = reader.next(); frame !== undefined; frame = reader.next()) {
        const pending = deps.answer(decode(frame));
        if (!(pending instanceof Promise)) {
          send(socket, pending);
          continue;
        }
        socket.uncork();
        const done = await pending;
        socket.cork();
        send(socket, done);
      }
    } catch (error) {
      over = true;
      if (error instanceof BadFrame) {
        deps.log.warn({ problem: error.message }, 'connection of CometBFT ended: it is not understood');
      } else {
        // It learns why, and stops too.
        send(socket, { case: 'exception', value: { error: error instanceof Error ? error.message : String(error) } });
        deps.fail(error);
      }
      socket.destroySoon();
    } finally {
      socket.uncork();
    }
  }

  return new Promise((resolve) => {
    const start = (): void => {
      if (working !== undefined || over) return;
      socket.pause();
      working = work().then(() => {
        working = undefined;
        socket.resume();
      });
    };
    socket.on('data', (chunk) => {
      // No encoding was set, so these are bytes.
      reader.push(chunk as Uint8Array);
      start();
    });
    // Told by `close`.
    socket.on('error', () => undefined);
    socket.on('close', () => void (working ?? Promise.resolve()).then(resolve));
  });
}

function decode(frame: Uint8Array): abci.Request['value'] {
  try {
    return fromBinary(abci.RequestSchema, frame, { readUnknownFields: false }).value;
  } catch (error) {
    throw new BadFrame('message that is no request', { cause: error });
  }
}

function send(socket: Socket, value: Answer): void {
  if (socket.destroyed) return;
  const bytes = toBinary(abci.ResponseSchema, create(abci.ResponseSchema, { value }));
  socket.write(framePrefix(bytes.length));
  socket.write(bytes);
}
