import type { Socket } from 'node:net';

/** No HTTP/1 method starts like the preface of an HTTP/2 connection (RFC 9113, section 3.4). */
const PREFACE_START = 'PRI';

/** Looks at the first bytes of a connection without taking them. Resolves with undefined if the client goes away or is silent. */
export function peekProtocol(socket: Socket, timeoutMs: number): Promise<'http1' | 'http2' | undefined> {
  return new Promise((resolve) => {
    let seen: Uint8Array = new Uint8Array(0);
    const finish = (protocol: 'http1' | 'http2' | undefined): void => {
      socket.off('readable', look);
      socket.off('close', gone);
      socket.off('timeout', gone);
      socket.setTimeout(0);
      if (seen.length > 0 && protocol !== undefined) socket.unshift(seen);
      resolve(protocol);
    };
    const gone = (): void => {
      finish(undefined);
      socket.destroy();
    };
    function look(): void {
      const chunk: Uint8Array | null = socket.read();
      if (chunk === null) return;
      seen = seen.length === 0 ? chunk : Buffer.concat([seen, chunk]);
      const start = Buffer.from(seen.subarray(0, PREFACE_START.length)).toString('latin1');
      if (start === PREFACE_START) finish('http2');
      else if (!PREFACE_START.startsWith(start)) finish('http1');
    }
    // The next owner of the socket adds its own listener; until then a reset is not worth a word.
    socket.on('error', () => undefined);
    socket.on('close', gone);
    socket.setTimeout(timeoutMs);
    socket.on('timeout', gone);
    socket.on('readable', look);
    look();
  });
}
