import type { Socket } from 'node:net';
import { BadFrame, FrameReader, framePrefix } from './frames.ts';

export interface ConnectionDeps {
  /** Answers one encoded request. An error other than `BadFrame` ends the node. */
  answer(request: Uint8Array): Uint8Array | Promise<Uint8Array>;
  /** The last answer, after an error of ours. */
  exception(error: unknown): Uint8Array;
  fail(error: unknown): void;
  /** Logs a connection that is not understood, and why. */
  misread(socket: Socket, problem: string): void;
}

/**
 * Answers the requests of one connection in the order in which they came, one at a time.
 *
 * @returns a promise of the end of the connection and of the last call in progress.
 */
export async function serveConnection(socket: Socket, deps: ConnectionDeps): Promise<void> {
  const reader = new FrameReader();
  let working: Promise<void> | undefined;
  let over = false;

  async function work(): Promise<void> {
    const answers = new Answers(socket);
    try {
      for (let frame = reader.next(); frame !== undefined; frame = reader.next()) {
        const pending = deps.answer(frame);
        if (!(pending instanceof Promise)) {
          answers.add(pending);
          continue;
        }
        answers.send();
        answers.add(await pending);
      }
    } catch (error) {
      over = true;
      if (error instanceof BadFrame) deps.misread(socket, error.message);
      else {
        // It learns why, and stops too.
        answers.add(deps.exception(error));
        deps.fail(error);
      }
      answers.send();
      socket.destroySoon();
    } finally {
      answers.send();
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
    // `close` follows every error.
    socket.on('error', () => undefined);
    socket.on('close', () => void (working ?? Promise.resolve()).then(resolve));
  });
}

/** Answers of one read go out together: a write for each of a thousand small ones costs more than to make them. */
class Answers {
  readonly #socket: Socket;
  #waiting: Uint8Array[] = [];

  constructor(socket: Socket) {
    this.#socket = socket;
  }

  add(answer: Uint8Array): void {
    this.#waiting.push(framePrefix(answer.length), answer);
  }

  send(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    if (waiting.length > 0 && !this.#socket.destroyed) this.#socket.write(Buffer.concat(waiting));
  }
}
