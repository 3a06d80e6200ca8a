import { createSigner, formatAddress, parseSeed, type Signer } from '@switchyard/protocol';
import { useState } from 'react';

/** Funded in every development network. Everybody has these keys; they must never hold anything of value. */
const TEST_KEYS: Readonly<Record<string, string>> = {
  alice: '2bd806c97f0e00af1a1fc3328fa763a9269723c8db8fac4f93af71db186d6e90',
  bob: 'b70fd3b99cab2d98dbd73602deb026b9cdc9bb7b85d35f0bbb81b17c78923dd0',
};

export interface Identity {
  readonly name: string;
  readonly signer: Signer;
}

export const shortAddress = (address: string): string => `${address.slice(0, 10)}…${address.slice(-4)}`;

export function testIdentity(name: string): Identity | undefined {
  const key = TEST_KEYS[name];
  return key === undefined ? undefined : { name, signer: createSigner(parseSeed(key)) };
}

/** Who writes: a development account, or a key that stays in this page's memory and is gone when the page is. */
export function IdentityPicker({ identity, choose }: { identity: Identity; choose: (identity: Identity) => void }) {
  const [own, setOwn] = useState(false);
  const [key, setKey] = useState('');
  const [problem, setProblem] = useState('');

  const pick = (value: string) => {
    const test = testIdentity(value);
    setOwn(test === undefined);
    if (test !== undefined) choose(test);
  };
  const use = (text: string) => {
    setKey(text);
    setProblem('');
    if (text.trim() === '') return;
    try {
      choose({ name: identity.name, signer: createSigner(parseSeed(text.trim())) });
    } catch {
      setProblem('a key is 64 hexadecimal digits');
    }
  };

  return (
    <div className="who">
      <label>
        write as{' '}
        <select aria-label="account" value={own ? 'own' : identity.name} onChange={(event) => pick(event.target.value)}>
          {Object.keys(TEST_KEYS).map((name) => (
            <option key={name} value={name}>
              {name} (public test key)
            </option>
          ))}
          <option value="own">my own key</option>
        </select>
      </label>
      {own && (
        <>
          <input
            aria-label="name"
            value={identity.name}
            maxLength={64}
            onChange={(event) => choose({ ...identity, name: event.target.value })}
          />
          <input
            aria-label="private key"
            className="key"
            type="password"
            autoComplete="off"
            placeholder="private key, 64 hexadecimal digits; it does not leave this page"
            value={key}
            onChange={(event) => use(event.target.value)}
          />
        </>
      )}
      <code title={formatAddress(identity.signer.account)}>{shortAddress(formatAddress(identity.signer.account))}</code>
      {problem !== '' && <span className="problem">{problem}</span>}
    </div>
  );
}
