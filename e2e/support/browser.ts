import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { until } from './network.ts';

const PROGRAMS = ['chromium', 'chromium-browser', 'google-chrome'];

/** A program that shows pages; undefined if none is installed. */
export function findBrowser(): string | undefined {
  return PROGRAMS.find((name) => spawnSync(name, ['--version'], { stdio: 'ignore' }).status === 0);
}

/** One element as assistive software gets it. */
export interface Accessible {
  readonly role: string;
  readonly name: string;
}

export interface Page {
  open(url: string): Promise<void>;
  /** Waits until the page's text matches. */
  sees(pattern: RegExp, ms?: number): Promise<string>;
  text(): Promise<string>;
  /** The value of an expression in the page. */
  evaluate(expression: string): Promise<unknown>;
  /** Types into the focused element. */
  type(text: string): Promise<void>;
  press(key: 'Tab' | 'Enter' | 'Escape' | 'ArrowDown'): Promise<void>;
  resize(width: number, height: number): Promise<void>;
  dark(is: boolean): Promise<void>;
  /** Shows the page as on paper, with colours of the reader, or as usual. */
  medium(medium: 'print' | 'forced-colors' | 'screen'): Promise<void>;
  /** Runs a script in each document before the document's own. */
  runFirst(script: string): Promise<void>;
  /** Takes the network away from the page, and gives it back. */
  offline(is: boolean): Promise<void>;
  /** Seconds for which the thread of the page has been busy so far. */
  busySeconds(): Promise<number>;
  /** Adds an authenticator for passkeys, whose user is always verified. @returns how often it was used so far. */
  addAuthenticator(): Promise<() => Promise<number>>;
  /**
   * Writes a picture of the whole page.
   *
   * @param part Only the visible part, or one element by its selector, in a smaller or larger scale.
   */
  screenshot(path: string, part?: { readonly scale: number; readonly of?: string | undefined }): Promise<void>;
  accessible(): Promise<Accessible[]>;
  /** Another tab of the same browser, in the background of this one. */
  openTab(): Promise<Page>;
  /** Brings this tab to the front. */
  toFront(): Promise<void>;
  /** Ends the browser, or closes what is only a tab of it. */
  close(): Promise<void>;
}

type Answer = Readonly<Record<string, unknown>>;

/** Whether an expression had no value since its document gave way to another one. */
export function isNavigation(error: unknown): boolean {
  return error instanceof Error && /navigated or closed|context was destroyed/.test(error.message);
}

/** Chromium without a window, driven over a pipe by the DevTools protocol. @param more Further arguments of the browser. */
export async function openPage(program: string, more: readonly string[] = []): Promise<Page> {
  const profile = mkdtempSync(join(tmpdir(), 'switchyard-browser-'));
  const child = spawn(
    program,
    [
      '--headless',
      '--no-sandbox',
      '--disable-gpu',
      '--no-first-run',
      '--remote-debugging-pipe',
      `--user-data-dir=${profile}`,
      ...more,
    ],
    // A process group of its own; it ends with its pipes, for any end of this process.
    { stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'], detached: true },
  );
  // The two further pipes requested above: commands go into one, answers come out of the other.
  const commands = child.stdio[3] as Writable;
  const answers = child.stdio[4] as Readable;
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const waiting = new Map<number, { resolve: (answer: Answer) => void; reject: (error: Error) => void }>();
  let last = 0;
  let received = '';
  answers.setEncoding('utf8').on('data', (chunk: string) => {
    const messages = (received + chunk).split('\0');
    received = messages.pop() ?? '';
    for (const message of messages) {
      const { id, result, error } = JSON.parse(message) as {
        id?: number;
        result?: Answer;
        error?: { message: string };
      };
      const waiter = waiting.get(id ?? 0);
      waiting.delete(id ?? 0);
      if (error === undefined) waiter?.resolve(result ?? {});
      else waiter?.reject(new Error(error.message));
    }
  });
  void ended.then(() => {
    for (const { reject } of waiting.values()) reject(new Error('the browser ended'));
  });
  commands.on('error', () => undefined);
  const ask = (method: string, params: object = {}, sessionId?: string): Promise<Answer> =>
    new Promise((resolve, reject) => {
      last += 1;
      waiting.set(last, { resolve, reject });
      commands.write(`${JSON.stringify({ id: last, method, params, sessionId })}\0`);
    });

  return attach(ask, async () => {
    const isRunning = child.exitCode === null && child.signalCode === null;
    // All of its processes: a survivor would still write to the profile.
    if (isRunning && child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
    await ended;
    rmSync(profile, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
  });
}

type Ask = (method: string, params?: object, sessionId?: string) => Promise<Answer>;

/** A new page of a browser. @param end Ends the browser; undefined for a page that ends alone. */
async function attach(ask: Ask, end?: () => Promise<void>): Promise<Page> {
  const { targetId } = await ask('Target.createTarget', { url: 'about:blank', background: end === undefined });
  const { sessionId } = await ask('Target.attachToTarget', { targetId, flatten: true });
  const call = (method: string, params: object = {}) => ask(method, params, String(sessionId));
  await call('Page.enable');

  const evaluate = async (expression: string): Promise<unknown> => {
    const { result, exceptionDetails } = await call('Runtime.evaluate', {
      expression,
      returnByValue: true,
      awaitPromise: true,
    });
    if (exceptionDetails !== undefined) throw new Error(JSON.stringify(exceptionDetails).slice(0, 500));
    return (result as { value?: unknown }).value;
  };
  const text = async () => String(await evaluate('document.body?.innerText ?? ""'));
  return {
    evaluate,
    text,
    async open(url) {
      await call('Page.navigate', { url });
    },
    async sees(pattern, ms) {
      let seen = '';
      const look = async () => {
        seen = await text();
        return pattern.test(seen) ? seen : undefined;
      };
      return until(`the page shows ${pattern}`, look, ms).catch((error: unknown) => {
        throw new Error(`${String(error)}; it shows:\n${seen}`);
      });
    },
    type: async (typed) => void (await call('Input.insertText', { text: typed })),
    async press(key) {
      const code = { Tab: 9, Enter: 13, Escape: 27, ArrowDown: 40 }[key];
      const event = { key, code: key, windowsVirtualKeyCode: code, ...(key === 'Enter' && { text: '\r' }) };
      await call('Input.dispatchKeyEvent', { type: 'keyDown', ...event });
      await call('Input.dispatchKeyEvent', { type: 'keyUp', ...event });
    },
    async resize(width, height) {
      const mobile = width < 600;
      await call('Emulation.setDeviceMetricsOverride', { width, height, deviceScaleFactor: mobile ? 2 : 1, mobile });
      await call('Emulation.setTouchEmulationEnabled', { enabled: mobile });
    },
    async dark(is) {
      const features = [{ name: 'prefers-color-scheme', value: is ? 'dark' : 'light' }];
      await call('Emulation.setEmulatedMedia', { features });
    },
    async medium(medium) {
      const features = medium === 'forced-colors' ? [{ name: medium, value: 'active' }] : [];
      await call('Emulation.setEmulatedMedia', { media: medium === 'print' ? medium : '', features });
    },
    runFirst: async (script) => void (await call('Page.addScriptToEvaluateOnNewDocument', { source: script })),
    async offline(is) {
      await call('Network.enable');
      const speed = { latency: 0, downloadThroughput: -1, uploadThroughput: -1 };
      await call('Network.emulateNetworkConditions', { offline: is, ...speed });
      // A browser on a machine without a network never sends these, since it believes to be offline all along.
      await evaluate(`window.dispatchEvent(new Event('${is ? 'offline' : 'online'}'))`);
    },
    async busySeconds() {
      await call('Performance.enable');
      const { metrics } = await call('Performance.getMetrics');
      return (metrics as { name: string; value: number }[]).find(({ name }) => name === 'TaskDuration')?.value ?? 0;
    },
    async addAuthenticator() {
      await call('WebAuthn.enable');
      const user = { hasUserVerification: true, isUserVerified: true, automaticPresenceSimulation: true };
      const kind = { protocol: 'ctap2', ctap2Version: 'ctap2_1', transport: 'internal' };
      const options = { ...kind, ...user, hasResidentKey: true, hasPrf: true };
      const { authenticatorId } = await call('WebAuthn.addVirtualAuthenticator', { options });
      return async () => {
        const { credentials } = await call('WebAuthn.getCredentials', { authenticatorId });
        return (credentials as { signCount: number }[]).reduce((sum, { signCount }) => sum + signCount, 0);
      };
    },
    async screenshot(path, part) {
      const shown = '({ x: 0, y: 0, width: innerWidth, height: innerHeight })';
      const element = `(({ x, y, width, height }) => ({ x: x + scrollX, y: y + scrollY, width, height }))(document.querySelector(${JSON.stringify(part?.of)}).getBoundingClientRect())`;
      const box = part && ((await evaluate(part.of === undefined ? shown : element)) as object);
      const { data } = await call('Page.captureScreenshot', {
        format: 'png',
        captureBeyondViewport: part === undefined || part.of !== undefined,
        ...(part !== undefined && { clip: { ...box, scale: part.scale } }),
      });
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, Buffer.from(String(data), 'base64'));
    },
    async accessible() {
      const { nodes } = await call('Accessibility.getFullAXTree');
      const all = nodes as { ignored: boolean; role?: { value: string }; name?: { value: string } }[];
      return all
        .filter(({ ignored }) => !ignored)
        .map(({ role, name }) => ({ role: role?.value ?? '', name: name?.value ?? '' }));
    },
    toFront: async () => void (await call('Page.bringToFront')),
    openTab: () => attach(ask),
    close: end ?? (async () => void (await ask('Target.closeTarget', { targetId }))),
  };
}
