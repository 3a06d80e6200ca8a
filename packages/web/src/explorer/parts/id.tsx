import { shown } from '../shown.ts';
import { Copy } from './copy.tsx';

/** Shorter ids, such as heights or names, are shown whole and typed rather than copied. */
const SHORT = 20;

/** A hash, an address or a name, cut in the middle where there is little room. */
export function Id({
  text,
  to,
  label,
  isWhole = false,
}: {
  readonly text: string;
  readonly to?: string | undefined;
  /** Text that is shown instead of it. */
  readonly label?: string | undefined;
  readonly isWhole?: boolean;
}) {
  if (text === '') return <>–</>;
  const isShort = text.length < SHORT;
  const short = isWhole || isShort ? text : `${text.slice(0, 10)}…${text.slice(-6)}`;
  const code = label === undefined ? <code title={text}>{shown(short)}</code> : <span title={text}>{label}</span>;
  return (
    <span className={isWhole ? 'id whole' : 'id'}>
      {to === undefined ? code : <a href={`#${to}`}>{code}</a>}
      {!isShort && <Copy text={text} />}
    </span>
  );
}
