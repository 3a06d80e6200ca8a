/** Result of a check that is made before anything is changed. */
export interface Finding {
  /** `risky` is refused, unless the user insists. */
  readonly severity: 'refused' | 'risky' | 'note';
  readonly text: string;
}

export const refused = (text: string): Finding => ({ severity: 'refused', text });
export const risky = (text: string): Finding => ({ severity: 'risky', text });
export const noted = (text: string): Finding => ({ severity: 'note', text });

/**
 * Findings that prevent any change, and mere notes; one line each.
 *
 * @param force Takes risks for notes.
 */
export function sorted(findings: readonly Finding[], force: boolean) {
  const isRefused = ({ severity }: Finding) => severity === 'refused' || (severity === 'risky' && !force);
  return {
    refusals: findings
      .filter(isRefused)
      .map(({ severity, text }) => (severity === 'risky' ? `${text}; insist with --force` : text)),
    notes: findings.filter((finding) => !isRefused(finding)).map(({ text }) => `note: ${text}`),
  };
}
