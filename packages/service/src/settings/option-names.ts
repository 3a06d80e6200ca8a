import type { Env } from '../input/schema.ts';

/** Variable in which a command passes on the options that it made settings of a process from. */
const VARIABLE = 'SWITCHYARD_OPTIONS';

/** @param options Such as `--port`, by the variables that they became. */
export function optionNames(options: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const pairs = Object.entries(options).map(([variable, option]) => `${variable}=${option}`);
  return { [VARIABLE]: pairs.join(' ') };
}

/** Text of a refusal, with the options that were given in place of the variables that they became. */
export function withOptionNames(text: string, env: Env): string {
  const pairs = (env[VARIABLE] ?? '').split(' ').map((pair) => pair.split('='));
  return pairs.reduce((changed, [variable, option]) => {
    if (!/^\w+$/.test(variable ?? '') || option === undefined) return changed;
    const example = new RegExp(`(?<=for example )${variable}=(.+)`, 'g');
    const others = new RegExp(`\\b${variable}\\b(=?)`, 'g');
    return changed
      .replaceAll(example, (_, value: string) => `${option} ${value.includes(' ') ? JSON.stringify(value) : value}`)
      .replaceAll(others, (_, sign: string) => (sign === '' ? option : `${option} `));
  }, text);
}
