import type { Input } from '@switchyard/client/http-api';
import { textOf, word } from '../api.ts';
import { Id } from '../parts/id.tsx';
import { shown } from '../shown.ts';
import { Address } from './cells.tsx';

/** Deeper tuples are shown as JSON. */
const MAX_DEPTH = 6;

/** A call, event or error with its arguments. */
export function Decoded({ base, decoded }: { readonly base: string; readonly decoded: Input }) {
  const list = decoded.at('arguments').list();
  return (
    <div className="decoded">
      <code>{textOf(decoded, 'signature')}</code>
      {list.length > 0 && <Arguments base={base} list={list} depth={0} />}
    </div>
  );
}

function Arguments({
  base,
  list,
  depth,
}: {
  readonly base: string;
  readonly list: readonly Input[];
  readonly depth: number;
}) {
  return (
    <dl className="members">
      {list.map((argument, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: arguments are known by their position
        <div key={index}>
          <dt>
            {textOf(argument, 'name') || index} <code className="quiet">{textOf(argument, 'type')}</code>
          </dt>
          <dd>
            <Value base={base} type={word(argument.at('type'))} value={argument.at('value')} depth={depth} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

interface ValueProps {
  readonly base: string;
  readonly type: string;
  readonly value: Input;
  readonly depth: number;
}

function Value({ base, type, value, depth }: ValueProps) {
  if (!Array.isArray(value.value)) {
    const text = word(value);
    if (type === 'address') return <Address base={base} text={text} />;
    if (type.startsWith('bytes') && text.length === 66) return <Id text={text} />;
    return <bdi>{shown(text) || '–'}</bdi>;
  }
  if (depth >= MAX_DEPTH) return <code>{shown(JSON.stringify(value.value).slice(0, 1_000))}</code>;
  const items = value.list();
  const isTuple = items.length > 0 && items.every((each) => each.isObject && each.at('type').isPresent);
  if (isTuple) return <Arguments base={base} list={items} depth={depth + 1} />;
  const inner = type.replace(/\[\d*\]$/, '');
  return (
    <ol className="values">
      {items.map((item, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: elements are known by their position
        <li key={index}>
          <Value base={base} type={inner} value={item} depth={depth + 1} />
        </li>
      ))}
    </ol>
  );
}
