import type { World } from './cli.ts';

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
    stdout: process.stdout,
    stderr: process.stderr,

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
      const [{ createInterface }, { Writable }] = await Promise.all([
        import('node:readline/promises'),
        import('node:stream'),
      ]);
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
      process.stdout.on('error', () => stop('the end of the output'));
      process.stderr.on('error', () => stop('the end of the output'));
    },
  };
}
