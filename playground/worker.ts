import './node/globals.ts';
import type { Begin, Command, Report } from './messages.ts';

const report = (sent: Report) => postMessage(sent);
const failed = (error: unknown) => {
  const text = error instanceof Error ? error.message : String(error);
  report({ kind: 'failed', problem: text.replaceAll('\n', '; ') });
};

addEventListener(
  'message',
  async ({ data }: MessageEvent<Begin>) => {
    try {
      // The network uses the globals as soon as it is loaded.
      const { run } = await import('./run.ts');
      const command = await run(data, report, failed);
      addEventListener('message', ({ data: sent }: MessageEvent<Command>) => void command(sent).catch(failed));
    } catch (error) {
      failed(error);
    }
  },
  { once: true },
);
