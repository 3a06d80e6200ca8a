import { readFileSync } from 'node:fs';

/** One command of a documentation page, with the output that the page shows. */
export interface Step {
  readonly command: string;
  /** Lines of expected output; `…` stands for anything, a line that is only `…` for any number of lines. */
  readonly output: readonly string[];
  /** `background`: runs on beside what follows; `eventually`: repeated until it prints this. */
  readonly mode: 'once' | 'background' | 'eventually';
  readonly line: number;
}

/** The `console` blocks of a page, in order. */
export function stepsOf(path: string): Step[] {
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

/** Whether a printed text is what a step shows. */
export function shows(output: readonly string[], printed: string): boolean {
  const pattern = output
    .map((line) => (line === '…' ? '(?:.*\\n)*' : `${line.split('…').map(literal).join('.*')}\\n`))
    .join('');
  return new RegExp(`^${pattern}$`).test(printed === '' || printed.endsWith('\n') ? printed : `${printed}\n`);
}
