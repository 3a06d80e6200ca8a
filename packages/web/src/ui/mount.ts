import type { ReactNode } from 'react';
import { createRoot } from 'react-dom/client';

/** Puts a page in the place of the outline that its HTML shows until its script has been loaded. */
export function mount(page: ReactNode): void {
  const place = document.getElementById('page');
  if (place === null) throw new Error('the HTML has no element with the id page');
  place.replaceChildren();
  createRoot(place).render(page);
}
