import { Buffer } from 'buffer';

/* Globals of Node that code of the network uses. To be loaded before any of it. */

Object.assign(Buffer.prototype, {
  latin1Slice(this: Uint8Array): string {
    let text = '';
    for (let at = 0; at < this.length; at += 8_192) text += String.fromCharCode(...this.subarray(at, at + 8_192));
    return text;
  },
});

/** Calls are made in their order, each after everything that is ready. */
const waiting: (() => void)[] = [];
const channel = new MessageChannel();
channel.port1.onmessage = () => waiting.shift()?.();

function setImmediate(fire: () => void): void {
  waiting.push(fire);
  channel.port2.postMessage(undefined);
}

/** Timers of Node are objects, which pages take for the number that they are worth. */
const withObjects =
  (start: (fire: () => void, ms?: number) => unknown) =>
  (fire: () => void, ms?: number): object => {
    const number = start(fire, ms);
    const timer = { unref: () => timer, ref: () => timer, valueOf: () => number };
    return timer;
  };

const process = {
  ...{ pid: 1, env: {}, argv: [], execArgv: [], version: 'v24.0.0', versions: {} },
  ...{ kill: () => false, on: () => undefined, report: { getReport: () => ({}) }, cwd: () => '/' },
};

Object.assign(globalThis, {
  ...{ Buffer, setImmediate, process },
  ...{ setTimeout: withObjects(setTimeout), setInterval: withObjects(setInterval) },
});
