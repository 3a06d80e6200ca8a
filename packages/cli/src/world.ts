import type { Output, World } from './cli.ts';

/** The real world: the standard streams, the environment, the signals. */
export function processWorld(): World & { takesUnhandled(error: unknown): boolean } {
  let takeUnhandled = (_error: unknown): boolean => false;
  return {
    takesUnhandled: (error) => takeUnhandled(error),
    onUnhandled(take) {
      takeUnhandled = take;
    },

    env: process.env,
    directory: process.cwd(),
    stdout: lasting(process.stdout),
    stderr: lasting(process.stderr),

    async ask(question) {
      if (!process.stdin.isTTY || !process.stderr.isTTY) return undefined;
      const { createInterface } = await import('node:readline/promises');
      const terminal = createInterface({ input: process.stdin, output: process.stderr });
      try {
        return await terminal.question(question);
      } finally {
        terminal.close();
      }
    },

    async askSecret(question) {
      if (!process.stdin.isTTY || !process.stderr.isTTY) return undefined;
      const { createInterface } = await import('node:readline/promises');
      const { Writable } = await import('node:stream');
      const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
      const terminal = createInterface({ input: process.stdin, output: nowhere, terminal: true });
      // Without a listener, Ctrl+C at the prompt would leave the question open for ever.
      terminal.on('SIGINT', () => process.kill(process.pid, 'SIGINT'));
      process.stderr.write(question);
      try {
        return await terminal.question('');
      } finally {
        terminal.close();
        process.stderr.write('\n');
      }
    },

    onStop(stop) {
      for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => stop(signal));
      // The reader of our output has closed the pipe.
      const ended = (error: Error) => isDiskFull(error) || stop('the end of the output');
      process.stdout.on('error', ended);
      process.stderr.on('error', ended);
    },
  };
}

/** A full disk under an output costs texts, which are counted, and their number is written once there is room. */
export function lasting(stream: NodeJS.WriteStream): Output {
  if (stream.isTTY) return stream;
  let lost = 0;
  return {
    write(text) {
      const before = lost;
      lost = 0;
      // A failed write may have left half a line.
      const note = before === 0 ? '' : `\nswitchyard: ${before} lines are lost here: the disk was full\n`;
      stream.write(note + text, (error) => {
        if (isDiskFull(error)) lost += before + 1;
      });
    },
    get writableLength() {
      return stream.writableLength;
    },
  };
}

const isDiskFull = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && (error.code === 'ENOSPC' || error.code === 'EDQUOT');

/** Ends the process once its output has left it: a pipe takes 64 KiB at once, and the rest when its reader has taken those. */
export async function exitWhenWritten(code: number): Promise<void> {
  await Promise.all([process.stdout, process.stderr].map((stream) => new Promise((done) => stream.write('', done))));
  process.exit(code);
}
