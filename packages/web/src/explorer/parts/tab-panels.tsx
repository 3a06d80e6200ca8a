import { type KeyboardEvent, type ReactNode, useId } from 'react';
import type { Tab, TabsProps } from './layout.tsx';

interface Panel extends Tab {
  readonly show: () => ReactNode;
}

/** Parts of one thing, of which one is open. Arrows go from one to the next, and each has its address. */
export function TabPanels({ base, tabs, current, label }: TabsProps<Panel>) {
  const id = useId();
  const open = tabs.find(({ part }) => part === current) ?? tabs[0];
  const move = (event: KeyboardEvent<HTMLElement>) => {
    const all = [...event.currentTarget.querySelectorAll('a')];
    const at = all.indexOf(document.activeElement as HTMLAnchorElement);
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1 + all.length, Home: 0, End: all.length - 1 }[event.key];
    const next = to === undefined ? undefined : all[to % all.length];
    if (at < 0 || next === undefined) return;
    event.preventDefault();
    next.focus();
    // No entry of the history for every tab that is passed.
    location.replace(next.href);
  };
  if (open === undefined) return null;
  return (
    <>
      <div role="tablist" className="tabs" aria-label={label} onKeyDown={move}>
        {tabs.map(({ name, part }) => (
          <a
            key={part}
            id={`${id}-${part}`}
            role="tab"
            href={`#${base}${part === '' ? '' : `/${part}`}`}
            aria-selected={part === open.part}
            aria-controls={`${id}-panel`}
            tabIndex={part === open.part ? 0 : -1}
          >
            {name}
          </a>
        ))}
      </div>
      <div role="tabpanel" id={`${id}-panel`} className="panel" aria-labelledby={`${id}-${open.part}`}>
        {open.show()}
      </div>
    </>
  );
}
