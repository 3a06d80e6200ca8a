/** One line of `dev doctor`. */
export interface Finding {
  readonly check: string;
  /** `fail`: the network will not run. `warn`: it may not, or something else is odd. */
  readonly level: 'ok' | 'warn' | 'fail';
  readonly text: string;
  /** Suggested remedy. */
  readonly advice?: string;
}

export const ok = (check: string, text: string): Finding => ({ check, level: 'ok', text });
export const warn = (check: string, text: string, advice: string): Finding => ({ check, level: 'warn', text, advice });
export const fail = (check: string, text: string, advice: string): Finding => ({ check, level: 'fail', text, advice });
