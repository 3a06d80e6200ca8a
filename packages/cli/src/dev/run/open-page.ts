import { spawn } from 'node:child_process';
import type { World } from '../../cli.ts';

interface Opener {
  readonly command: string;
  readonly args: readonly string[];
}

/** The program that opens a page in the user's browser; `undefined` if there is no display to show it on. */
export function findOpener(url: string, platform: NodeJS.Platform, env: NodeJS.ProcessEnv): Opener | undefined {
  const isSet = (name: string) => (env[name] ?? '') !== '';
  if (isSet('CI') || isSet('SSH_CONNECTION')) return undefined;
  if (platform === 'darwin') return { command: 'open', args: [url] };
  if (platform === 'win32') return { command: 'explorer.exe', args: [url] };
  return isSet('DISPLAY') || isSet('WAYLAND_DISPLAY') ? { command: 'xdg-open', args: [url] } : undefined;
}

/** Opens a page if a person sits at a terminal with a display. A browser that does not come up ends nothing. */
export function openPage(url: string, { stdout, env }: Pick<World, 'stdout' | 'env'>): void {
  const opener = stdout.isTTY === true ? findOpener(url, process.platform, env) : undefined;
  if (opener === undefined) return;
  const browser = spawn(opener.command, [...opener.args], { env, stdio: 'ignore', detached: true });
  browser.on('error', () => undefined);
  browser.unref();
}
