import type { Input } from '@switchyard/client/http-api';
import { Badge } from '../../ui/badge.tsx';
import { formatCount, words } from '../../ui/format.ts';
import { shown } from '../../ui/shown.ts';
import { Id } from '../parts/id.tsx';
import { Long } from '../parts/long.tsx';
import { word } from '../word.ts';

const ADDRESS = /^[a-z]{1,83}1[02-9ac-hj-np-z]{38,80}$/;
/** Members of an object beyond these are left to the API. */
const MAX_MEMBERS = 50;

/** Whatever members an action has: a new kind needs nothing here. */
export function Action({ action }: { readonly action: Input }) {
  return (
    <>
      <Badge>{words(shown(word(action.at('kind'))))}</Badge>
      <Members of={action} without="kind" />
    </>
  );
}

/** The members of an object of any form. */
export function Members({ of, without }: { readonly of: Input; readonly without?: string }) {
  const [rollup, hash] = [word(of.at('rollup')), word(of.at('hash'))];
  const hashTo = rollup !== '' && hash !== '' ? `/rollups/${rollup}/transactions/${hash}` : undefined;
  return (
    <dl className="members">
      {of
        .members()
        .filter(([name]) => name !== without)
        .slice(0, MAX_MEMBERS)
        .map(([name, member]) => (
          <div key={name}>
            <dt>{words(shown(name))}</dt>
            <dd>
              <Member name={name} member={member} hashTo={hashTo} />
            </dd>
          </div>
        ))}
    </dl>
  );
}

interface MemberProps {
  readonly name: string;
  readonly member: Input;
  readonly hashTo: string | undefined;
}

function Member({ name, member, hashTo }: MemberProps) {
  const text = word(member);
  if (name === 'hash') return <Id text={text} to={hashTo} />;
  if (name === 'rollup') return <Id text={text} to={`/rollups/${text}`} />;
  if (ADDRESS.test(text)) return <Id text={text} to={`/accounts/${text}`} />;
  if (text !== '') return /^\d+$/.test(text) ? <>{formatCount(text)}</> : <Long>{shown(text)}</Long>;
  if (!member.isPresent) return <>–</>;
  const json = JSON.stringify(member.value, (_, each: unknown) => (typeof each === 'bigint' ? String(each) : each));
  return (
    <code>
      <Long>{shown(json)}</Long>
    </code>
  );
}
