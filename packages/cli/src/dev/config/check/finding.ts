import type { Instance } from '../../instance/instance.ts';
import { hidden } from '../hidden.ts';

/** An inconsistency, for people. */
export interface Finding {
  /** A warning may be intended; an error prevents something from working. */
  readonly severity: 'error' | 'warning';
  readonly problem: string;
  readonly places: readonly Place[];
  /** Suggested remedy: a command if there is one. */
  readonly fix: string;
}

export interface Place {
  readonly file: string;
  /** From 1; absent if the key is not in the file. */
  readonly line?: number;
  readonly key: string;
  readonly value: string;
}

/** Everything the rules look at. */
export interface CheckInput {
  /** The instance once for each of its networks. */
  readonly instances: readonly Instance[];
  /** Environment of this command, which a service inherits. */
  readonly env: NodeJS.ProcessEnv;
}

export function toLine({ problem, places, fix }: Finding): string {
  const stated = places.map(({ file, key, value }) => `${file} has ${key} = ${hidden(key, value)}`).join('; ');
  return `${problem}: ${stated}: ${fix}`;
}

export type Rule = (input: CheckInput) => Finding[];

const getFinding =
  (severity: Finding['severity']) =>
  (problem: string, places: readonly Place[], fix: string): Finding => ({ severity, problem, places, fix });
export const [error, warning] = [getFinding('error'), getFinding('warning')];

export function unique(findings: readonly Finding[]): Finding[] {
  return [...new Map(findings.map((finding) => [JSON.stringify([finding.problem, finding.places]), finding])).values()];
}
