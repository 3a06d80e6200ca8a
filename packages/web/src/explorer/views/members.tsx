import { Input } from '@switchyard/client/http-api';
import { Badge } from '../../ui/badge.tsx';
import { FactList } from '../../ui/facts.tsx';
import { formatCount, words } from '../../ui/format.ts';
import { shown } from '../../ui/shown.ts';
import { Id, Long } from '../parts/cells.tsx';
import { Each } from '../parts/layout.tsx';
import { word } from '../word.ts';

const ADDRESS = /^[a-z]{1,83}1[02-9ac-hj-np-z]{38,80}$/;
/** Members of an object beyond these are left to the API. */
const MAX_MEMBERS = 50;
/** Members of members, and elements of lists. */
const MAX_INNER = 10;
/** Deeper members are shown as JSON. */
const MAX_DEPTH = 2;
const MAX_NAME = 100;

/** All members of an action: a new kind needs nothing here. */
export function Action({ action }: { readonly action: Input }) {
  return (
    <>
      <Badge>{words(shown(word(action.at('kind'))))}</Badge>
      <Members of={action} without="kind" />
    </>
  );
}

interface MembersProps {
  readonly of: Input;
  readonly without?: string;
  readonly depth?: number;
}

/** The members of an object of any form. */
export function Members({ of: item, without, depth = 0 }: MembersProps) {
  const [rollup, hash] = [word(item.at('rollup')), word(item.at('hash'))];
  const hashTo = rollup !== '' && hash !== '' ? `/rollups/${rollup}/transactions/${hash}` : undefined;
  return (
    <FactList
      className="members"
      facts={item
        .members()
        .filter(([name]) => name !== without)
        .slice(0, depth === 0 ? MAX_MEMBERS : MAX_INNER)
        .map(([name, member]) => [
          words(shown(name.slice(0, MAX_NAME))),
          <Member key={name} name={name} member={member} hashTo={hashTo} depth={depth} />,
        ])}
    />
  );
}

/** JSON of any form. */
export const AnyValue = ({ of: item, depth = 0 }: Pick<MembersProps, 'of' | 'depth'>) =>
  item.isObject ? <Members of={item} depth={depth} /> : <Member name="" member={item} depth={depth} />;

interface MemberProps {
  readonly name: string;
  readonly member: Input;
  readonly hashTo?: string | undefined;
  readonly depth: number;
}

export function Member({ name, member, hashTo, depth }: MemberProps) {
  const text = word(member);
  if (name === 'hash') return <Id text={text} to={hashTo} />;
  if (name === 'rollup') return <Id text={text} to={`/rollups/${text}`} />;
  if (ADDRESS.test(text)) return <Id text={text} to={`/accounts/${text}`} />;
  if (text !== '') return /^\d{1,78}$/.test(text) ? formatCount(text) : <Long>{shown(text)}</Long>;
  if (!member.isPresent) return <>–</>;
  if (depth < MAX_DEPTH) {
    if (member.isObject) return <Members of={member} depth={depth + 1} />;
    const items = Array.isArray(member.value) ? member.value.slice(0, MAX_INNER) : [];
    return (
      <Each of={items} show={(item, index) => <Member name="" member={new Input(item, index)} depth={depth + 1} />} />
    );
  }
  const json = JSON.stringify(member.value, (_, each: unknown) => (typeof each === 'bigint' ? String(each) : each));
  return (
    <code>
      <Long>{shown(json)}</Long>
    </code>
  );
}
