import { BadKeyFile, decodeKeyFile, encodeKeyFile } from '@switchyard/rollup/live/browser';
import { useState } from 'react';
import { TextField } from '../ui/field.tsx';
import { Form } from '../ui/form.tsx';
import { saveFile } from '../ui/save-file.ts';
import type { Accounts } from './use-accounts.ts';

interface ExportKeyProps {
  readonly address: string;
  readonly seed: () => Promise<Uint8Array>;
}

/** A key to a file. */
export function ExportKey({ address, seed }: ExportKeyProps) {
  const [passphrase, setPassphrase] = useState('');
  const save = async () => {
    const file = await encodeKeyFile(await seed(), passphrase);
    saveFile(`${address.slice(0, 14)}.${passphrase === '' ? 'key' : 'key.json'}`, file, 'text/plain');
    setPassphrase('');
  };
  return (
    <details>
      <summary>Export this key</summary>
      <Form className="fields" submit={save}>
        <p>
          Who has the file has the account. With a passphrase the file is encrypted; without the passphrase it is lost.
        </p>
        <TextField
          type="password"
          label="Passphrase"
          autoComplete="new-password"
          value={passphrase}
          onChange={(event) => setPassphrase(event.currentTarget.value)}
        />
        <button type="submit">{passphrase === '' ? 'Export without encryption' : 'Export encrypted'}</button>
      </Form>
    </details>
  );
}

/** A key from a file, or from its text. */
export function ImportKey({ add }: { readonly add: Accounts['add'] }) {
  const read = async (form: HTMLFormElement) => {
    const [file, text, passphrase] = ['file', 'text', 'passphrase'].map((name) => new FormData(form).get(name));
    // More is no key; the text of a huge file would stop the page.
    const given = file instanceof File && file.size > 0 ? await file.slice(0, 10_000).text() : String(text);
    try {
      await add(await decodeKeyFile(given, String(passphrase)));
    } catch (error) {
      const words = error instanceof BadKeyFile ? error.message : `the key could not be kept: ${String(error)}`;
      throw new Error(`${words}. The account in use is unchanged.`, { cause: error });
    }
    form.reset();
    return 'The key is in use.';
  };
  return (
    <details>
      <summary>Import a key</summary>
      <Form className="fields" submit={read}>
        <label>
          Key file <input type="file" name="file" />
        </label>
        <TextField type="password" name="text" label="Or its text" />
        <TextField type="password" name="passphrase" label="Passphrase, if it has one" />
        <button type="submit">Import</button>
      </Form>
    </details>
  );
}
