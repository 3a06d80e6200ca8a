import { CopyButton } from './copy.tsx';
import { colourOf, SHORT, shortId } from './short.ts';
import { shown } from './shown.ts';

interface IdProps {
  readonly text: string;
  /** Its target. */
  readonly href?: string | undefined;
  /** Text that is shown instead of it. */
  readonly label?: string | undefined;
  readonly isWhole?: boolean;
  /** Name of what is copied, also of a short one. */
  readonly what?: string;
  /** Whether it is that of an account, whose colour stands before it. */
  readonly isAccount?: boolean;
}

/** A hash, an address or a name, cut in the middle if there is little room. */
export function Id({ text, href, label, isWhole = false, isAccount = false, what }: IdProps) {
  if (text === '') return <>–</>;
  const short = isWhole ? text : shortId(text);
  const code = label === undefined ? <code title={text}>{shown(short)}</code> : <span title={text}>{label}</span>;
  return (
    <span className={isWhole ? 'id whole' : 'id'}>
      {isAccount && <i className="swatch" style={colourOf(text)} aria-hidden="true" />}
      {href === undefined ? code : <a href={href}>{code}</a>}
      {(what !== undefined || text.length >= SHORT) && <CopyButton text={text} what={what ?? text} />}
    </span>
  );
}
