import { connect, type Socket } from 'node:net';
import { exactJsonText, JsonRpcError, RPC, TimedOut, withDeadline } from '@switchyard/service';
import { InvalidData, parseInput } from '@switchyard/service/input';
import { type CallOptions, getResult, type Link, LinkLost, MAX_ANSWER_DEPTH } from './link.ts';

interface Waiting {
  settle(answer: unknown): void;
  fail(error: Error): void;
}

export interface IpcOptions {
  readonly timeoutMs?: number;
  /** Bytes of one answer; a call with a longer answer fails. */
  readonly maxAnswerBytes?: number;
  /** Calls that wait at a time; one more fails at once. */
  readonly maxCalls?: number;
}

const NEWLINE = 0x0a;

/**
 * JSON-RPC over a unix socket, as geth serves it: texts one after the other, a line for each answer, in any order.
 * Connects when it is first needed, and again when the connection was lost.
 */
export function ipcLink(path: string, options: IpcOptions = {}): Link {
  const { timeoutMs = 30_000, maxAnswerBytes = 512 * 1_048_576, maxCalls = 100_000 } = options;
  const waiting = new Map<number, Waiting>();
  let socket: Socket | undefined;
  let closed = false;
  let lastId = 0;

  function drop(from: Socket, why: string): void {
    from.destroy();
    if (socket !== from) return;
    socket = undefined;
    const lost = new LinkLost(`the connection to ${path} was lost: ${why}`);
    const left = [...waiting.values()];
    waiting.clear();
    for (const { fail } of left) fail(lost);
  }

  function open(): Socket {
    const opened = connect(path);
    const chunks: Buffer[] = [];
    let length = 0;
    let isTooLong = false;
    opened.on('data', (chunk) => {
      let from = 0;
      for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, from)) {
        chunks.push(chunk.subarray(from, end));
        const line = chunks.length === 1 ? chunk.subarray(from, end) : Buffer.concat(chunks);
        chunks.length = 0;
        length = 0;
        from = end + 1;
        if (isTooLong) isTooLong = false;
        else if (!receive(line)) return drop(opened, 'it sent an invalid answer');
      }
      length += chunk.length - from;
      if (from < chunk.length) chunks.push(chunk.subarray(from));
      if (length > maxAnswerBytes && !isTooLong) {
        isTooLong = true;
        failLong(chunks);
      }
      // An answer that is too long is read to its end and thrown away: other answers come behind it.
      if (isTooLong) chunks.length = 0;
    });
    opened.on('error', (error) => drop(opened, error.message));
    opened.on('close', () => drop(opened, 'it was closed'));
    return opened;
  }

  /** geth writes the id before the result. */
  function failLong(chunks: readonly Buffer[]): void {
    const beginning = Buffer.concat(chunks.slice(0, 1)).subarray(0, 200).toString('latin1');
    const id = Number(/"id":(\d+)/.exec(beginning)?.[1]);
    const caller = waiting.get(id);
    waiting.delete(id);
    caller?.fail(new JsonRpcError(RPC.internal, `the answer is longer than ${maxAnswerBytes} bytes`));
  }

  /** @returns false for a line that is no JSON-RPC. */
  function receive(line: Buffer): boolean {
    if (line.length === 0) return true;
    try {
      const answer = parseInput(line.toString('utf8'), path, MAX_ANSWER_DEPTH);
      const id = answer.at('id').integer();
      waiting.get(id)?.settle(answer.value);
      waiting.delete(id);
      return true;
    } catch (error) {
      if (error instanceof InvalidData) return false;
      throw error;
    }
  }

  return {
    target: path,

    async call(method, params, { signal, timeoutMs: ms = timeoutMs }: CallOptions = {}) {
      signal?.throwIfAborted();
      if (closed) throw new LinkLost(`the connection to ${path} is closed`);
      if (waiting.size >= maxCalls) throw new LinkLost(`more than ${maxCalls} calls wait for ${path}`);
      socket ??= open();
      const to = socket;
      lastId += 1;
      const id = lastId;
      const answer = await withDeadline({ ms, signal, what: `${method} at ${path}` }, (limit) => {
        const answered = new Promise<unknown>((settle, fail) => {
          waiting.set(id, { settle, fail });
          limit.addEventListener('abort', () => fail(getAbort(limit)), { once: true });
        });
        to.write(exactJsonText({ jsonrpc: '2.0', id, method, params }));
        return answered;
      })
        .catch((error: unknown) => {
          throw error instanceof TimedOut ? new LinkLost(error.message, { cause: error }) : error;
        })
        .finally(() => waiting.delete(id));
      return getResult(answer, method);
    },

    close() {
      closed = true;
      if (socket !== undefined) drop(socket, 'this node stops');
    },
  };
}

function getAbort(signal: AbortSignal): Error {
  return signal.reason instanceof Error ? signal.reason : new Error('aborted');
}
