import { Writable } from 'node:stream';
import { Exec, type KubeConfig } from '@kubernetes/client-node';
import { Failure } from '../../failure.ts';
import { plain } from '../../print.ts';
import type { ContainerRef } from './api.ts';

const MOST_CHARACTERS = 65_536;

/** @returns what a program printed. @throws {Failure} with what it reported where it failed. */
export function runInContainer(
  config: KubeConfig,
  { namespace, pod, container }: ContainerRef,
  command: readonly string[],
  signal: AbortSignal,
): Promise<string> {
  const [output, errors] = [new Collected(), new Collected()];
  return new Promise((resolve, reject) => {
    const ended = ({ status, message = '' }: { readonly status?: string; readonly message?: string }) => {
      if (status === 'Success') return resolve(output.text);
      const reported = errors.text.trim() === '' ? message : errors.text.trim();
      return reject(new Failure(plain(reported.split('\n').at(-1) ?? '')));
    };
    new Exec(config)
      .exec(namespace, pod, container, [...command], output, errors, null, false, ended)
      .then((socket) => {
        socket.onclose = () => reject(new Error('the connection was cut'));
        const stop = () => {
          socket.terminate();
          reject(signal.reason);
        };
        if (signal.aborted) stop();
        else signal.addEventListener('abort', stop, { once: true });
      })
      // The client rejects with the event of the socket when that did not open.
      .catch((event: Error | { readonly message: string }) =>
        reject(event instanceof Error ? event : new Error(event.message)),
      );
  });
}

/** The beginning of what is written to it. */
class Collected extends Writable {
  text = '';

  override _write(chunk: Uint8Array, _: string, done: () => void): void {
    this.text = `${this.text}${Buffer.from(chunk).toString()}`.slice(0, MOST_CHARACTERS);
    done();
  }
}
