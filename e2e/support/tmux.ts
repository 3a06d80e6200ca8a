import { randomUUID } from 'node:crypto';
import { type Ran, run, until } from './network.ts';

/** Why scenarios that need a terminal cannot run here; undefined when they can. */
export async function noTmux(): Promise<string | undefined> {
  try {
    const { status } = await run('tmux', ['-V']);
    return status === 0 ? undefined : 'tmux does not run here';
  } catch {
    return 'tmux is not installed: these scenarios need it to have a terminal';
  }
}

/** A terminal with a shell in it, and a user who types and reads. */
export interface Tmux {
  /** Types a line into the shell. */
  type(line: string): Promise<void>;
  /** Presses keys by tmux's names (`Enter`, `Up`, `C-c`), or characters. */
  press(...keys: readonly string[]): Promise<void>;
  rows(): Promise<string[]>;
  /** The screen with its colours, as the sequences that make them. */
  styled(): Promise<string>;
  /** Text that programs have put on the clipboard. */
  clipboard(): Promise<string>;
  /** Also lines that have left the screen at its top; lines that were too long for a row are one line again. */
  history(): Promise<string>;
  /** Waits until the screen matches; returns the screen. */
  sees(pattern: RegExp, ms?: number): Promise<string>;
  /** Waits until the screen does not match any more. */
  seesNo(pattern: RegExp): Promise<string>;
  resize(columns: number, rows: number): Promise<void>;
  /** Whether a program has the alternate screen, shows the cursor, and lets lines wrap. */
  modes(): Promise<{ alternate: boolean; cursor: boolean; wrap: boolean }>;
  /** Id of the process that the shell runs now. */
  child(): Promise<number>;
  close(): Promise<void>;
}

export async function openTmux(size: { columns: number; rows: number }, env: NodeJS.ProcessEnv): Promise<Tmux> {
  const server = ['-L', `switchyard-${randomUUID()}`, '-f', '/dev/null'];
  const tmux = async (...args: readonly string[]): Promise<Ran> => {
    const ran = await run('tmux', [...server, ...args], {
      NO_COLOR: undefined,
      LC_ALL: 'C.UTF-8',
      ...env,
      PS1: '$ ',
      ENV: undefined,
    });
    if (ran.status !== 0) throw new Error(`tmux ${args.join(' ')}: ${ran.stderr}`);
    return ran;
  };
  await tmux('new-session', '-d', '-s', 't', '-x', `${size.columns}`, '-y', `${size.rows}`, 'sh');
  // Terminals that let programs write to the clipboard have this set.
  await tmux('set-option', '-s', 'set-clipboard', 'on');
  const rows = async () => (await tmux('capture-pane', '-p', '-t', 't')).stdout.split('\n').slice(0, -1);
  const ask = async (format: string) => (await tmux('display-message', '-p', '-t', 't', format)).stdout.trim();
  const seen = async (what: string, ms: number | undefined, good: (text: string) => boolean) => {
    let last = '';
    const text = await until(
      what,
      async () => {
        last = (await rows()).join('\n');
        return good(last) ? last : undefined;
      },
      ms,
    ).catch((error: unknown) => {
      throw new Error(`${String(error)}, on the screen:\n${last}`);
    });
    return text;
  };
  return {
    type: async (line) => void (await tmux('send-keys', '-t', 't', line, 'Enter')),
    press: async (...keys) => void (await tmux('send-keys', '-t', 't', ...keys)),
    rows,
    styled: async () => (await tmux('capture-pane', '-e', '-N', '-p', '-t', 't')).stdout,
    clipboard: async () => (await tmux('show-buffer')).stdout,
    history: async () => (await tmux('capture-pane', '-p', '-J', '-S', '-', '-t', 't')).stdout,
    sees: (pattern, ms) => seen(`the screen shows ${pattern}`, ms, (text) => pattern.test(text)),
    seesNo: (pattern) => seen(`the screen no longer shows ${pattern}`, undefined, (text) => !pattern.test(text)),
    resize: async (columns, rows) => void (await tmux('resize-window', '-t', 't', '-x', `${columns}`, '-y', `${rows}`)),
    async modes() {
      const [alternate, cursor, wrap] = (await ask('#{alternate_on} #{cursor_flag} #{wrap_flag}')).split(' ');
      return { alternate: alternate === '1', cursor: cursor === '1', wrap: wrap === '1' };
    },
    async child() {
      const { stdout } = await run('ps', ['-o', 'pid=', '--ppid', await ask('#{pane_pid}')]);
      return Number(stdout.trim().split('\n')[0]);
    },
    close: async () => void (await run('tmux', [...server, 'kill-server'])),
  };
}
