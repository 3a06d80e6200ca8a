import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { type Ran, run, until } from './network.ts';

/** One command of a documentation page, with the output that the page shows. */
export interface Step {
  readonly command: string;
  /** Lines of expected output; `…` stands for anything, a line that is only `…` for any number of lines. */
  readonly output: readonly string[];
  /** `background`: keeps running during the following steps; `eventually`: repeated until it prints this. */
  readonly mode: 'once' | 'background' | 'eventually';
  readonly line: number;
}

/** The `console` blocks of a page, in order. */
export function getSteps(path: string): Step[] {
  const steps: { command: string; output: string[]; mode: Step['mode']; line: number }[] = [];
  let mode: Step['mode'] | undefined;
  for (const [index, text] of readFileSync(path, 'utf8').split('\n').entries()) {
    const fence = /^```(\S*) ?(\S*)$/.exec(text);
    if (fence) {
      const [, language, flag] = fence;
      if (mode !== undefined || language !== 'console') mode = undefined;
      else mode = flag === 'background' || flag === 'eventually' ? flag : 'once';
    } else if (mode !== undefined && text.startsWith('$ ')) {
      steps.push({ command: text.slice(2), output: [], mode, line: index + 1 });
    } else if (mode !== undefined) {
      steps.at(-1)?.output.push(text);
    }
  }
  return steps;
}

const literal = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** Whether a printed text matches that of a step. */
export function shows(output: readonly string[], printed: string): boolean {
  const pattern = output
    .map((line) => (line === '…' ? '(?:.*\\n)*' : `${line.split('…').map(literal).join('.*')}\\n`))
    .join('');
  return new RegExp(`^${pattern}$`).test(printed === '' || printed.endsWith('\n') ? printed : `${printed}\n`);
}

export interface PageOptions {
  readonly cwd: string;
  /** Environment of the commands; it wins over the page's `export` commands. */
  readonly env: NodeJS.ProcessEnv;
  /** Command to run in place of the printed one. */
  readonly shell?: (command: string) => string;
}

/** Runs the commands of a page in order, as one shell session, and compares their output with the page. */
export class PageSession {
  readonly steps: readonly Step[];
  readonly #options: PageOptions;
  readonly #exported: Record<string, string> = {};

  constructor(page: string, options: PageOptions) {
    this.steps = getSteps(page);
    this.#options = options;
  }

  async follow(): Promise<void> {
    for (const step of this.steps) {
      if (step.mode === 'background') await this.#background(step);
      else if (step.mode === 'eventually') await until(step.command, () => this.#attempt(step));
      else await this.#attempt(step);
    }
  }

  async #attempt(step: Step): Promise<true> {
    const { status, stdout, stderr } = await this.#once(step);
    if (status === 0 && shows(step.output, stdout)) return true;
    const got = { line: step.line, command: step.command, status, stdout, stderr };
    throw new Error(`expected:\n${step.output.join('\n')}\ngot: ${JSON.stringify(got, null, 2)}`);
  }

  async #once({ command }: Step): Promise<Ran> {
    const [, name, value = ''] = /^export (\w+)=(\S+|\$\(.+\))$/.exec(command) ?? [];
    const text = name === undefined ? command : `printf %s ${value}`;
    const ran = await run('bash', ['-c', this.#shell(text)], this.#env, this.#options.cwd);
    if (name === undefined) return ran;
    if (ran.stdout === '') return { ...ran, status: 1 };
    this.#exported[name] = ran.stdout;
    return { ...ran, stdout: '' };
  }

  async #background({ command, output }: Step): Promise<void> {
    const child = spawn('bash', ['-c', `exec ${this.#shell(command)}`], {
      cwd: this.#options.cwd,
      env: { ...process.env, ...this.#env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let printed = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk: Uint8Array) => (printed += String(chunk)));
    }
    await until(`"${command}" shows its output`, () => {
      if (child.exitCode !== null) throw new Error(`ended with ${child.exitCode}:\n${printed}`);
      // The process continues to print after the lines that the page shows.
      return shows([...output, '…'], printed) || undefined;
    });
  }

  #shell(command: string): string {
    return this.#options.shell?.(command) ?? command;
  }

  get #env(): NodeJS.ProcessEnv {
    return { ...this.#exported, ...this.#options.env };
  }
}
