import { useState } from 'react';
import { Form } from '../ui/form.tsx';
import { saveFile } from '../ui/save-file.ts';
import type { Account, Accounts } from './keys/accounts.ts';
import { BadKeyFile, decodeKeyFile, encodeKeyFile } from './keys/key-file.ts';

interface KeyTransferProps {
  readonly current: Account;
  readonly add: Accounts['add'];
}

/** A key to a file, and from one. */
export function KeyTransfer({ current, add }: KeyTransferProps) {
  return (
    <>
      {current.seed !== undefined && <Export key={current.address} address={current.address} seed={current.seed} />}
      <Import add={add} />
    </>
  );
}

function Export({ address, seed }: { readonly address: string; readonly seed: () => Promise<Uint8Array> }) {
  const [passphrase, setPassphrase] = useState('');
  const [problem, setProblem] = useState('');
  const save = async () => {
    try {
      const file = await encodeKeyFile(await seed(), passphrase);
      saveFile(`${address.slice(0, 14)}.${passphrase === '' ? 'key' : 'key.json'}`, file, 'text/plain');
      setPassphrase('');
      setProblem('');
    } catch (error) {
      setProblem(`the key could not be exported: ${String(error)}`);
    }
  };
  return (
    <details>
      <summary>Export this key</summary>
      <Form className="fields" submit={save}>
        <p>
          Who has the file has the account. With a passphrase the file is encrypted; without the passphrase it is lost.
        </p>
        <Secret label="Passphrase" value={passphrase} set={setPassphrase} autoComplete="new-password" />
        <button type="submit">{passphrase === '' ? 'Export without encryption' : 'Export encrypted'}</button>
        {problem !== '' && (
          <p className="problem" role="alert">
            {problem}
          </p>
        )}
      </Form>
    </details>
  );
}

function Import({ add }: { readonly add: Accounts['add'] }) {
  const [text, setText] = useState('');
  const [passphrase, setPassphrase] = useState('');
  const [result, setResult] = useState<{ readonly isGood: boolean; readonly words: string }>();
  const read = async () => {
    try {
      await add(await decodeKeyFile(text, passphrase));
      setText('');
      setPassphrase('');
      setResult({ isGood: true, words: 'The key is in use.' });
    } catch (error) {
      const words = error instanceof BadKeyFile ? error.message : `the key could not be kept: ${String(error)}`;
      setResult({ isGood: false, words: `${words}. The account in use is unchanged.` });
    }
  };
  return (
    <details>
      <summary>Import a key</summary>
      <Form className="fields" submit={read}>
        <label>
          Key file{' '}
          <input
            type="file"
            onChange={(event) => {
              // More is no key; the text of a huge file would stop the page.
              const file = event.currentTarget.files?.[0];
              file
                ?.slice(0, 10_000)
                .text()
                .then(setText, () => undefined);
            }}
          />
        </label>
        <Secret label="Or its text" value={text} set={setText} />
        <Secret label="Passphrase, if it has one" value={passphrase} set={setPassphrase} />
        <button type="submit" disabled={text.trim() === ''}>
          Import
        </button>
        {result !== undefined && (
          <p className={result.isGood ? '' : 'problem'} role="alert">
            {result.words}
          </p>
        )}
      </Form>
    </details>
  );
}

interface SecretProps {
  readonly label: string;
  readonly value: string;
  readonly set: (value: string) => void;
  readonly autoComplete?: 'off' | 'new-password';
}

const Secret = ({ label, value, set, autoComplete = 'off' }: SecretProps) => (
  <label>
    {label}{' '}
    <input
      type="password"
      autoComplete={autoComplete}
      value={value}
      onChange={(event) => set(event.currentTarget.value)}
    />
  </label>
);
