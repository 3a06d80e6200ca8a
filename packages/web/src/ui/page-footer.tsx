import type { ReactNode } from 'react';
import { CHOICES, choose, useChoice } from './preferences.ts';

/** The foot of a page: choices of the reader, and more that belongs to the page. */
export function PageFooter({ children }: { readonly children?: ReactNode }) {
  const [theme, times] = [useChoice('theme'), useChoice('times')];
  return (
    <footer className="page-footer">
      <div className="settings">
        <label>
          Colours{' '}
          <select value={theme} onChange={(event) => choose('theme', event.currentTarget.value as typeof theme)}>
            {CHOICES.theme.map((each) => (
              <option key={each}>{each}</option>
            ))}
          </select>
        </label>
        <label>
          Times{' '}
          <select value={times} onChange={(event) => choose('times', event.currentTarget.value as typeof times)}>
            {CHOICES.times.map((each) => (
              <option key={each}>{each}</option>
            ))}
          </select>
        </label>
      </div>
      {children}
    </footer>
  );
}
