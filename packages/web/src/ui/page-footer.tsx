import type { ReactNode } from 'react';
import { CHOICES, choose, useChoice } from './preferences.ts';

/** The foot of a page: choices of the reader, and more that belongs to the page. */
export const PageFooter = ({ children }: { readonly children?: ReactNode }) => (
  <footer className="page-footer">
    <div className="settings">
      <Choice name="theme" label="Colours" />
      <Choice name="times" label="Times" />
    </div>
    {children}
  </footer>
);

function Choice<K extends keyof typeof CHOICES>({ name, label }: { readonly name: K; readonly label: string }) {
  const chosen = useChoice(name);
  return (
    <label>
      {label}{' '}
      <select value={chosen} onChange={(event) => choose(name, event.currentTarget.value as typeof chosen)}>
        {CHOICES[name].map((each) => (
          <option key={each}>{each}</option>
        ))}
      </select>
    </label>
  );
}
